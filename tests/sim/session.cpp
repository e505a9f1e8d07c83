#include "sim/session.hpp"

#include "sim/pages.hpp"
#include "sim/wire_format.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>

namespace shelfd::sim {

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

using boost::system::error_code;

constexpr auto handshake_time = std::chrono::seconds(30);
constexpr auto transfer_time = std::chrono::seconds(300);
constexpr std::uint64_t max_body = 1 << 20;
constexpr auto as_tuple = asio::as_tuple(asio::use_awaitable);

// A request, or why the connection ends: `complaint` is the status to say so with, 0 when the client just left.
struct Arrival {
    Request request;
    bool keep_alive = false;
    std::optional<int> complaint;
};

// Plain or TLS; lives in the frame of serve_connection's coroutine.
template <typename Stream>
class Session {
public:
    Session(Stream& stream, Hub& hub) : stream_(stream), hub_(hub), timer_(stream.get_executor())
    {
        key_ = hub_.next_connection++;
        hub_.connections[key_] = [this] { end(); };
        hub_.service.connection_accepted();
    }
    ~Session() { hub_.connections.erase(key_); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    asio::awaitable<void> run()
    {
        bool open = true;
        while (open && !hub_.stopping) {
            auto arrival = co_await read();
            if (arrival.complaint) {
                co_await complain(*arrival.complaint);
                break;
            }
            open = co_await serve(arrival.request, arrival.keep_alive);
        }
    }

private:
    auto& lowest() { return beast::get_lowest_layer(stream_); }

    void end()
    {
        timer_.cancel();
        error_code ignored;
        lowest().socket().close(ignored);
    }

    asio::awaitable<Arrival> read()
    {
        http::request_parser<http::string_body> parser;
        parser.body_limit(max_body);
        lowest().expires_after(hub_.idle_close);
        const auto [header_error, header_size] = co_await http::async_read_header(stream_, buffer_, parser, as_tuple);
        if (header_error) {
            const bool malformed = header_error.category() == http::make_error_code(http::error::bad_method).category();
            const bool gone =
                header_error == http::error::end_of_stream || header_error == http::error::partial_message;
            co_return Arrival{{}, false, malformed && !gone ? 400 : 0};
        }
        lowest().expires_after(transfer_time);
        if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
            static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
            co_await asio::async_write(stream_, asio::buffer(go_on), as_tuple);
        }
        const auto [error, size] = co_await http::async_read(stream_, buffer_, parser, as_tuple);
        if (error) {
            co_return Arrival{{}, false, error == http::error::body_limit ? 413 : 0};
        }
        co_return Arrival{request_from(parser), parser.get().keep_alive(), std::nullopt};
    }

    Request request_from(http::request_parser<http::string_body>& parser) const
    {
        auto& message = parser.get();
        Request request;
        request.method = std::string(message.method_string());
        request.target = std::string(message.target());
        for (const auto& field : message) {
            request.headers.push_back({std::string(field.name_string()), std::string(field.value())});
        }
        request.body = std::move(message.body());
        request.chunked = parser.chunked();
        request.secure = hub_.tls.has_value();
        return request;
    }

    // nginx answers by itself what is no HTTP.
    asio::awaitable<void> complain(int status)
    {
        if (status == 0) {
            co_return;
        }
        const auto wire = to_wire(nginx_page(status), {.now = hub_.service.now(), .keep_alive = false});
        co_await asio::async_write(stream_, asio::buffer(wire.head), as_tuple);
        co_await asio::async_write(stream_, asio::buffer(wire.body), as_tuple);
    }

    asio::awaitable<bool> serve(const Request& request, bool keep_alive)
    {
        const auto visit = hub_.service.request_arrived(request);
        const auto fault = visit.fault.value_or(Fault());
        co_await pause(fault.delay);
        if (fault.cut == Cut::before_acting) {
            hub_.service.request_done(visit, 0, 0);
            co_return cut(fault);
        }
        // The service acts even for a client that has given up waiting.
        auto reply = fault.acts ? hub_.service.answer(request) : Reply();
        if (fault.replaces_answer()) {
            reply = fault.replacement(reply);
        }
        co_await pause(fault.delay_after);
        if (fault.cut == Cut::after_acting) {
            hub_.service.request_done(visit, 0, 0);
            co_return cut(fault);
        }
        const WireFormat format{.now = hub_.service.now(),
                                .keep_alive = keep_alive,
                                .without_body = request.method == "HEAD",
                                .framing = fault.chunked ? BodyFraming::chunked : BodyFraming::length};
        auto wire = to_wire(reply, format);
        shorten(wire, fault);
        // Before the first byte leaves: whoever has the answer finds it in the audit, and a client that asks again at
        // once is never counted twice.
        const int status = fault.cut == Cut::in_header ? 0 : reply.status;
        hub_.service.request_done(visit, status, wire.head.size() + wire.body.size());
        const bool written = co_await write(wire, fault);
        if (fault.cut != Cut::none || !written) {
            co_return cut(fault);
        }
        co_return keep_alive;
    }

