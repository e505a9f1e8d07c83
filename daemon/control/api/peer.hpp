// The user at the other end of the control socket, and that user's rights.
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
    std::vector<gid_t> groups;  // primary and supplementary, at the time of connect(2)
};

// Uses SO_PEERCRED and SO_PEERGROUPS (Linux 4.13): the credentials that the kernel recorded at connect(2).
Result<Peer> read_peer(int socket);

enum class Right { none, look, act };

struct Rights {
    uid_t own_uid = 0;  // the daemon's
    std::optional<gid_t> readers;
    std::optional<gid_t> admins;

    Right of(const Peer& peer) const;
};

// Returns the number of a group, empty if no group has that name. Blocks: asks the name service. Errors: storage, if
// the name service fails.
Result<std::optional<gid_t>> find_group(const std::string& name);

}  // namespace shelfd::control
