// One request, one response: the interface to the network.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/body_room.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::http {

namespace asio = boost::asio;

enum class Method { get, post, options };

struct Header {
    std::string name;
    std::string value;
};

// Whether a request may use connections that are already open.
enum class Connection {
    shared,    // GETs: may reuse an idle connection
    one_shot,  // a new connection, closed afterwards, and a body that can be read once: the request is sent at most
               // once
};

struct Timeouts {
    Duration connect = std::chrono::seconds(10);  // name resolution, TCP and TLS
    Duration idle = std::chrono::seconds(60);     // no byte in either direction
    Duration total = std::chrono::minutes(10);    // the whole request, including waits
};

// Whether a body is kept that `on_piece` has received.
enum class Keeping {
    all,       // it is also in the response, and limited to `max_body`
    refusals,  // the body of a 200 is neither kept nor limited, so it may be endless; any other as above
};

// What becomes of a body's content coding (RFC 9110 section 8.4), and whether its Content-Length is relied on.
enum class Coding {
    undone,   // gzip may be requested; a body not in the coding that its header names is an error; the length counts
    as_sent,  // the body is passed on as it came: nothing of it is lost if one of these headers is wrong
};

// How requests reach a service, and which certificates they trust.
struct Route {
    std::string proxy;        // "" = none, even if the environment names one
    std::string ca_file;      // "" = the system's certificates
    std::string unix_socket;  // "" = TCP; otherwise the path of the socket to connect to
};

struct Request {
    Method method = Method::get;
    std::string url;
    std::vector<Header> headers;                                      // must not hold secrets
    std::optional<Secret> bearer;                                     // becomes Authorization: Bearer …
    std::optional<std::pair<std::string, Secret>> basic;              // becomes Authorization: Basic …
    std::vector<std::pair<std::string, Secret>> secret_headers = {};  // by name
    Secret body;                                                      // POST only; sent with Content-Length
    Connection connection = Connection::shared;
    Timeouts timeouts;
    Route route;
    std::uint64_t max_body =
        64u << 20;  // bytes, of Coding::undone after decoding; a larger body is an error of kind protocol
    std::shared_ptr<BodyRoom> room;  // of a large body of Coding::undone; null = unlimited
    // Receives each piece of a body as it arrives, for every status; runs on the loop and must not block for long.
    std::function<void(std::string_view piece)> on_piece;
    Keeping keeping = Keeping::all;
    Coding coding = Coding::undone;
    // Called once, when the status line and headers are complete.
    std::function<void(int status)> on_headers;
};

// The value of the first header of that name, ignoring case; "" if it is absent.
std::string_view value_of(std::span<const Header> headers, std::string_view name);

struct Response {
    int status = 0;
    std::vector<Header> headers;
    std::string body;                             // decoded, without a byte order mark
    std::shared_ptr<BodyRoom::Share> share = {};  // of Request::room; drop it with the body
    std::uint32_t requests_sent = 1;  // more than 1 when the library repeated a GET by itself on a dead connection

    std::string_view header(std::string_view name) const { return value_of(headers, name); }
    // All headers of that name as one list (RFC 9110 section 5.3): "Basic realm=x, Bearer realm=y".
    std::string joined(std::string_view name) const;
};

// Any complete HTTP answer is a Response, whatever its status; redirects are not followed.
// Errors: network, timeout, protocol (too large), each with `delivery` set; usage for an invalid address or header, of
// which nothing was sent.
// Cancelling the coroutine removes the request immediately. Loop only; any number of requests may run at once.
class Client {
public:
    virtual ~Client() = default;
    virtual asio::awaitable<Result<Response>> send(Request request) = 0;
};

// The wait of a Retry-After header (RFC 9110 section 10.2.3) or of its variants in milliseconds; a date is measured
// from the answer's own Date (otherwise from `now`). From 0 to a day; empty when absent or unreadable.
std::optional<Duration> retry_after(const Response& response, Instant now);

// The service's clock: the Date header; empty for an impossible one (year 1, year 9999).
std::optional<Instant> service_date(const Response& response);
// The same for calculations: also empty if it differs from our clock, `now`, by a year or more. One of the two is wrong
// then: a cached answer, or a clock that was never set.
std::optional<Instant> service_date_near(const Response& response, Instant now);

}  // namespace shelfd::http
