#include "control/server/wire.hpp"

#include "control/api/reply_json.hpp"
#include "control/server/wiping_allocator.hpp"
#include "runtime/async/async_event.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <array>
#include <optional>
#include <utility>

#include <string.h>

namespace shelfd::control {
namespace {

namespace beast = boost::beast;
namespace wire_http = boost::beast::http;
using boost::system::error_code;

constexpr auto as_values = asio::as_tuple(asio::use_awaitable);

constexpr Duration body_limit = std::chrono::seconds(30);
constexpr Duration write_limit = std::chrono::seconds(30);
constexpr Duration discard_limit = std::chrono::seconds(5);
constexpr Duration max_look = std::chrono::hours(1);  // while nothing has a limit
constexpr std::uint32_t max_header = 16u << 10;
constexpr std::uint64_t max_discarded = 64u << 20;

using Body = wire_http::basic_string_body<char, std::char_traits<char>, WipingAllocator<char>>;
using Parser = wire_http::request_parser<Body>;
using Buffer = beast::basic_flat_buffer<WipingAllocator<char>>;

Call make_call(const Parser& parser, const Peer& peer)
{
    const auto& request = parser.get();
    const std::string_view target(request.target().data(), request.target().size());
    const auto question = target.find('?');
    Call call;
    call.method = std::string(request.method_string());
    call.path = target.substr(0, question);
    call.query = question == std::string_view::npos ? "" : target.substr(question + 1);
    call.body = Secret(std::string(request.body().data(), request.body().size()));
    const auto authorization = request[wire_http::field::authorization];
    call.authorization = Secret(std::string(authorization.data(), authorization.size()));
    call.peer = peer;
    return call;
}

// Gone if the client has only left; otherwise a reply that says what it did wrong.
std::variant<Wire::Request, Reply, Wire::Gone> explain(const error_code& failed, std::uint64_t max_body)
{
    if (failed == wire_http::error::body_limit) {
        auto reply = error_reply(
            Error(ErrorKind::usage, max_body == 0 ? "the request must not have a body"
                                                  : "the request is larger than 1 MiB; a token set has a few hundred "
                                                    "bytes"));
        reply.status = 413;
        return reply;
    }
    const auto& http_errors = make_error_code(wire_http::error::body_limit).category();
    if (failed.category() != http_errors || failed == wire_http::error::end_of_stream ||
        failed == wire_http::error::partial_message) {
        return Wire::Gone();
    }
    return error_reply(Error(ErrorKind::usage, "this is not an HTTP/1.1 request: " + failed.message()));
}

}  // namespace

struct Wire::Stream {
    Stream(StreamSocket socket_, Peer peer_, Clock& clock_, WireLimits limits_)
        : socket(std::move(socket_)), peer(std::move(peer_)), clock(clock_), limits(limits_),
          buffer(max_header + limits.body)
    {
    }

    // Returns the result of `operation`; `keep_limits` closes the socket if `limit` passes first.
    asio::awaitable<error_code> within(Duration limit, asio::awaitable<error_code> operation);

    asio::awaitable<error_code> read_header(Parser& parser);
    asio::awaitable<error_code> read_body(Parser& parser);
    asio::awaitable<error_code> read_request(Parser& parser);
    asio::awaitable<error_code> write_text(std::string_view text);
    asio::awaitable<error_code> write_reply(const Reply& reply, KeepAlive keep_alive);
    asio::awaitable<error_code> write_stream_header(const Reply& reply);
    asio::awaitable<error_code> write_chunk(const std::string& line);
    asio::awaitable<error_code> discard();

