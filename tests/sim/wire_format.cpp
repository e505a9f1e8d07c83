#include "sim/wire_format.hpp"

#include "support/http_date.hpp"

#include <fmt/format.h>

namespace shelfd::sim {

namespace {

std::string in_chunks(std::string_view body)
{
    constexpr std::size_t chunk_size = 8192;
    std::string out;
    while (!body.empty()) {
        const auto chunk = body.substr(0, chunk_size);
        out += fmt::format("{:x}\r\n{}\r\n", chunk.size(), chunk);
        body.remove_prefix(chunk.size());
    }
    return out + "0\r\n\r\n";
}

}  // namespace

WireReply to_wire(const Reply& reply, const WireFormat& format)
{
    WireReply wire;
    wire.head = fmt::format("HTTP/1.1 {} {}\r\nServer: nginx/1.22.1\r\nDate: {}\r\n", reply.status,
                            reason_of(reply.status), http_date(format.now));
    if (!reply.content_type.empty()) {
        wire.head += fmt::format("Content-Type: {}\r\n", reply.content_type);
    }
    if (format.framing == BodyFraming::chunked) {
        wire.head += "Transfer-Encoding: chunked\r\n";
    } else {
        wire.head += fmt::format("Content-Length: {}\r\n", reply.body.size());
    }
    wire.head += fmt::format("Connection: {}\r\n", format.keep_alive ? "keep-alive" : "close");
    for (const auto& header : reply.headers) {
        wire.head += fmt::format("{}: {}\r\n", header.name, header.value);
    }
    wire.head += "\r\n";
    if (!format.without_body) {
        wire.body = format.framing == BodyFraming::chunked ? in_chunks(reply.body) : reply.body;
    }
    return wire;
}

}  // namespace shelfd::sim
