// How a person reads the log of a daemon.
#pragma once

#include <string>
#include <string_view>

namespace shelfd {

// Whether a daemon with its socket there, or in that directory, is one of a user without root: these have their socket
// in the user's runtime directory.
inline bool is_of_user(std::string_view socket)
{
    return socket.starts_with("/run/user/");
}

// Of the daemon with its socket there.
inline std::string journal_command(std::string_view socket)
{
    return is_of_user(socket) ? "journalctl --user -u shelfd" : "journalctl -u shelfd";
}

}  // namespace shelfd
