// Requests changes again that a full walk found, if their dates do not show whether the filter left them out.
#pragma once

#include "budget/tally.hpp"
#include "mirror/records/discovery.hpp"
#include "sync/library/context.hpp"
#include "sync/plan/unbrought.hpp"
#include "sync/service/page_answer.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <vector>

namespace shelfd::sync {

// Loop only. Requests the changes that an incremental pass just before the earliest of `rows` would have requested.
// Returns the first of `rows`, all of one list, that a complete answer lacks; empty if it has them all, is too long, or
// does not show its end. A few requests at most, added to `spent`.
asio::awaitable<std::optional<UnsureChange>> find_left_out(LibraryContext& context, const config::Resource& resource,
                                                           const mirror::Discovery& discovery,
                                                           std::vector<UnsureChange> rows, budget::Tally& spent);

// Loop only. Requests such a row by its own address: it may have been deleted before the filter was tested. Unclear if
// it has no address. One request at most.
asio::awaitable<RowAnswer> ask_for_row(LibraryContext& context, const config::Resource& resource,
                                       const UnsureChange& row, budget::Tally& spent);

}  // namespace shelfd::sync
