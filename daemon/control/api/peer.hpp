// The user at the other end of the control socket, and that user's rights.
#pragma once

#include "base/accounts/accounts.hpp"
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

// True for this user, and for members of this group.
bool is_account_of(const Account& account, const Peer& peer);

}  // namespace shelfd::control
