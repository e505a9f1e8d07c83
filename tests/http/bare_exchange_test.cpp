// Requests whose answer may be the only copy of a token set: no byte that arrives is lost.
#include "http/fixture.hpp"

#include "runtime/async/task_group.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <fmt/format.h>

namespace shelfd::http {
namespace {

using namespace std::chrono_literals;

const std::string set = R"({"access_token":"a{","refresh_token":"r"})";
const std::string ok = "HTTP/1.1 200 OK\r\n";

Request as_sent(const std::string& origin)
{
    auto request = post(origin + "/oauth/token/?a=b", "grant_type=refresh_token");
    request.coding = Coding::as_sent;
    request.timeouts.idle = 400ms;
    return request;
}

struct Answer {
    const char* name;
    std::string bytes;
    std::string more = "";  // sent a moment later
};

std::vector<Answer> faults()
{
    const std::string zero("X-Zero: a\0b\r\n", 13);
    return {
        {"204", "HTTP/1.1 204 No Content\r\n\r\n" + set},
        {"204, the body later", "HTTP/1.1 204 No Content\r\n\r\n", set},
        {"204 with a length", "HTTP/1.1 204 No Content\r\nContent-Length: 41\r\n\r\n" + set},
        {"204 in pieces", "HTTP/1.1 204 No Content\r\n\r\n" + set.substr(0, 9), set.substr(9)},
        {"304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 41\r\n\r\n" + set},
        {"205", "HTTP/1.1 205 Reset Content\r\n\r\n" + set},
        {"a header without a colon", ok + "X Broken\r\n\r\n" + set},
        {"a header without a colon, the body later", ok + "X Broken\r\n\r\n", set},
        {"a header with a zero byte", ok + zero + "\r\n" + set},
        {"a header of 150 KB", ok + "X-Long: " + std::string(150'000, 'x') + "\r\n\r\n" + set},
        {"two locations", ok + "Location: /a\r\nLocation: /b\r\n\r\n" + set},
        {"no empty line before the body", ok + "Content-Type: application/json\r\n" + set},
        {"no reason", "HTTP/1.1 200\r\n\r\n" + set},
        {"an unknown version", "HTTP/4.2 200 OK\r\n\r\n" + set},
        {"a status of its own", "HTTP/1.1 999 X\r\n\r\n" + set},
        {"named chunked, and is not beyond its first piece",
         ok + "Transfer-Encoding: chunked\r\n\r\n5\r\n" + set.substr(0, 5) + "\r\n" + set.substr(5)},
        {"named chunked, and is not beyond its first piece, later",
         ok + "Transfer-Encoding: chunked\r\n\r\n5\r\n" + set.substr(0, 5) + "\r\n", set.substr(5)},
        {"chunks of a wrong size", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\n" + set},
        {"chunks that are named compressed",
         ok + "Transfer-Encoding: gzip, chunked\r\n\r\n" + fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", set.size(), set)},
        {"an upgrade", ok + "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n" + set},
    };
}

struct Broken {
    const char* name;
    Script script;
    ErrorKind kind;
    Delivery delivery;
};

std::vector<Broken> broken_answers()
{
    using namespace steps;
    const auto half = ok + "Content-Length: 41\r\n\r\n" + set.substr(0, 20);
    return {
        {"closed after the request", {read_request(), fin()}, ErrorKind::network, Delivery::perhaps_sent},
        {"reset after the request", {read_request(), reset()}, ErrorKind::network, Delivery::perhaps_sent},
        {"never answered", {read_request(), silence()}, ErrorKind::timeout, Delivery::perhaps_sent},
        {"closed in the status line",
         {read_request(), send("HTTP/1.1 20"), fin()},
         ErrorKind::network,
         Delivery::perhaps_sent},
        {"closed in the head", {read_request(), send(ok + "X-A: "), fin()}, ErrorKind::network, Delivery::answered},
        {"silent in the head", {read_request(), send(ok + "X-A: "), silence()}, ErrorKind::timeout, Delivery::answered},
        {"closed in the body", {read_request(), send(half), fin()}, ErrorKind::network, Delivery::answered},
        {"silent in the body", {read_request(), send(half), silence()}, ErrorKind::timeout, Delivery::answered},
        {"reset in the body",
         {read_request(), send(half), wait(20ms), reset()},
         ErrorKind::network,
         Delivery::answered},
        {"a head without end",
         {read_request(), send(ok + std::string(300'000, 'f')), silence()},
         ErrorKind::protocol,
         Delivery::answered},
    };
}

using asio::ip::tcp;

asio::awaitable<void> copy_bytes(tcp::socket& from, tcp::socket& into)
{
    std::array<char, 4096> piece;
    for (boost::system::error_code error; !error;) {
        const auto size =
            co_await from.async_read_some(asio::buffer(piece), asio::redirect_error(asio::use_awaitable, error));
        co_await asio::async_write(into, asio::buffer(piece, size), asio::redirect_error(asio::use_awaitable, error));
    }
    boost::system::error_code ignored;
    into.shutdown(tcp::socket::shutdown_send, ignored);
}

// A proxy that makes one tunnel.
asio::awaitable<void> make_tunnel(tcp::acceptor& acceptor, std::uint16_t port, std::string& asked)
{
    using namespace asio::experimental::awaitable_operators;
    auto client = co_await acceptor.async_accept(asio::use_awaitable);
    co_await asio::async_read_until(client, asio::dynamic_buffer(asked), "\r\n\r\n", asio::use_awaitable);
    tcp::socket service(client.get_executor());
    co_await service.async_connect({asio::ip::address_v4::loopback(), port}, asio::use_awaitable);
    const std::string open = "HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n";
    co_await asio::async_write(client, asio::buffer(open), asio::use_awaitable);
    auto there = copy_bytes(client, service);
    auto back = copy_bytes(service, client);
    co_await (std::move(there) && std::move(back));
}

void check_faults(Fixture& fixture, const Certificate* certificate)
{
    const TempDirectory directory;
    const auto ca_file = directory / "ca.pem";
    write_file(ca_file, certificate != nullptr ? certificate->certificate_pem : "");
    for (const auto& answer : faults()) {
        for (const auto& ending : {steps::fin(), steps::silence(), steps::reset()}) {
            CAPTURE(answer.name, static_cast<int>(ending.kind));
            const auto server = certificate != nullptr ? std::make_unique<ScriptedServer>(fixture.loop, *certificate)
                                                       : std::make_unique<ScriptedServer>(fixture.loop);
            server->play({steps::read_request(), steps::send(answer.bytes), steps::wait(20ms), steps::send(answer.more),
                          steps::wait(20ms), ending});
            auto request = as_sent(server->origin());
            request.route.ca_file = certificate != nullptr ? ca_file : "";
            std::string pieces;
            request.on_piece = [&pieces](std::string_view piece) { pieces += piece; };
            const auto result = fixture.send(std::move(request));
            INFO((result ? std::string() : result.error().text()) << " " << pieces);
            REQUIRE(result.has_value());
            CHECK(result->body == set);
            CHECK(pieces == set);
            CHECK(server->requests().size() == 1);
        }
    }
}

}  // namespace

TEST_CASE_METHOD(Fixture, "a token set is taken behind every fault of a head, and from an answer that may have no body")
{
    check_faults(*this, nullptr);
}

TEST_CASE_METHOD(Fixture, "a token set is taken behind every fault of a head over TLS, too")
{
    const auto certificate = Certificate::for_name("IP:127.0.0.1");
    check_faults(*this, &certificate);
}

TEST_CASE_METHOD(Fixture, "a token set is taken through a proxy's tunnel, whose own answer is no part of it")
{
    const auto certificate = Certificate::for_name("IP:127.0.0.1");
    const TempDirectory directory;
    write_file(directory / "ca.pem", certificate.certificate_pem);
    ScriptedServer server(loop, certificate);
    server.play({steps::read_request(), steps::send("HTTP/1.1 204 X\r\nX Broken\r\n\r\n" + set), steps::fin()});
    tcp::acceptor acceptor(loop, {asio::ip::address_v4::loopback(), 0});
    std::string asked;
    asio::co_spawn(loop, make_tunnel(acceptor, server.port(), asked), [](const std::exception_ptr&) {});
    auto request = as_sent(server.origin());
    request.route.ca_file = directory / "ca.pem";
    request.route.proxy = "http://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port());
    request.basic.emplace("client", Secret("s3cret"));
    const auto result = send(std::move(request));
    REQUIRE(result.has_value());
    CHECK(result->status == 204);
    CHECK(result->body == set);
    CHECK(result->header("via").empty());
    CHECK(asked.starts_with("CONNECT 127.0.0.1:"));
    CHECK(asked.find("Basic") == std::string::npos);
    CHECK(server.requests().front().starts_with("POST /oauth/token/?a=b HTTP/1.1\r\n"));
}

TEST_CASE_METHOD(Fixture, "bytes without the head of an answer are no answer, but they are passed on")
{
    for (const auto& bytes : {set, "HTTP/1.1 100 Continue\r\n\r\n" + set, std::string("SSH-2.0-OpenSSH_9.2\r\n")}) {
        for (const auto& ending : {steps::fin(), steps::silence()}) {
            CAPTURE(bytes, static_cast<int>(ending.kind));
            ScriptedServer server(loop);
            server.play({steps::read_request(), steps::send(bytes), steps::wait(20ms), ending});
            auto request = as_sent(server.origin());
            std::string pieces;
            request.on_piece = [&pieces](std::string_view piece) { pieces += piece; };
            const auto result = send(std::move(request));
            REQUIRE(!result.has_value());
            CHECK(result.error().delivery == Delivery::perhaps_sent);
            const bool is_closed = ending.kind == Step::Kind::fin;
            CHECK(result.error().kind() == (is_closed ? ErrorKind::protocol : ErrorKind::timeout));
            CHECK(pieces == bytes.substr(bytes.starts_with("HTTP") ? bytes.find(set) : 0));
        }
    }
}

TEST_CASE_METHOD(Fixture, "an answer that is taken as it comes and breaks says how far the request got")
{
    for (const auto& row : broken_answers()) {
        CAPTURE(row.name);
        ScriptedServer server(loop);
        server.play(row.script);
        const auto result = Fixture::send(as_sent(server.origin()));
        REQUIRE(!result.has_value());
        CHECK(result.error().kind() == row.kind);
        CHECK(result.error().delivery == row.delivery);
        CHECK(result.error().requests_sent == 1);
        CHECK(result.error().text().find("127.0.0.1:" + std::to_string(server.port())) != std::string::npos);
        CHECK(server.requests().size() == 1);
    }
}

TEST_CASE_METHOD(Fixture, "the bytes of a request are those of HTTP/1.1, to the service, to a proxy, to a socket")
{
    ScriptedServer server(loop);
    server.play({steps::read_request(), steps::ok("{}")});
    auto request = as_sent(server.origin());
    request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"X-Empty", ""}};
    request.basic.emplace("client", Secret("s3cret"));
    REQUIRE(send(std::move(request)).has_value());
    CHECK(server.requests().front() ==
          fmt::format("POST /oauth/token/?a=b HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUser-Agent: shelfd-test/1\r\n"
                      "Accept: application/json\r\nAccept-Language: en\r\nConnection: close\r\n"
                      "Content-Type: application/x-www-form-urlencoded\r\nAuthorization: Basic "
                      "Y2xpZW50OnMzY3JldA==\r\nContent-Length: 24\r\n\r\ngrant_type=refresh_token",
                      server.port()));
    ScriptedServer proxy(loop);
    proxy.play({steps::read_request(), steps::ok("{}")});
    auto routed = as_sent("http://shelf.invalid");
    routed.route.proxy = proxy.origin();
    REQUIRE(send(std::move(routed)).has_value());
    CHECK(proxy.requests().front().starts_with(
        "POST http://shelf.invalid/oauth/token/?a=b HTTP/1.1\r\nHost: shelf.invalid\r\n"));
}

TEST_CASE_METHOD(Fixture, "a large request is sent whole, and a server that answers before it has read all is heard")
{
    const auto certificate = Certificate::for_name("IP:127.0.0.1");
    const TempDirectory directory;
    write_file(directory / "ca.pem", certificate.certificate_pem);
    for (const bool is_tls : {false, true}) {
        for (const bool reads : {true, false}) {
            CAPTURE(is_tls, reads);
            const auto server =
                is_tls ? std::make_unique<ScriptedServer>(loop, certificate) : std::make_unique<ScriptedServer>(loop);
            const auto read = reads ? steps::read_request() : steps::wait(1ms);
            server->play({read, steps::ok(set), steps::silence()});
            const std::string body(8'000'000, 'b');
            auto request = as_sent(server->origin());
            request.route.ca_file = is_tls ? directory / "ca.pem" : "";
            request.body = Secret(body);
            request.timeouts.idle = 10s;
            const auto result = send(std::move(request));
            REQUIRE(result.has_value());
            CHECK(result->body == set);
            if (reads) {
                const auto& seen = server->requests().front();
                CHECK(seen.substr(seen.find("\r\n\r\n") + 4) == body);
            }
        }
    }
}

TEST_CASE_METHOD(Fixture, "an exchange ends at its limit though bytes go on coming, and at once when it is cancelled")
{
    ScriptedServer drip(loop);
    Script script{steps::read_request(), steps::send(ok + "Content-Length: 99\r\n\r\n")};
    for (int i = 0; i < 40; ++i) {
        script.push_back(steps::wait(10ms));
        script.push_back(steps::send("x"));
    }
    drip.play(script);
    auto late = as_sent(drip.origin());
    late.timeouts.total = 150ms;
    const auto result = send(std::move(late));
    REQUIRE(!result.has_value());
    CHECK(result.error().kind() == ErrorKind::timeout);
    CHECK(result.error().delivery == Delivery::answered);
    CHECK(result.error().text().find("not complete after 150 ms") != std::string::npos);

    ScriptedServer mute(loop);
    mute.play({steps::read_request(), steps::silence()});
    TaskGroup tasks(loop.get_executor());
    bool has_ended = false;
    auto ask = [&]() -> asio::awaitable<void> {
        auto request = as_sent(mute.origin());
        request.timeouts.idle = 60s;
        const auto answer = co_await client->send(std::move(request));
        has_ended = answer.has_value();
    };
    tasks.spawn(ask());
    run_until([&] { return mute.requests().size() == 1; });
    tasks.cancel();
    run_until([&] { return mute.open_connections() == 0; });
    CHECK(tasks.size() == 0);
    CHECK(!has_ended);
}

TEST_CASE_METHOD(Fixture, "other requests do not end an exchange that waits for its answer")
{
    ScriptedServer slow(loop);
    slow.play({steps::read_request(), steps::wait(2500ms), steps::ok(set)});
    ScriptedServer fast(loop);
    fast.play({steps::read_request(), steps::ok("{}"), steps::fin()});
    TaskGroup tasks(loop.get_executor());
    std::optional<Result<Response>> answer;
    auto ask = [&]() -> asio::awaitable<void> {
        auto request = as_sent(slow.origin());
        request.timeouts.idle = 20s;
        answer.emplace(co_await client->send(std::move(request)));
    };
    tasks.spawn(ask());
    run_until([&] { return slow.requests().size() == 1; });
    int others = 0;
    while (!answer) {
        const auto other = send(get(fast.origin()));
        others += other.has_value() ? 1 : 0;
        asio::steady_timer timer(loop, 300ms);
        bool is_over = false;
        timer.async_wait([&is_over](const boost::system::error_code&) { is_over = true; });
        run_until([&is_over] { return is_over; });
    }
    CHECK(others > 2);
    REQUIRE(answer->has_value());
    CHECK((*answer)->body == set);
}

}  // namespace shelfd::http
