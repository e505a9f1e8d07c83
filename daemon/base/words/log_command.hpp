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

// The unit of the daemon with its socket there: a further instance, shelfd@NAME, has its socket in /run/shelfd-NAME.
inline std::string unit_of(std::string_view socket)
{
    constexpr std::string_view before = "/run/shelfd-";
    const auto end = socket.find('/', before.size());
    const bool is_instance = socket.starts_with(before) && end != std::string_view::npos && end > before.size();
    return is_instance ? "shelfd@" + std::string(socket.substr(before.size(), end - before.size())) : "shelfd";
}

// Of the daemon with its socket there.
inline std::string journal_command(std::string_view socket)
{
    return is_of_user(socket) ? "journalctl --user -u shelfd" : "journalctl -u " + unit_of(socket);
}

}  // namespace shelfd
