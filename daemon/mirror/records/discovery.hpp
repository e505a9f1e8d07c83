// What was learned about the answers of a service for one resource, stored in `_resources`.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/values/answers.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

// Whether a list supports a parameter.
enum class ParameterSupport {
    unknown,
    obeyed,
    ignored,
    refused,
    incomplete,  // filter: it did not return all changes
    undated,     // filter: no row has a date that would show whether it does
};

struct Discovery {
    std::optional<Envelope> envelope = {};                  // empty = unknown
    ParameterSupport ordering = ParameterSupport::unknown;  // newest key first
    ParameterSupport filter = ParameterSupport::unknown;    // for incremental passes
    PlaceForm place_form = PlaceForm::unknown;
    std::optional<Instant> looked_at = {};  // when ordering was last tried
    std::optional<Instant> filter_tried_at = {};
    // A row that `filter` has left out, unless it was deleted before: its key as JSON, and its date; "" = none. The
    // next complete walk over the whole list tells.
    std::string suspect_key = {};
    std::string suspect_date = {};
    // Why the last walk over the whole list did not prove it, for people; "" = it did, or nothing is known.
    std::string unproven = {};
    Further further = Further::unknown;
    std::uint64_t whole_rows = 0;  // an answer of at most this many rows was seen to be the whole list
    std::optional<Instant> further_tried_at = {};
    std::optional<Instant> changes_from = {};  // all earlier changes are in the table; updated by publications
    std::string key_set = {};                  // of the last walk, as PageFacts::key_set
    std::uint64_t rows = 0;                    // in the table
    // Resolution of the dates of changes in the newest rows, see resolution_of_dates. Not stored.
    std::optional<Duration> resolution = {};

    friend bool operator==(const Discovery&, const Discovery&) = default;
};

Result<Discovery> load_discovery(storage::Database& database, const std::string& resource);
// Stores all members except `resolution`, and `changes_from`, `key_set` and `rows`, which only publications update.
// Writes nothing if nothing changed.
Result<void> save_discovery(storage::Database& database, const std::string& resource, const Discovery& discovery);

// Whether a list distinguishes tokens: it refuses one that was never issued (401), and accepts ours.
struct CanaryFitness {
    std::string resource;
    bool tells = false;
    Instant tried_at;
};

// For all lists that were tested.
Result<std::vector<CanaryFitness>> load_canaries(storage::Database& database);
Result<void> save_canary(storage::Database& database, const CanaryFitness& fitness);

}  // namespace shelfd::mirror
