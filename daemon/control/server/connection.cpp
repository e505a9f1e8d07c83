#include "control/server/connection.hpp"

#include "control/api/reply_json.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <utility>

namespace shelfd::control {
namespace {

using namespace asio::experimental::awaitable_operators;

constexpr Duration heartbeat = std::chrono::seconds(10);

}  // namespace

asio::awaitable<void> Connection::serve()
{
    auto serving = serve_all();
    auto limiting = wire_.keep_limits();
    co_await (std::move(serving) && std::move(limiting));
}

asio::awaitable<void> Connection::refuse(Reply reply, Heard heard)
{
    auto refusing = send_last(std::move(reply), std::move(heard));
    auto limiting = wire_.keep_limits();
    co_await (std::move(refusing) && std::move(limiting));
}

asio::awaitable<void> Connection::send_last(Reply reply, Heard heard)
{
    auto sending = wire_.send(reply, KeepAlive::no);
    if (co_await std::move(sending)) {
        if (heard) {
            auto reading = wire_.read();
            auto incoming = co_await std::move(reading);
            auto* request = std::get_if<Wire::Request>(&incoming);
            auto call = request == nullptr ? std::nullopt : std::optional(std::move(request->call));
            auto hearing = heard(std::move(call));
            co_await std::move(hearing);
        }
        auto discarding = wire_.discard_input();
        co_await std::move(discarding);
    }
    close();
}

asio::awaitable<void> Connection::serve_all()
{
    for (bool more = true; more;) {
        auto serving = serve_one();
        more = co_await std::move(serving);
    }
    close();
}

// True if another request may follow.
asio::awaitable<bool> Connection::serve_one()
{
    awaits_request_ = true;
    auto reading = wire_.read();
    auto incoming = co_await std::move(reading);
    awaits_request_ = false;
    if (auto* complaint = std::get_if<Reply>(&incoming)) {
        auto sending = send_last(std::move(*complaint));
        co_await std::move(sending);
        co_return false;
    }
    auto* request = std::get_if<Wire::Request>(&incoming);
    if (request == nullptr) {
        co_return false;
    }
    auto answering = answerer_.answer(std::move(request->call));
    auto reply = co_await std::move(answering);
    if (!crowded_.empty()) {
        request->keep_alive = KeepAlive::no;
        reply = reply.stream ? error_reply(Error(ErrorKind::throttled, crowded_)) : std::move(reply);
    }
    if (reply.stream) {
        auto streaming = stream(reply);
        co_await std::move(streaming);
        co_return false;
    }
    auto sending = wire_.send(reply, request->keep_alive);
    co_return co_await std::move(sending) && request->keep_alive == KeepAlive::yes;
}

asio::awaitable<void> Connection::stream(const Reply& reply)
{
    auto opening = wire_.open_stream(reply);
    if (!co_await std::move(opening)) {
        co_return;
    }
    LineQueue lines;
    auto working = produce(reply, lines);
    auto delivering = deliver(lines);
    auto watching = wire_.watch_for_end();
    co_await ((std::move(working) && std::move(delivering)) || std::move(watching));
}

asio::awaitable<void> Connection::produce(const Reply& reply, LineQueue& lines)
{
    LineSink sink = [&lines](std::string line, Importance importance) { lines.push(std::move(line), importance); };
    auto working = reply.stream(std::move(sink));
    std::exception_ptr thrown;
    try {
        co_await std::move(working);
    } catch (...) {
        thrown = std::current_exception();
    }
    if (thrown) {
        lines.push(done_line(answerer_.bug(thrown)), Importance::kept);
    }
    lines.close();
}

asio::awaitable<void> Connection::deliver(LineQueue& lines)
{
    for (;;) {
        auto waiting = lines.wait(clock_, heartbeat);
        co_await std::move(waiting);
        const auto ends = lines.is_at_end();
        auto line = lines.take();
        // Otherwise a silent stream looks dead to the client.
        auto sending = ends ? wire_.finish_stream() : wire_.send_line(line ? std::move(*line) : alive_line());
        if (!co_await std::move(sending)) {
            close();  // ends watch_for_end, and with it the producer
            co_return;
        }
        if (ends) {
            co_return;
        }
    }
}

}  // namespace shelfd::control
