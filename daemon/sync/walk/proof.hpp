// Decides whether a walk is complete, from what moved during it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::sync {

enum class ProofKind {
    none,          // the walk may have missed a row: it must not delete any
    single_page,   // one answer holds the whole list
    newest_first,  // newest keys first, and page 1 fetched again shows that no row was deleted meanwhile
    chain,         // a cursor list, followed to its end by cursors that hold only the key of the last row read
    two_walks,     // this walk and the one before met the same keys, and no row can have been skipped since
};

struct Proof {
    ProofKind kind = ProofKind::none;
    bool complete() const { return kind != ProofKind::none; }
};

struct WalkFacts {
    std::uint32_t pages = 0;
    std::optional<std::uint64_t> count_first;  // of the first page, if the service counts
    std::optional<std::uint64_t> count_last;   // of the closing page, otherwise of the last one
    std::optional<std::uint64_t> count_least;  // lowest and highest of all pages, the closing one included
    std::optional<std::uint64_t> count_most;
    std::uint64_t distinct_keys = 0;         // likewise, of all pages
    std::uint64_t repeated = 0;              // rows that a later page brought again
    std::uint64_t entered = 0;               // rows that came from elsewhere, not as new ones: from another window, or
                                             // into a list of changes while it was read
    std::uint64_t fresh = 0;                 // rows that the table did not have, or had with other content
    std::uint64_t above_newest = 0;          // keys of the closing page above the highest key of the first page
    bool closed = false;                     // the walk reached the end, and the closing page if one was due
    bool is_chain = false;                   // a cursor list: a page begins at a row, not at a number of rows
    bool by_key = true;                      // for a chain: each cursor is the key of the last row before it, and keys
                                             // ascend or descend throughout
    bool shrank = false;                     // a page past the end was met
    bool is_cut = false;                     // the service has more rows and does not return them
    bool newest_first = false;               // this order was requested
    bool descending = true;                  // and obeyed: integer keys descend throughout
    std::optional<std::int64_t> newest_key;  // the highest key of the first page
    std::string key_set;                     // digest of the keys met
    std::string previous_key_set;            // of the previous walk; "" = there was none, or it met a row twice
    bool repeats = false;  // this walk repeats, without a day's delay, the previous one, which proved nothing

    // True if new rows appear at the top.
    bool is_newest_on_top() const { return newest_first && descending && newest_key.has_value(); }
    // True if fetching page 1 again can prove something: without a count, the number of deleted rows is unknown.
    bool is_ordered() const { return is_newest_on_top() && count_first && !is_chain; }
};

// Pure. A closing page is due if the walk is ordered, and only then. The result holds while rows are added and deleted
// during the walk: the number of rows deleted meanwhile is the number added (above_newest) minus the growth of the
// count. Distinct keys equal to the count prove nothing by themselves: if one row is deleted and another added during
// the walk, both numbers fit, and a live row may be missed. If rows can be inserted in the middle, a list of several
// pages in which one was proves nothing. Nor does a list whose count was ever below the first or above the last one: a
// deleted row and a reappeared one elsewhere cancel out only at the end.
//
// A cursor may hold anything. A cursor of Django REST framework holds a value of the row after which the next page
// begins and, if several rows have that value, how many of them were read. If one of these is deleted or changes its
// value, the next page begins a row too late. A list ordered by a time that changes also moves rows past the reader.
// Only cursors that are keys exclude both: a key does not change, and no two rows share one. Any other chain is proven
// by two walks made together that met the same rows, each once and unchanged: a row skipped because another was deleted
// shows as a key not met again, a row skipped because another moved shows as a changed row.
//
// Keys that an earlier walk met too existed all the time between. If the first and every other page count as many,
// these are therefore all rows that existed when this walk began, however old the earlier walk is. Without a count, a
// row added since may be skipped when a row before it is deleted. Unless such a row would be on top, where the first
// page shows it, the earlier walk must be the one that this walk repeats: then all rows that existed when the earlier
// one began are present, and rows added during the two may be missing. No row may have been met twice, because a row
// added and deleted behind the walk shifts others back and forth. (All this assumes that deleted rows do not come back;
// the random walks of proof_test measure how often such rows deceive.)
Proof prove(const WalkFacts& walk);

const char* to_string(ProofKind kind);

}  // namespace shelfd::sync
