// Details (rows fetched by their own address) as values: how complete they are, which are next, their answers.
#pragma once

#include "base/instant.hpp"
#include "mirror/values/walk.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

// State of a row's detail. The numbers are stored.
enum class DetailRank {
    changed = 0,  // new in the list, or changed since its detail was fetched
    never = 1,    // listed before details were configured
    fetched = 2,  // fetched again in turn, oldest first
    behind = 3,   // its request failed; retried at the time in its line
    gone = 4,     // the service has no detail of it; requested again in turn
};

// How complete the details of a resource are.
struct DetailFacts {
    std::uint64_t rows = 0;  // in the list
    std::uint64_t changed = 0;
    std::uint64_t never = 0;
    std::uint64_t behind = 0;
    std::uint64_t gone = 0;
    std::uint64_t fetched = 0;           // rows that have a detail, including changed ones
    std::uint64_t ready = 0;             // changed, never fetched, or behind and due
    std::uint64_t overdue = 0;           // fetched or gone, and due again
    std::optional<Instant> next_ready;   // when the first of those behind is due
    std::optional<Instant> last_asked;   // our clock, the latest request of those fetched or gone
    std::optional<Instant> first_asked;  // the same, the earliest request
    std::optional<Instant> oldest;       // the service's time when the oldest detail was fetched
    bool filled = false;                 // each row of the list was requested once
    std::string fault;                   // of the row behind with the most failures: "42: why"
    std::uint64_t pending() const { return changed + never + behind; }
    // The share of rows that have a detail; a row without one counts as missing, whether it was requested or not.
    double share() const
    {
        return rows > 0 ? static_cast<double>(fetched) / static_cast<double>(rows) : filled ? 1 : 0;
    }
};

// How many details to fetch: `ready` new ones, then `again` fetched ones.
struct DetailShare {
    std::size_t ready = 0;
    std::size_t again = 0;
    // If set, one row instead, at this position in [0, 1) of the key order, among those whose address did not fail; if
    // there is none, another one that is due.
    std::optional<double> sample = {};
};

struct DetailItem {
    std::string key;           // JSON text
    std::string address = {};  // the row's own address as listed; "" = none
    DetailRank rank = DetailRank::never;
    std::uint32_t tries = 0;                 // consecutive failures
    bool has_detail = false;                 // a detail was fetched before, and is in the mirror
    std::optional<Instant> fetched_at = {};  // the service's time of that
};

// Result of the request for one row by its own address.
struct DetailAnswer {
    enum class Kind {
        item,    // `body` is the item
        gone,    // the service has none: its detail is deleted; the row is left to the list
        failed,  // neither; see `why`
    };
    std::string key = {};  // JSON text, as DetailItem
    Kind kind = Kind::item;
    std::string body = {};
    Instant asked = {};       // our clock
    Instant fetched_at = {};  // the service's time
    Instant retry_at = {};    // earliest retry, if it failed or turns out to be unreadable
    std::string why = {};     // one sentence for people
};

// What happens to a batch that would show readers new rows.
enum class NewRows {
    published,
    withheld,  // the whole batch: the library is not confirmed yet
};

// What happens to a batch whose rows would lose members, or of which many would change.
enum class Losing {
    withheld,  // the whole batch: nothing shows yet that the token works
    taken,
    spared,  // rows keep the members that the batch lacks
};

// All batches of one run share a row of `_runs`.
struct DetailRun {
    std::string run_id = {};
    Instant started = {};
    std::uint64_t requests = 0;  // of this batch
    bool keeps_up = true;        // false: the table is late from now on, whatever its age
    NewRows new_rows = NewRows::published;
    Losing losing = Losing::taken;
};

struct DetailFault {
    std::string key;
    std::string why;
};

struct DetailOutcome {
    std::uint64_t added = 0;
    std::uint64_t changed = 0;
    std::uint64_t unchanged = 0;
    std::uint64_t removed = 0;            // details of rows that the service no longer has
    std::uint64_t unlisted = 0;           // answers for rows that have left the list meanwhile
    std::vector<DetailFault> unreadable;  // among the items; postponed
    bool withheld = false;                // nothing was published
    ValueLoss loss = {};                  // why, if that is the reason
};

}  // namespace shelfd::mirror
