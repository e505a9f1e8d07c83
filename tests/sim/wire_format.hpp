// A reply as bytes, with the headers that nginx puts on every answer.
#pragma once

#include "base/instant.hpp"
#include "sim/message.hpp"

#include <string>

namespace shelfd::sim {

enum class BodyFraming { length, chunked };

struct WireReply {
    std::string head;  // status line and headers, with the empty line
    std::string body;  // as it goes over the wire: framed when chunked, empty for HEAD
};

struct WireFormat {
    Instant now;
    bool keep_alive = true;
    bool without_body = false;  // HEAD: the length is told, the body kept
    BodyFraming framing = BodyFraming::length;
};

WireReply to_wire(const Reply& reply, const WireFormat& format);

}  // namespace shelfd::sim
