// The status of one table, as its worker knows it.
#pragma once

#include "base/boxed.hpp"
#include "mirror/mirror.hpp"
#include "sync/library/progress.hpp"
#include "sync/pass/pass_report.hpp"
#include "sync/worker/table_trouble.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace shelfd::sync {

// What the rounds of a table have published since the daemon started.
struct PublishedRounds {
    std::uint64_t rounds = 0;
    std::uint64_t added = 0;
    std::uint64_t changed = 0;
    std::uint64_t deleted = 0;

    void add(const mirror::PublishOutcome& round)
    {
        ++rounds;
        added += round.added;
        changed += round.changed;
        deleted += round.deleted;
    }
};

struct ResourceReport : TableTrouble {
    mirror::ResourceSummary summary;  // read from the mirror after the last pass
    std::optional<Instant> next_due;
    bool queued = false;  // a pass is due and waits for its turn
    Progress progress;
    Boxed<PassReport> last_pass;
    std::uint64_t passes_ended = 0;
    std::uint64_t passes_failed = 0;
    std::uint64_t requests = 0;
    PublishedRounds published;                        // since `published_since`
    std::vector<mirror::RunCounts> published_before;  // lately, the newest first
    Instant published_since;
};

}  // namespace shelfd::sync
