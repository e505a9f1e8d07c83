// Why a walk is known to be complete: from what moved while it went on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::sync {

enum class ProofKind {
    none,          // the walk may have missed a row: nothing may be deleted because of it
    single_page,   // the whole list in one answer
    newest_first,  // newest keys first, and page 1 afterwards shows that nothing was deleted meanwhile
    chain,         // a cursor list, followed to its end by cursors that hold nothing but the key of the last row read
    two_walks,     // this walk and the one before it met the same keys, and nothing can have been passed over since
};

struct Proof {
    ProofKind kind = ProofKind::none;
    bool complete() const { return kind != ProofKind::none; }
};

struct WalkFacts {
    std::uint32_t pages = 0;
    std::optional<std::uint64_t> count_first;  // by the first page, where the service counts
    std::optional<std::uint64_t> count_last;   // by the closing page, or the last one where there is none
    std::optional<std::uint64_t> count_least;  // of all pages, the closing one included
    std::optional<std::uint64_t> count_most;
    std::uint64_t distinct_keys = 0;         // the same
    std::uint64_t repeated = 0;              // rows that a page brought again, behind another one
    std::uint64_t entered = 0;               // rows that came from elsewhere, not as new ones: out of another window,
                                             // or into what changed since an instant, while it was asked for
    std::uint64_t fresh = 0;                 // rows that the table did not have, or not as they came
    std::uint64_t above_newest = 0;          // keys of the closing page above the first page's highest
    bool closed = false;                     // the list was followed to its end, and to the closing page if one was due
    bool is_chain = false;                   // a cursor list: where a page begins depends on rows, not on their number
    bool by_key = true;                      // of a chain: each cursor is the key of the last row before it, and keys
                                             // rise or fall all the way
    bool shrank = false;                     // a page past the end was met
    bool is_cut = false;                     // the service has more, and does not give it
    bool newest_first = false;               // asked for in that order
    bool descending = true;                  // and it was obeyed: integer keys fall all the way
    std::optional<std::int64_t> newest_key;  // the first page's highest
    std::string key_set;                     // digest of the keys met
    std::string previous_key_set;            // of the walk before this one; "" = there was none, or it met rows twice
    bool repeats = false;  // that one proved nothing, and this one is made because of it: no day lies between

    // What comes, comes in at the top.
    bool is_newest_on_top() const { return newest_first && descending && newest_key.has_value(); }
    // Whether a closing look at page 1 can prove something: without a count nobody knows how many rows went.
    bool is_ordered() const { return is_newest_on_top() && count_first && !is_chain; }
};

// Pure. A closing page is due where the walk is ordered, and nowhere else. Sound under rows that come and go while the
// walk goes on: D, the rows deleted meanwhile, is what came (above_newest) less what the count grew. Distinct keys
// equal to the count alone prove nothing: a row deleted and one added in mid-walk leave both right and a live row
// unseen. Where rows may enter in the middle, a list of several pages that saw one do so proves nothing; nor does one
// whose count was ever below the first or above the last: a row that went and one that came back where nobody looks
// make up for each other in the end only.
//
// A cursor may hold anything. Django REST framework's holds a value of the row that the next page begins behind, and
// where several rows have that value, how many of these were read: one of them that goes, or changes its value, lets
// the next page begin a row too late. A list ordered by a time that changes moves rows over the reader, too. Only
// cursors that are keys rule that out: a key stays what it is, and no two rows have the same. Any other chain is proven
// by two walks made together that met the same rows, each of them once, and as they were: where one was passed over
// because another went, that one is not met again; where because another moved, that one has changed.
//
// Keys that an earlier walk met, too, were there all the time between. Where as many are counted on the first page and
// on every other one, they are therefore all that was there when this walk began, however old that walk is. Without a
// count, a row that came since may be passed over when one before it goes: unless such a row would be on top, where the
// first page shows it, the walk before must be the one that this one repeats: what was there when that one began is
// then here, and what came while the two went on may lack. And no row may have been met twice, for one that came and
// went behind the walk pushes others to and fro. (All of it for rows that do not come back once they went; for how
// often those that do deceive, see the random walks of proof_test.)
Proof prove(const WalkFacts& walk);

const char* to_string(ProofKind kind);

}  // namespace shelfd::sync
