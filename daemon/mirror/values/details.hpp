// The rows' own addresses as values: how far they are fetched, which are next, what they answered.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

// Where a row stands. The numbers are in the file.
enum class DetailRank {
    changed = 0,  // new in the list, or other than when its detail was fetched
    never = 1,    // there before anybody wanted details
    fetched = 2,  // asked for again in its turn, the longest ago first
    behind = 3,   // its address failed; not before the time in its line
    gone = 4,     // the service knows no detail of it; asked for again in its turn
};

// How far the details of a resource are.
struct DetailFacts {
    std::uint64_t rows = 0;  // of the list
    std::uint64_t changed = 0;
    std::uint64_t never = 0;
    std::uint64_t behind = 0;
    std::uint64_t gone = 0;
    std::uint64_t fetched = 0;           // rows whose detail is here, changed ones included
    std::uint64_t ready = 0;             // changed, never fetched, or behind and due
    std::uint64_t overdue = 0;           // fetched or gone, so long ago that they are due again
    std::optional<Instant> next_ready;   // when the first of those behind is due
    std::optional<Instant> last_asked;   // our clock, of those fetched or gone
    std::optional<Instant> first_asked;  // the same, the longest ago
    std::optional<Instant> oldest;       // the service's time when the oldest detail was fetched
    bool filled = false;                 // every row of a list that is here was asked for once
    std::string fault;                   // of the one that waits longest among those behind: "42: why"
    std::uint64_t pending() const { return changed + never + behind; }
    // Of the rows, those whose detail is here; a row that has none is no better off than one that was not asked for.
    double share() const
    {
        return rows > 0 ? static_cast<double>(fetched) / static_cast<double>(rows) : filled ? 1 : 0;
    }
};

// So many of those that are ready, then so many of those fetched before.
struct DetailShare {
    std::size_t ready = 0;
    std::size_t again = 0;
    // Instead of these one that stands so far from the first key, in [0, 1), among those whose address did not fail;
    // one of the others that is due where there is none.
    std::optional<double> sample = {};
};

struct DetailItem {
    std::string key;           // JSON text
    std::string address = {};  // the row's own address as the list says it; "" where it says none
    DetailRank rank = DetailRank::never;
    std::uint32_t tries = 0;  // that failed in a row
    bool has_detail = false;  // it was fetched before, and is in the mirror
};

// What became of one request for a row by itself.
struct DetailAnswer {
    enum class Kind {
        item,    // `body` is the item
        gone,    // the service says that there is none: its detail goes, the row is the list's matter
        failed,  // neither; `why`
    };
    std::string key = {};  // JSON text, as DetailItem
    Kind kind = Kind::item;
    std::string body = {};
    Instant asked = {};       // our clock
    Instant fetched_at = {};  // the service's time
    Instant retry_at = {};    // not before, where it failed or proves not to be readable
    std::string why = {};     // for people, one sentence
};

// What becomes of a batch that shows readers what they do not see now.
enum class NewRows {
    published,
    withheld,  // the whole batch is: nobody said yet whose it is
};

// All batches of one run make one line of `_runs`.
struct DetailRun {
    std::string run_id = {};
    Instant started = {};
    std::uint64_t requests = 0;  // of this batch
    bool keeps_up = true;        // false: the table is late from now on, whatever its age
    NewRows new_rows = NewRows::published;
};

struct DetailFault {
    std::string key;
    std::string why;
};

struct DetailOutcome {
    std::uint64_t added = 0;
    std::uint64_t changed = 0;
    std::uint64_t unchanged = 0;
    std::uint64_t removed = 0;            // details of rows that the service has not any more
    std::uint64_t unlisted = 0;           // answers that came after their row had left the list
    std::vector<DetailFault> unreadable;  // among the items: postponed
    bool withheld = false;                // nothing of it was published
};

}  // namespace shelfd::mirror
