// Decides who gets a further connection to the control socket when many are open.
#pragma once

#include "control/api/peer.hpp"

#include <cstddef>
#include <string>

namespace shelfd::control {

// The connections that are open.
struct Crowd {
    std::size_t all = 0;
    std::size_t of_lookers = 0;  // users who may look and not act
    std::size_t of_user = 0;     // of the requesting user
};

struct Admission {
    enum class Kind {
        whole,          // may hold a stream
        short_answers,  // no streams; a request to wait is refused with `why`
        none,           // the connection is answered with `why` and closed
    };
    Kind kind = Kind::whole;
    std::string why;  // one sentence; "" for `whole`
};

// Pure. `peer` must have rights. One user gets at most half of the room that is left; those who only look leave room
// for those who act, and all leave some for root and the daemon's own user.
Admission admit(const Peer& peer, Right right, uid_t own_uid, const Crowd& crowd);

}  // namespace shelfd::control
