#include "control/connection.hpp"

#include "control/line_queue.hpp"
#include "control/reply_json.hpp"
#include "control/wiping_allocator.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <utility>

namespace shelfd::control {
namespace {

namespace beast = boost::beast;
namespace wire_http = boost::beast::http;
using namespace asio::experimental::awaitable_operators;
using boost::system::error_code;

constexpr auto waiting = asio::as_tuple(asio::use_awaitable);

constexpr Duration header_limit = std::chrono::seconds(30);  // an idle connection, too
constexpr Duration body_limit = std::chrono::seconds(30);
constexpr Duration write_limit = std::chrono::seconds(30);
constexpr Duration drain_limit = std::chrono::seconds(5);
constexpr Duration heartbeat = std::chrono::seconds(10);
constexpr std::uint64_t largest_body = 1u << 20;  // bytes; a token set has a few hundred
constexpr std::uint32_t largest_header = 16u << 10;
constexpr std::uint64_t largest_drain = 64u << 20;

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
    call.peer = peer;
    return call;
}

Reply broken_request(const error_code& failed)
{
    if (failed == wire_http::error::body_limit) {
        auto reply = error_reply(Error(ErrorKind::usage, "the request is larger than 1 MiB; a token set has a few "
                                                         "hundred bytes, so this is none"));
        reply.status = 413;
        return reply;
    }
    return error_reply(Error(ErrorKind::usage, "this is no HTTP/1.1 request: " + failed.message()));
}

// Whether the client is worth an answer: it sent something, and it was wrong.
bool is_complaint(const error_code& failed)
{
    return failed.category() == make_error_code(wire_http::error::body_limit).category() &&
           failed != wire_http::error::end_of_stream && failed != wire_http::error::partial_message;
}

}  // namespace

class Connection::Wire {
public:
    Wire(asio::local::stream_protocol::socket socket, Peer peer, const Api& api, Clock& clock)
        : socket_(std::move(socket)), peer_(std::move(peer)), api_(api), clock_(clock)
    {
    }

    asio::awaitable<void> serve();
    void close();
    const Peer& peer() const { return peer_; }

private:
    // What `operation` says, or operation_aborted when `limit` is over first; the socket is closed then.
    asio::awaitable<error_code> within(Duration limit, asio::awaitable<error_code> operation);
    asio::awaitable<void> close_after(Duration limit);

    asio::awaitable<error_code> read_header(Parser& parser);
    asio::awaitable<error_code> read_body(Parser& parser);
    asio::awaitable<error_code> say_continue();
    asio::awaitable<error_code> read_request(Parser& parser);
    asio::awaitable<error_code> discard_input();

    asio::awaitable<error_code> send(const Reply& reply, bool keep_alive);
    asio::awaitable<error_code> send_stream_header(const Reply& reply);
    asio::awaitable<error_code> send_line(std::string line);
    asio::awaitable<error_code> send_last_chunk();
    asio::awaitable<void> produce(const Reply& reply, LineQueue& lines);
    asio::awaitable<void> beat(LineQueue& lines);
    asio::awaitable<void> deliver(LineQueue& lines);
    asio::awaitable<void> watch_for_end();
    asio::awaitable<void> stream(const Reply& reply);

    asio::local::stream_protocol::socket socket_;
    Peer peer_;
    const Api& api_;
    Clock& clock_;
    Buffer buffer_{largest_header + largest_body};
};

void Connection::Wire::close()
{
    error_code ignored;
    socket_.close(ignored);
}

asio::awaitable<void> Connection::Wire::close_after(Duration limit)
{
    co_await clock_.sleep_for(limit);
    close();
}

asio::awaitable<error_code> Connection::Wire::within(Duration limit, asio::awaitable<error_code> operation)
{
    auto closing = close_after(limit);
    const auto outcome = co_await (std::move(operation) || std::move(closing));
    co_return outcome.index() == 0 ? std::get<0>(outcome) : error_code(asio::error::operation_aborted);
}

asio::awaitable<error_code> Connection::Wire::read_header(Parser& parser)
{
    const auto [failed, size] = co_await wire_http::async_read_header(socket_, buffer_, parser, waiting);
    co_return failed;
}

asio::awaitable<error_code> Connection::Wire::read_body(Parser& parser)
{
    const auto [failed, size] = co_await wire_http::async_read(socket_, buffer_, parser, waiting);
    co_return failed;
}

// Clients ask before they send a large body and wait a second when nobody answers (RFC 9110 section 10.1.1).
asio::awaitable<error_code> Connection::Wire::say_continue()
{
    constexpr std::string_view answer = "HTTP/1.1 100 Continue\r\n\r\n";
    const auto [failed, size] = co_await asio::async_write(socket_, asio::buffer(answer), waiting);
    co_return failed;
}

asio::awaitable<error_code> Connection::Wire::read_request(Parser& parser)
{
    parser.header_limit(largest_header);
    parser.body_limit(largest_body);
    auto reading_header = within(header_limit, read_header(parser));
    if (const auto failed = co_await std::move(reading_header); failed) {
        co_return failed;
    }
    if (beast::iequals(parser.get()[wire_http::field::expect], "100-continue")) {
        auto answering = within(write_limit, say_continue());
        if (const auto failed = co_await std::move(answering); failed) {
            co_return failed;
        }
    }
    auto reading_body = within(body_limit, read_body(parser));
    co_return co_await std::move(reading_body);
}

