#include "http/body_room.hpp"

#include "http/fixture.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>

namespace shelfd::http {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t mebibyte = 1U << 20U;

// A request under way.
struct Download {
    Download(Fixture& fixture, const ScriptedServer& server, const std::shared_ptr<BodyRoom>& room)
    {
        auto request = get(server.origin());
        request.room = room;
        request.timeouts.idle = 40ms;
        auto keep = [](Client& client, Request what, auto& into) -> asio::awaitable<void> {
            into.emplace(co_await client.send(std::move(what)));
        };
        auto ended = [](const std::exception_ptr&) {};
        asio::co_spawn(fixture.loop, keep(*fixture.client, std::move(request), result), ended);
    }

    std::optional<Result<Response>> result;
};

}  // namespace

TEST_CASE("the beginning of a body is not counted, and what is freed is there for others")
{
    const auto room = std::make_shared<BodyRoom>(10 * mebibyte);
    BodyRoom::Share small(room);
    CHECK(small.hold(BodyRoom::step));
    CHECK(room->taken() == 0);
    int calls = 0;
    BodyRoom::Share waiting(room);
    waiting.call([&calls] { ++calls; });
    {
        BodyRoom::Share large(room);
        CHECK(large.hold(8 * mebibyte));
        CHECK(large.hold(7 * mebibyte));
        CHECK(room->taken() == 8 * mebibyte);
        CHECK_FALSE(waiting.hold(3 * mebibyte));
        CHECK(waiting.hold(2 * mebibyte));
        CHECK_FALSE(waiting.hold(4 * mebibyte));
        large.arrived();
        CHECK(room->taken() == 10 * mebibyte);
        CHECK_FALSE(waiting.hold(4 * mebibyte));
        calls = 0;
    }
    CHECK(calls == 1);
    CHECK(waiting.hold(4 * mebibyte));
    waiting.arrived();
    CHECK(room->taken() == 4 * mebibyte);
}

TEST_CASE("the body that began first may grow beyond the limit, once nothing that has arrived is left to be freed")
{
    const auto room = std::make_shared<BodyRoom>(10 * mebibyte);
    BodyRoom::Share first(room);
    BodyRoom::Share second(room);
    CHECK(first.hold(6 * mebibyte));
    CHECK(second.hold(4 * mebibyte));
    CHECK_FALSE(second.hold(5 * mebibyte));
    CHECK(first.hold(60 * mebibyte));  // otherwise both would wait for each other
    CHECK_FALSE(second.hold(5 * mebibyte));
    first.arrived();
    CHECK_FALSE(second.hold(5 * mebibyte));
    CHECK(room->taken() == 64 * mebibyte);
}

TEST_CASE("a body that has waited for long may grow, whatever holds the room")
{
    const auto room = std::make_shared<BodyRoom>(10 * mebibyte, 75s);
    BodyRoom::Share slow(room);
    BodyRoom::Share waiting(room);
    CHECK(slow.hold(30 * mebibyte));
    CHECK_FALSE(waiting.hold(mebibyte));
    CHECK_FALSE(waiting.hold_after(74s, mebibyte));
    CHECK(waiting.hold_after(75s, mebibyte));
    CHECK(waiting.hold(2 * mebibyte));
    CHECK(room->taken() == 32 * mebibyte);
}

TEST_CASE("only what is held already, and the first body to grow, reserves its memory at once")
{
    const auto room = std::make_shared<BodyRoom>(8 * mebibyte);
    BodyRoom::Share first(room);
    BodyRoom::Share second(room);
    REQUIRE(first.hold(mebibyte));
    REQUIRE(second.hold(2 * mebibyte));
    CHECK(first.may_reserve(20 * mebibyte));
    CHECK(second.may_reserve(2 * mebibyte));
    CHECK_FALSE(second.may_reserve(3 * mebibyte));
    first.arrived();
    CHECK(second.may_reserve(20 * mebibyte));
}

TEST_CASE("without a limit every body may grow")
{
    BodyRoom::Share share(nullptr);
    CHECK(share.hold(std::uint64_t{1} << 40U));
    CHECK(share.may_reserve(std::uint64_t{1} << 40U));
    share.arrived();
}

TEST_CASE_METHOD(Fixture, "a large body waits in its connection until another one is freed, however long that takes")
{
    const std::string body = "[\"" + std::string(6 * mebibyte, 'x') + "\"]";
    std::string chunks;
    for (std::size_t at = 0; at < body.size(); at += 1U << 16U) {
        const auto piece = body.substr(at, 1U << 16U);
        chunks += fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
    }
    const std::array<std::string, 2> answers = {
        fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(), body),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + "0\r\n\r\n",
    };
    for (const auto& answer : answers) {
        ScriptedServer server(loop);
        server.play({steps::read_request(), steps::send(answer), steps::silence()});
        const auto room = std::make_shared<BodyRoom>(8 * mebibyte);
        Download one(*this, server, room);
        Download other(*this, server, room);
        run_until([&] { return one.result || other.result; });
        auto& first = one.result ? one : other;
        auto& second = one.result ? other : one;
        REQUIRE(first.result->has_value());
        // Three times as long as a connection may be silent.
        bool is_over = false;
        asio::steady_timer timer(loop, 120ms);
        timer.async_wait([&is_over](const boost::system::error_code&) { is_over = true; });
        run_until([&] { return is_over; });
        CHECK_FALSE(second.result);
        CHECK(room->taken() < 20 * mebibyte);
        first.result.reset();
        run_until([&] { return second.result.has_value(); });
        REQUIRE(second.result->has_value());
        CHECK((*second.result)->body == body);
        second.result.reset();
        CHECK(room->taken() == 0);
    }
}

TEST_CASE_METHOD(Fixture, "a body goes on by itself when it has waited long enough")
{
    const std::string body = "[\"" + std::string(6 * mebibyte, 'x') + "\"]";
    ScriptedServer server(loop);
    server.play({steps::read_request(),
                 steps::send(fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(), body)),
                 steps::silence()});
    const auto room = std::make_shared<BodyRoom>(2 * mebibyte, 20ms);
    BodyRoom::Share taken(room);
    REQUIRE(taken.hold(2 * mebibyte));
    taken.arrived();
    Download one(*this, server, room);
    run_until([&] { return one.result.has_value(); });
    REQUIRE(one.result->has_value());
    CHECK((*one.result)->body == body);
}

TEST_CASE_METHOD(Fixture, "a request that is dropped while its body waits leaves nothing behind")
{
    const std::string body = "[\"" + std::string(6 * mebibyte, 'x') + "\"]";
    ScriptedServer server(loop);
    server.play({steps::read_request(),
                 steps::send(fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(), body)),
                 steps::silence()});
    const auto room = std::make_shared<BodyRoom>(2 * mebibyte);
    auto request = get(server.origin());
    request.room = room;
    request.timeouts.total = 200ms;
    BodyRoom::Share taken(room);
    REQUIRE(taken.hold(2 * mebibyte));
    taken.arrived();
    const auto result = send(std::move(request));
    REQUIRE_FALSE(result);
    CHECK(result.error().kind() == ErrorKind::timeout);
    CHECK(room->taken() == 2 * mebibyte);
}

}  // namespace shelfd::http