    static void shorten(WireReply& wire, const Fault& fault)
    {
        if (fault.cut == Cut::in_header) {
            wire.head.resize(std::min(fault.cut_at, wire.head.size() - 1));
            wire.body.clear();
        } else if (fault.cut == Cut::in_body && !wire.body.empty()) {
            wire.body.resize(std::min(fault.cut_at, wire.body.size() - 1));
        }
    }

    asio::awaitable<bool> write(const WireReply& wire, const Fault& fault)
    {
        lowest().expires_after(transfer_time);
        if (fault.drip_bytes == 0) {
            const std::array<asio::const_buffer, 2> both{asio::buffer(wire.head), asio::buffer(wire.body)};
            const auto [error, size] = co_await asio::async_write(stream_, both, as_tuple);
            co_return !error;
        }
        const auto [error, size] = co_await asio::async_write(stream_, asio::buffer(wire.head), as_tuple);
        bool written = !error;
        for (std::size_t at = 0; written && at < wire.body.size() && !hub_.stopping; at += fault.drip_bytes) {
            co_await pause(fault.drip_every);
            lowest().expires_after(transfer_time);
            const auto drop = asio::buffer(asio::buffer(wire.body) + at, fault.drip_bytes);
            const auto [drop_error, drop_size] = co_await asio::async_write(stream_, drop, as_tuple);
            written = !drop_error;
        }
        co_return written;
    }

    // Always false, for "the connection is not open any more".
    bool cut(const Fault& fault)
    {
        error_code ignored;
        if (fault.ending == Ending::rst) {
            lowest().socket().set_option(asio::socket_base::linger(true, 0), ignored);
        }
        lowest().socket().close(ignored);
        return false;
    }

    asio::awaitable<void> pause(std::chrono::milliseconds time)
    {
        if (time.count() > 0 && !hub_.stopping) {
            lowest().expires_never();
            timer_.expires_after(time);
            co_await timer_.async_wait(as_tuple);
        }
    }

    Stream& stream_;
    Hub& hub_;
    asio::steady_timer timer_;
    beast::flat_buffer buffer_;
    std::uint64_t key_ = 0;
};

asio::awaitable<void> serve_plain(asio::ip::tcp::socket socket, Hub& hub)
{
    beast::tcp_stream stream(std::move(socket));
    Session<beast::tcp_stream> session(stream, hub);
    co_await session.run();
    error_code ignored;
    stream.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

asio::awaitable<void> serve_tls(asio::ip::tcp::socket socket, Hub& hub)
{
    // Not that of Beast (Boost 1.81), which never sends a body of more than 16 KiB behind its header (measured).
    using TlsStream = asio::ssl::stream<beast::tcp_stream>;
    TlsStream stream(beast::tcp_stream(std::move(socket)), *hub.tls);
    Session<TlsStream> session(stream, hub);
    stream.next_layer().expires_after(handshake_time);
    const auto [error] = co_await stream.async_handshake(asio::ssl::stream_base::server, as_tuple);
    if (error) {
        co_return;
    }
    co_await session.run();
    if (stream.next_layer().socket().is_open()) {
        stream.next_layer().expires_after(std::chrono::seconds(1));
        co_await stream.async_shutdown(as_tuple);
    }
}

}  // namespace

asio::awaitable<void> serve_connection(asio::ip::tcp::socket socket, std::shared_ptr<Hub> hub)
{
    if (hub->tls) {
        co_await serve_tls(std::move(socket), *hub);
    } else {
        co_await serve_plain(std::move(socket), *hub);
    }
}

}  // namespace shelfd::sim
