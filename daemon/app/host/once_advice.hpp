// What to type where a message names a command that needs a running daemon, and none runs (`--once`).
#pragma once

#include <string>
#include <string_view>

namespace shelfd::app {

// `shelfctl reload`, and `shelfctl sync` without `--full`, become another `shelfd --once`; for `shelfctl auth` the text
// says that it needs the daemon.
std::string advice_without_daemon(std::string_view text);

}  // namespace shelfd::app
