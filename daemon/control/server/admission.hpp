// Who gets one more connection to the control socket, when many want one.
#pragma once

#include "control/api/peer.hpp"

#include <cstddef>
#include <string>

namespace shelfd::control {

// Connections that are open now.
struct Crowd {
    std::size_t all = 0;
    std::size_t of_lookers = 0;  // who may look and not act
    std::size_t of_user = 0;     // of the one who asks
};

struct Admission {
    enum class Kind {
        whole,          // may hold a stream
        short_answers,  // no streams: what waits is told `why`
        none,           // `why`, and the connection is closed
    };
    Kind kind = Kind::whole;
    std::string why;  // one sentence; "" for `whole`
};

// Pure. `peer` has rights: nobody else is asked about. One user gets at most half of the room that is left, those who
// only look leave room for those who act, and all leave some for root and the daemon's own user.
Admission admit(const Peer& peer, Right right, uid_t own_uid, const Crowd& crowd);

}  // namespace shelfd::control
