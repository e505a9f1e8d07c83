// One request, one response: the seam to the network.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::http {

namespace asio = boost::asio;

enum class Method { get, post };

struct Header {
    std::string name;
    std::string value;
};

// How far a request may rely on connections that are already there.
enum class Connection {
    shared,    // GETs: an idle connection may be used again
    one_shot,  // a new connection, closed afterwards, and a body that is handed out once: the request is sent at most
               // once
};

struct Timeouts {
    Duration connect = std::chrono::seconds(10);  // name resolution, TCP and TLS
    Duration idle = std::chrono::seconds(60);     // no byte in either direction
    Duration total = std::chrono::minutes(10);    // the whole request, waiting included
};

// What becomes of a body that `on_piece` has seen.
enum class Keeping {
    all,       // it is in the response, too, and may not be larger than `max_body`
    refusals,  // that of a 200 is neither kept nor counted, so that it may go on for ever; any other as above
};

// Where requests to a service go through and what they trust.
struct Route {
    std::string proxy;        // "" = none, whatever the environment says
    std::string ca_file;      // "" = the system's certificates
    std::string unix_socket;  // "" = TCP; else the path of the socket to speak to
};

struct Request {
    Method method = Method::get;
    std::string url;
    std::vector<Header> headers;                                      // nothing secret in here
    std::optional<Secret> bearer;                                     // becomes Authorization: Bearer …
    std::optional<std::pair<std::string, Secret>> basic;              // becomes Authorization: Basic …
    std::vector<std::pair<std::string, Secret>> secret_headers = {};  // by name
    Secret body;                                                      // POST only; sent with Content-Length
    Connection connection = Connection::shared;
    Timeouts timeouts;
    Route route;
    std::uint64_t max_body = 64u << 20;  // bytes after decoding; more is an error of kind protocol
    // Sees each piece of a body as it arrives, before anybody else does, whatever the status; on the loop, must not
    // block for long.
    std::function<void(std::string_view piece)> on_piece;
    Keeping keeping = Keeping::all;
    // Called once when the status line and headers are complete.
    std::function<void(int status)> on_headers;
};

// The value of the first header of that name, in any case of letters; "" when there is none.
std::string_view value_of(std::span<const Header> headers, std::string_view name);

struct Response {
    int status = 0;
    std::vector<Header> headers;
    std::string body;                 // decoded, without a byte order mark
    std::uint32_t requests_sent = 1;  // more than one when the library repeated a GET by itself on a dead connection

    std::string_view header(std::string_view name) const { return value_of(headers, name); }
    // All of that name as one list (RFC 9110 section 5.3): "Basic realm=x, Bearer realm=y".
    std::string joined(std::string_view name) const;
};

// Any complete HTTP answer is a Response, whatever its status; redirects are answers, not followed.
// Errors: network, timeout, protocol (too large), each with `delivery` set; usage for what cannot be a request (an
// address, a header), of which nothing was sent.
// Cancelling the coroutine removes the request at once. Loop only; requests may overlap freely.
class Client {
public:
    virtual ~Client() = default;
    virtual asio::awaitable<Result<Response>> send(Request request) = 0;
};

// Wait asked for by a Retry-After header (RFC 9110 section 10.2.3) or one of its kin that count milliseconds; a date is
// measured against the answer's own Date (else `now`). nothing when absent or unreadable; from 0 to a day.
std::optional<Duration> retry_after(const Response& response, Instant now);

// The service's own clock: the Date header; nothing for one that is beyond sense (year 1, year 9999).
std::optional<Instant> service_date(const Response& response);
// The same where it is to be gone by: nothing where it is a year and more away from our clock, `now`. One of the two is
// wrong then, and what a cache kept or nobody ever set is no time to reckon with.
std::optional<Instant> service_date_near(const Response& response, Instant now);

}  // namespace shelfd::http
