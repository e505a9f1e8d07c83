// Asks once more for changes that a walk over the whole list found, where their dates alone do not tell whether passes
// for changes should have brought them.
#pragma once

#include "budget/ledger.hpp"
#include "mirror/records/discovery.hpp"
#include "sync/library/context.hpp"
#include "sync/plan/unbrought.hpp"
#include "sync/service/page_answer.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <vector>

namespace shelfd::sync {

// Loop only. Asks the filter for what changed since then, as a pass for changes just before these rows changed would
// have done. The first of `rows`, all of one list, that a complete answer leaves out; nothing where it brings them all,
// or is too long or too unsure of its end to tell. At most a few requests, which `spent` gets.
asio::awaitable<std::optional<UnsureChange>> find_left_out(LibraryContext& context, const config::Resource& resource,
                                                           const mirror::Discovery& discovery,
                                                           std::vector<UnsureChange> rows, budget::Tally& spent);

// Loop only. What such a row's own address says of it: it may have been deleted before the filter was asked. Unclear
// where it has none. One request at most.
asio::awaitable<RowAnswer> ask_for_row(LibraryContext& context, const config::Resource& resource,
                                       const UnsureChange& row, budget::Tally& spent);

}  // namespace shelfd::sync
