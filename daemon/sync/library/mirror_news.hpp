// What befell a mirror's file between two passes, told to the log and to the tables that are empty for it.
#pragma once

#include "sync/library/context.hpp"

#include <boost/asio/awaitable.hpp>

namespace shelfd::sync {

// Nothing where there is none. Every table of a mirror that began anew gets a pass now.
asio::awaitable<void> log_mirror_news(LibraryContext& context);

}  // namespace shelfd::sync
