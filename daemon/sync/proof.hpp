// Why a walk is known to be complete: from what moved while it went on.
#pragma once

#include <cstdint>
#include <optional>

namespace shelfd::sync {

enum class ProofKind {
    none,          // the walk may have missed a row: nothing may be deleted because of it
    single_page,   // the whole list in one answer
    newest_first,  // newest keys first, and page 1 afterwards shows that nothing was deleted meanwhile
    counted,       // as many distinct keys as the service counted before and after; a second walk must agree
};

struct Proof {
    ProofKind kind = ProofKind::none;
    // For people: "12 pages, 2301 distinct keys of 2301"
    bool complete() const { return kind != ProofKind::none; }
};

struct WalkFacts {
    std::uint32_t pages = 0;
    std::uint64_t count_first = 0;           // by the first page
    std::uint64_t count_last = 0;            // by the closing page; of a single page: the same
    std::uint64_t distinct_keys = 0;         // over all pages, the closing one included
    std::uint64_t above_newest = 0;          // keys of the closing page above the first page's highest
    bool closed = false;                     // the closing page arrived, or one page was all
    bool shrank = false;                     // a page past the end was met
    bool newest_first = false;               // asked for in that order
    bool descending = true;                  // and it was obeyed: integer keys fall all the way
    std::optional<std::int64_t> newest_key;  // the first page's highest
};

// Pure. Sound under rows that come and go while the walk goes on: D, the rows deleted meanwhile, is what came
// (above_newest) less what the count grew. Distinct keys equal to the count alone prove nothing: a row deleted and
// one added in mid-walk leave both right and a live row unseen.
Proof prove(const WalkFacts& walk);

const char* to_string(ProofKind kind);

}  // namespace shelfd::sync
