// Who is at the other end of the control socket, and what that person may do.
#pragma once

#include "base/result.hpp"

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace shelfd::control {

struct Peer {
    uid_t uid = 0;
    pid_t pid = 0;
    std::vector<gid_t> groups;  // primary and supplementary, as they were when the socket was connected
};

// By SO_PEERCRED and SO_PEERGROUPS (Linux 4.13): the credentials that the kernel took at connect(2).
Result<Peer> read_peer(int socket);

enum class Right { none, look, act };

struct Rights {
    uid_t own_uid = 0;  // the daemon's
    std::optional<gid_t> readers;
    std::optional<gid_t> admins;

    Right of(const Peer& peer) const;
};

// The number of a group, empty when there is none of that name. Asks the name service: blocks.
// Errors: storage, when that cannot be asked.
Result<std::optional<gid_t>> find_group(const std::string& name);

}  // namespace shelfd::control
