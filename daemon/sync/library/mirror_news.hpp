// Reports what happened to a mirror's file between two passes: to the log, and to the tables that must be filled again.
#pragma once

#include "sync/library/context.hpp"

#include <boost/asio/awaitable.hpp>

namespace shelfd::sync {

// No effect without news. If the mirror was created anew, every table gets a pass now.
asio::awaitable<void> log_mirror_news(LibraryContext& context);

}  // namespace shelfd::sync
