// Writes the tables that a mirror keeps about its passes: runs, proofs, columns, shapes, drift, freshness.
#pragma once

#include "base/result.hpp"
#include "mirror/columns/columns.hpp"
#include "mirror/columns/key_sets.hpp"
#include "mirror/columns/row_writer.hpp"
#include "mirror/file/options.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/values/standing.hpp"
#include "mirror/values/walk.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::mirror {

// Stores new columns, and those whose kind changed.
Result<void> record_columns(storage::Database& database, const std::string& resource, const Columns& columns,
                            const std::string& run_id);
Result<void> record_shapes(storage::Database& database, const std::string& resource, const KeySets& shapes);
Result<void> record_drift(storage::Database& database, const std::string& resource, const Columns& columns,
                          const Drifts& drifts, const std::string& run_id, Instant now);
Result<void> record_proof(storage::Database& database, const std::string& resource, const PassStart& start,
                          const Proof& proof, std::uint64_t distinct_keys, Instant now);

struct PublishedRun {
    const std::string& resource;
    const PassStart& start;
    const Proof& proof;
    const PublishOutcome& outcome;
    std::uint64_t pages;
    std::uint64_t bytes;
    Instant finished;
};
Result<void> record_published(storage::Database& database, const PublishedRun& run);
// Also stores the error, which `freshness` shows until the next pass is published.
Result<void> record_act(storage::Database& database, const ActRecord& act);
Result<void> record_unpublished(storage::Database& database, const RunRecord& run);
Result<std::optional<ResourceSummary>> summarise(storage::Database& database, const std::string& resource,
                                                 NewestRun run);
// Adds who asked for a run.
Result<void> record_asker(storage::Database& database, const std::string& resource, const std::string& run_id,
                          const std::string& who);

// Updates the resource's row after this pass. `key_set` is the digest of the keys met, stored for walks over the whole
// list.
Result<void> save_published(storage::Database& database, const ResourceFacts& facts, const PassStart& start,
                            const Proof& proof, const std::string& key_set, Instant now);

// Records a person's decision about held rows, as a run without requests; and updates the resource's row.
Result<void> record_decision(storage::Database& database, const ResourceFacts& facts, const PassStart& start,
                             std::uint64_t deleted);
Result<void> save_decision(storage::Database& database, const ResourceFacts& facts);

// Removes runs, proofs and drift older than the retention, in batches. Keeps the proofs to which resources and
// slices refer. Of changes it removes the beginning, never one between others.
Result<void> forget_old(storage::Database& database, const MirrorOptions& limits, Instant now);

}  // namespace shelfd::mirror
