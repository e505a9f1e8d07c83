// A round: what a resource fetches at its turn, one pass over the list or a pass for each slice that is due.
#pragma once

#include "mirror/records/discovery.hpp"
#include "sync/library/context.hpp"
#include "sync/library/progress.hpp"
#include "sync/pass/page_fetcher.hpp"
#include "sync/pass/pass_report.hpp"
#include "sync/plan/list_plan.hpp"
#include "sync/plan/pass_plan.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {

// The lists of a round over lists by parent, see Round::by_parent.
struct ListRound {
    std::vector<ListChoice> lists;       // in this order
    std::vector<std::string> parents;    // of all existing lists
    Instant parents_as_of = {};          // of the table whose rows name them
    std::uint64_t gone = 0;              // rows removed before the round, with their parents
    bool whole = true;                   // false: only their changes
    bool proves_at_once = false;         // a person waits: a list whose walk proved nothing is walked again at once
    bool good_elsewhere = false;         // a list that is not among `lists` is known to work
    mirror::Discovery discovery = {};    // what is known of the answers
    std::optional<Error> obstacle = {};  // why no request is possible
};

struct Round {
    std::vector<PassPlan> passes;  // in this order, at least one; none for lists by parent
    RequestLine line = {};
    bool ordinary = true;                     // made for the schedule; false: made while nothing is due
    std::size_t keep_fresh = 0;               // for slices: after this many passes the whole table is fresh
    bool keeps_up = true;                     // other slices are up to date: this proves the whole table
    bool is_brief = false;                    // ends after the first pass of several pages: others wait for it
    std::optional<ListRound> by_parent = {};  // instead of `passes`
    budget::Tally spent = {};                 // on choosing the lists

    // Each pass is published separately; the last of `keep_fresh` sets `as_of` of the table.
    bool is_sliced() const { return !passes.empty() && passes.front().slice.has_value(); }
    // Adds what was spent on preparing the round.
    void add_spent(const budget::Tally& more) { (by_parent ? spent : passes.front().spent).add(more); }
    std::size_t size() const { return by_parent ? by_parent->lists.size() : passes.size(); }
    // An estimate for a table with so many rows; one request for each list or window.
    std::uint64_t expected_requests(std::uint64_t rows, std::uint64_t page_size) const;
};

// Makes the passes in order until one meets trouble; the first pages of the next ones are requested meanwhile. The
// report is that of the last pass with the counts of all; proven if all are.
asio::awaitable<PassReport> run_round(LibraryContext& context, const config::Resource& resource, Round round,
                                      PassBoard& board, std::optional<Instant> late_at);

}  // namespace shelfd::sync
