#include "control/server/admission.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::control {
namespace {

constexpr std::size_t max_of_lookers = 192;
constexpr std::size_t max_of_groups = 256;
constexpr std::size_t max_with_our_own = 320;
// Per user: connections that may hold a stream, and all connections. The others get short answers, so that `status`
// works while a script waits for too many libraries, and the script gets an explanation.
constexpr std::size_t max_streams_of_user = 32;
constexpr std::size_t max_of_user = 64;
// However little room is left.
constexpr std::size_t min_of_user = 4;

std::size_t left(std::size_t most, std::size_t used)
{
    return most - std::min(most, used);
}

}  // namespace

Admission admit(const Peer& peer, Right right, uid_t own_uid, const Crowd& crowd)
{
    const bool is_ours = peer.uid == 0 || peer.uid == own_uid;
    auto room = left(is_ours ? max_with_our_own : max_of_groups, crowd.all);
    if (right == Right::look) {
        room = std::min(room, left(max_of_lookers, crowd.of_lookers));
    }
    if (room == 0) {
        return {Admission::Kind::none, fmt::format("{} connections to the daemon are open, the limit for readers: "
                                                   "try again when some have ended",
                                                   crowd.all)};
    }
    const auto share = is_ours ? max_of_user : std::clamp(room / 2, min_of_user, max_of_user);
    if (crowd.of_user >= share) {
        return {Admission::Kind::none, fmt::format("{} connections of uid {} to the daemon are open, the limit for one "
                                                   "user: try again when one has ended",
                                                   crowd.of_user, peer.uid)};
    }
    if (crowd.of_user >= max_streams_of_user) {
        return {Admission::Kind::short_answers,
                fmt::format("{} connections of uid {} to the daemon are open, the most that one user may use for sync, "
                            "wait or verify: try again when one has ended",
                            crowd.of_user, peer.uid)};
    }
    return {};
}

}  // namespace shelfd::control
