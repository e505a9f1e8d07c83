#include "control/api/peer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/socket.h>

namespace shelfd::control {
namespace {

Error unreadable(const char* option)
{
    return Error(ErrorKind::permission,
                 fmt::format("the kernel does not identify the peer ({}: {})", option, std::strerror(errno)))
        .with_errno(errno);
}

// A peer may have up to 65536 groups; the kernel returns the number if the buffer is too small.
Result<std::vector<gid_t>> read_groups(int socket)
{
    std::vector<gid_t> groups(32);
    for (;;) {
        auto size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
        if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) == 0) {
            groups.resize(size / sizeof(gid_t));
            return groups;
        }
        if (errno != ERANGE || size <= groups.size() * sizeof(gid_t)) {
            return unreadable("SO_PEERGROUPS");
        }
        groups.resize(size / sizeof(gid_t));
    }
}

}  // namespace

Result<Peer> read_peer(int socket)
{
    ucred credentials{};
    socklen_t size = sizeof(credentials);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
        return unreadable("SO_PEERCRED");
    }
    SHELFD_TRY_ASSIGN(groups, read_groups(socket));
    groups.push_back(credentials.gid);  // the primary group need not be among the supplementary ones
    return Peer{credentials.uid, credentials.pid, std::move(groups)};
}

Right Rights::of(const Peer& peer) const
{
    const auto is_in = [&](const std::optional<gid_t>& group) {
        return group && std::find(peer.groups.begin(), peer.groups.end(), *group) != peer.groups.end();
    };
    if (peer.uid == 0 || peer.uid == own_uid || is_in(admins)) {
        return Right::act;
    }
    return is_in(readers) ? Right::look : Right::none;
}

bool is_account_of(const Account& account, const Peer& peer)
{
    return account.kind == Account::Kind::user
               ? peer.uid == account.id
               : std::find(peer.groups.begin(), peer.groups.end(), account.id) != peer.groups.end();
}

}  // namespace shelfd::control
