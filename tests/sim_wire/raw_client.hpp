// Bytes to the simulator and bytes back: nothing between a test and the wire.
#pragma once

#include "sim/server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::sim {

// One answer, taken apart no further than a test needs.
struct RawAnswer {
    std::string head;  // status line and headers, with the empty line; the value of Date is masked
    std::string body;

    int status() const;
    // "" when there is no such header.
    std::string header(std::string_view name) const;
    std::string bytes() const { return head + body; }
};

// One connection. Blocking; a fault of the network is an exception, which fails the test.
class RawClient {
public:
    explicit RawClient(const Server& server);

    void send(std::string_view bytes);
    // Reads one answer to the end that its Content-Length gives.
    RawAnswer receive();
    // For HEAD: the answer ends with its headers.
    RawAnswer receive_head();
    // Whatever comes until the other side ends the connection, by FIN or by RST.
    std::string receive_until_end();
    bool ended_by_reset() const { return reset_; }

private:
    std::string read_head();

    boost::asio::io_context loop_;
    boost::asio::ip::tcp::socket socket_;
    std::string buffer_;
    bool reset_ = false;
};

// A request with the Host "api.example.com" and whatever else is said: "Name: value" each.
std::string get(std::string_view target, const std::vector<std::string>& headers = {});
std::string request(std::string_view method, std::string_view target, const std::vector<std::string>& headers,
                    std::string_view body);
std::string post_form(std::string_view target, std::string_view form, const std::vector<std::string>& headers = {});
std::string bearer(std::string_view token);

// One request on a connection of its own.
RawAnswer answer_to(const Server& server, std::string_view request);

// What the wire must hold: status line, the headers of every answer, then `headers` in this order, then the body.
std::string expected(std::string_view status_line, std::string_view content_type, std::string_view body,
                     const std::vector<std::string>& headers = {});

// The member of a JSON text, as text.
std::string member(std::string_view json, std::string_view key);

}  // namespace shelfd::sim
