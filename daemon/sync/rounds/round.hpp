// One turn of a resource: a pass over the list, or a pass for each slice that is due.
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

// Lists by parent.
struct ListRound {
    std::vector<ListChoice> lists;       // in this order
    std::vector<std::string> parents;    // of all lists that there are
    Instant parents_as_of = {};          // of the table whose rows name them
    std::uint64_t gone = 0;              // rows that left before, with their parents
    bool whole = true;                   // else what changed in them
    bool good_elsewhere = false;         // one that is not among `lists` is known to be good
    mirror::Discovery discovery = {};    // what is known of the answers
    std::optional<Error> obstacle = {};  // why nothing can be asked for
};

struct Round {
    std::vector<PassPlan> passes;  // in this order, at least one; none for lists by parent
    RequestLine line = {};
    bool ordinary = true;                     // it is what the schedule wants; else what is done while nothing is due
    std::size_t keep_fresh = 0;               // of slices: the first so many make the table fresh as a whole
    bool keeps_up = true;                     // what is done then is up to date, so that this proves the whole table
    bool is_brief = false;                    // it ends behind the first pass of several pages: others wait for it
    std::optional<ListRound> by_parent = {};  // instead of `passes`
    budget::Tally spent = {};                 // on choosing these

    // Each pass is published by itself; the one with which all that keep the table fresh are done says what it is as
    // of.
    bool is_sliced() const { return !passes.empty() && passes.front().slice.has_value(); }
    // On getting ready for it.
    void add_spent(const budget::Tally& more) { (by_parent ? spent : passes.front().spent).add(more); }
    std::size_t size() const { return by_parent ? by_parent->lists.size() : passes.size(); }
    // As far as that can be known of a table with so many rows; of lists and windows, one each.
    std::uint64_t expected_requests(std::uint64_t rows, std::uint64_t page_size) const;
};

// Carries them out, one after the other, until one of them meets trouble; the first pages of those that come next are
// asked for meanwhile. The report is that of the last one, with the counts of all; proven if all are.
asio::awaitable<PassReport> run_round(LibraryContext& context, const config::Resource& resource, Round round,
                                      PassBoard& board, std::optional<Instant> late_at);

}  // namespace shelfd::sync