    StreamSocket socket;
    Peer peer;
    Clock& clock;
    const WireLimits limits;
    Buffer buffer;
    std::optional<BootTime> until;                  // of the operation under way
    BootTime next_look = BootTime::from_micros(0);  // of `keep_limits`
    AsyncEvent limits_changed;                      // a limit ends before the next look, or no more will come
};

asio::awaitable<error_code> Wire::Stream::within(Duration limit, asio::awaitable<error_code> operation)
{
    until = clock.boot_now() + limit;
    if (*until < next_look) {
        limits_changed.notify_all();
    }
    const auto failed = co_await std::move(operation);
    until.reset();
    co_return failed;
}

asio::awaitable<error_code> Wire::Stream::read_header(Parser& parser)
{
    const auto [failed, size] = co_await wire_http::async_read_header(socket, buffer, parser, as_values);
    co_return failed;
}

asio::awaitable<error_code> Wire::Stream::read_body(Parser& parser)
{
    const auto [failed, size] = co_await wire_http::async_read(socket, buffer, parser, as_values);
    co_return failed;
}

asio::awaitable<error_code> Wire::Stream::read_request(Parser& parser)
{
    parser.header_limit(max_header);
    parser.body_limit(limits.body);
    auto reading_header = within(limits.header, read_header(parser));
    if (const auto failed = co_await std::move(reading_header); failed) {
        co_return failed;
    }
    // Clients ask before they send a large body, and wait a second without an answer (RFC 9110 section 10.1.1).
    if (beast::iequals(parser.get()[wire_http::field::expect], "100-continue")) {
        auto answering = within(write_limit, write_text("HTTP/1.1 100 Continue\r\n\r\n"));
        if (const auto failed = co_await std::move(answering); failed) {
            co_return failed;
        }
    }
    auto reading_body = within(body_limit, read_body(parser));
    co_return co_await std::move(reading_body);
}

asio::awaitable<error_code> Wire::Stream::write_text(std::string_view text)
{
    const auto [failed, size] = co_await asio::async_write(socket, asio::buffer(text), as_values);
    co_return failed;
}

asio::awaitable<error_code> Wire::Stream::write_reply(const Reply& reply, KeepAlive keep_alive)
{
    wire_http::response<wire_http::span_body<const char>> response;
    response.result(static_cast<unsigned>(reply.status));
    response.set(wire_http::field::content_type, reply.content_type);
    response.set(wire_http::field::cache_control, "no-store");
    if (!reply.allow.empty()) {
        response.set(wire_http::field::allow, reply.allow);
    }
    if (!reply.challenge.empty()) {
        response.set(wire_http::field::www_authenticate, reply.challenge);
    }
    response.keep_alive(keep_alive == KeepAlive::yes);
    const auto text = reply.body.reveal();
    response.body() = {text.data(), text.size()};
    response.prepare_payload();
    const auto [failed, size] = co_await wire_http::async_write(socket, response, as_values);
    co_return failed;
}

asio::awaitable<error_code> Wire::Stream::write_stream_header(const Reply& reply)
{
    wire_http::response<wire_http::empty_body> response;
    response.set(wire_http::field::content_type, reply.content_type);
    response.set(wire_http::field::cache_control, "no-store");
    response.chunked(true);
    response.keep_alive(false);
    wire_http::response_serializer<wire_http::empty_body> serializer(response);
    const auto [failed, size] = co_await wire_http::async_write_header(socket, serializer, as_values);
    co_return failed;
}

asio::awaitable<error_code> Wire::Stream::write_chunk(const std::string& line)
{
    const auto chunk = wire_http::make_chunk(asio::buffer(line));
    const auto [failed, size] = co_await asio::async_write(socket, chunk, as_values);
    co_return failed;
}

asio::awaitable<error_code> Wire::Stream::discard()
{
    error_code failed;
    socket.shutdown(StreamSocket::shutdown_send, failed);
    std::array<char, 16 << 10> waste{};
    for (std::uint64_t total = 0; !failed && total < max_discarded;) {
        const auto [ended, size] = co_await socket.async_read_some(asio::buffer(waste), as_values);
        failed = ended;
        total += size;
    }
    explicit_bzero(waste.data(), waste.size());
    co_return failed;
}

Wire::Wire(StreamSocket socket, Peer peer, Clock& clock, WireLimits limits)
    : stream_(std::make_unique<Stream>(std::move(socket), std::move(peer), clock, limits))
{
}

Wire::~Wire() = default;

asio::awaitable<std::variant<Wire::Request, Reply, Wire::Gone>> Wire::read()
{
    Parser parser;
    auto reading = stream_->read_request(parser);
    if (const auto failed = co_await std::move(reading); failed) {
        co_return explain(failed, stream_->limits.body);
    }
    Request request{make_call(parser, stream_->peer), parser.get().keep_alive() ? KeepAlive::yes : KeepAlive::no};
    co_return std::move(request);
}

asio::awaitable<bool> Wire::send(const Reply& reply, KeepAlive keep_alive)
{
    auto sending = stream_->within(write_limit, stream_->write_reply(reply, keep_alive));
    co_return !(co_await std::move(sending));
}

asio::awaitable<bool> Wire::open_stream(const Reply& reply)
{
    auto sending = stream_->within(write_limit, stream_->write_stream_header(reply));
    co_return !(co_await std::move(sending));
}

asio::awaitable<bool> Wire::send_line(std::string line)
{
    line += '\n';
    auto sending = stream_->within(write_limit, stream_->write_chunk(line));
    co_return !(co_await std::move(sending));
}

asio::awaitable<bool> Wire::finish_stream()
{
    auto sending = stream_->within(write_limit, stream_->write_text("0\r\n\r\n"));
    co_return !(co_await std::move(sending));
}

asio::awaitable<void> Wire::watch_for_end()
{
    std::array<char, 256> waste{};
    for (;;) {
        const auto [failed, size] = co_await stream_->socket.async_read_some(asio::buffer(waste), as_values);
        if (failed) {
            co_return;
        }
    }
}

asio::awaitable<void> Wire::discard_input()
{
    auto discarding = stream_->within(discard_limit, stream_->discard());
    co_await std::move(discarding);
}

// One timer for the connection, not for each operation: operations are many and rarely late.
asio::awaitable<void> Wire::keep_limits()
{
    auto& stream = *stream_;
    while (stream.socket.is_open()) {
        const auto now = stream.clock.boot_now();
        if (stream.until && *stream.until <= now) {
            close();
            break;
        }
        stream.next_look = stream.until.value_or(now + max_look);
        auto waiting = stream.clock.wait_until(stream.next_look, stream.limits_changed);
        co_await std::move(waiting);
    }
}

void Wire::close()
{
    error_code ignored;
    stream_->socket.close(ignored);
    stream_->limits_changed.notify_all();
}

bool Wire::is_closed() const
{
    return !stream_->socket.is_open();
}

const Peer& Wire::peer() const
{
    return stream_->peer;
}

}  // namespace shelfd::control