// Reads what the client still sends: closing a socket with unread bytes resets it, and the client would see that
// instead of the answer.
asio::awaitable<error_code> Connection::Wire::discard_input()
{
    error_code failed;
    socket_.shutdown(asio::local::stream_protocol::socket::shutdown_send, failed);
    std::array<char, 16 << 10> waste{};
    for (std::uint64_t total = 0; !failed && total < largest_drain;) {
        const auto [ended, size] = co_await socket_.async_read_some(asio::buffer(waste), waiting);
        failed = ended;
        total += size;
    }
    explicit_bzero(waste.data(), waste.size());
    co_return failed;
}

asio::awaitable<error_code> Connection::Wire::send(const Reply& reply, bool keep_alive)
{
    wire_http::response<wire_http::span_body<const char>> response;
    response.result(static_cast<unsigned>(reply.status));
    response.set(wire_http::field::content_type, reply.content_type);
    response.set(wire_http::field::cache_control, "no-store");
    if (!reply.allow.empty()) {
        response.set(wire_http::field::allow, reply.allow);
    }
    response.keep_alive(keep_alive);
    const auto text = reply.body.reveal();
    response.body() = {text.data(), text.size()};
    response.prepare_payload();
    const auto [failed, size] = co_await wire_http::async_write(socket_, response, waiting);
    co_return failed;
}

asio::awaitable<error_code> Connection::Wire::send_stream_header(const Reply& reply)
{
    wire_http::response<wire_http::empty_body> response;
    response.set(wire_http::field::content_type, reply.content_type);
    response.set(wire_http::field::cache_control, "no-store");
    response.chunked(true);
    response.keep_alive(false);
    wire_http::response_serializer<wire_http::empty_body> serializer(response);
    const auto [failed, size] = co_await wire_http::async_write_header(socket_, serializer, waiting);
    co_return failed;
}

asio::awaitable<error_code> Connection::Wire::send_line(std::string line)
{
    line += '\n';
    const auto chunk = wire_http::make_chunk(asio::buffer(line));
    const auto [failed, size] = co_await asio::async_write(socket_, chunk, waiting);
    co_return failed;
}

asio::awaitable<error_code> Connection::Wire::send_last_chunk()
{
    const auto last = wire_http::make_chunk_last();
    const auto [failed, size] = co_await asio::async_write(socket_, last, waiting);
    co_return failed;
}

asio::awaitable<void> Connection::Wire::beat(LineQueue& lines)
{
    for (;;) {
        co_await clock_.sleep_for(heartbeat);
        lines.push(alive_line(), Importance::droppable);
    }
}

asio::awaitable<void> Connection::Wire::produce(const Reply& reply, LineQueue& lines)
{
    LineSink sink = [&lines](std::string line, Importance importance) { lines.push(std::move(line), importance); };
    auto working = reply.stream(std::move(sink));
    auto beating = beat(lines);
    co_await (std::move(working) || std::move(beating));
    lines.close();
}

asio::awaitable<void> Connection::Wire::deliver(LineQueue& lines)
{
    for (;;) {
        auto line = co_await lines.next();
        auto sending = within(write_limit, line ? send_line(std::move(*line)) : send_last_chunk());
        if (const auto failed = co_await std::move(sending); failed) {
            close();  // ends watch_for_end, and with it the producer
            co_return;
        }
        if (!line) {
            co_return;
        }
    }
}

// A client that waits for lines has nothing more to say: whatever it sends is thrown away, its end is the end.
asio::awaitable<void> Connection::Wire::watch_for_end()
{
    std::array<char, 256> waste{};
    for (;;) {
        const auto [failed, size] = co_await socket_.async_read_some(asio::buffer(waste), waiting);
        if (failed) {
            co_return;
        }
    }
}

asio::awaitable<void> Connection::Wire::stream(const Reply& reply)
{
    auto opening = within(write_limit, send_stream_header(reply));
    if (const auto failed = co_await std::move(opening); failed) {
        co_return;
    }
    LineQueue lines(socket_.get_executor());
    auto working = produce(reply, lines);
    auto delivering = deliver(lines);
    auto watching = watch_for_end();
    co_await ((std::move(working) && std::move(delivering)) || std::move(watching));
}

asio::awaitable<void> Connection::Wire::serve()
{
    for (bool more = true; more && socket_.is_open();) {
        Parser parser;
        auto reading = read_request(parser);
        const auto failed = co_await std::move(reading);
        if (failed) {
            if (is_complaint(failed)) {
                const auto reply = broken_request(failed);
                auto sending = within(write_limit, send(reply, false));
                co_await std::move(sending);
                auto draining = within(drain_limit, discard_input());
                co_await std::move(draining);
            }
            break;
        }
        more = parser.get().keep_alive();
        auto answering = api_.answer(make_call(parser, peer_));
        const auto reply = co_await std::move(answering);
        if (reply.stream) {
            auto streaming = stream(reply);
            co_await std::move(streaming);
            break;
        }
        auto sending = within(write_limit, send(reply, more));
        more = !(co_await std::move(sending)) && more;
    }
    close();
}

Connection::Connection(asio::local::stream_protocol::socket socket, Peer peer, const Api& api, Clock& clock)
    : wire_(std::make_unique<Wire>(std::move(socket), std::move(peer), api, clock))
{
}

Connection::~Connection() = default;

asio::awaitable<void> Connection::serve()
{
    return wire_->serve();
}

void Connection::close()
{
    wire_->close();
}

const Peer& Connection::peer() const
{
    return wire_->peer();
}

}  // namespace shelfd::control
