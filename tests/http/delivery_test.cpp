#include "http/fixture.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <sys/resource.h>
#include <unistd.h>

namespace shelfd::http {
namespace {

using namespace std::chrono_literals;

struct Row {
    const char* name;
    Script script;
    ErrorKind kind;
    Delivery delivery;
};

const std::string whole_answer =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}";
const std::string chunked_answer =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n\r\n";

std::vector<Row> broken_answers()
{
    using namespace steps;
    return {
        {"closed after the request", {read_request(), fin()}, ErrorKind::network, Delivery::perhaps_sent},
        {"reset after the request", {read_request(), reset()}, ErrorKind::network, Delivery::perhaps_sent},
        {"never answered", {read_request(), silence()}, ErrorKind::timeout, Delivery::perhaps_sent},
        {"only a 100",
         {read_request(), send("HTTP/1.1 100 Continue\r\n\r\n"), fin()},
         ErrorKind::network,
         Delivery::perhaps_sent},
        {"not HTTP at all",
         {read_request(), send("SSH-2.0-OpenSSH_9.2\r\n"), fin()},
         ErrorKind::protocol,
         Delivery::perhaps_sent},
        {"silent in the middle of the body",
         {read_request(), send(whole_answer.substr(0, 76)), silence()},
         ErrorKind::timeout,
         Delivery::answered},
        {"reset in the middle of the body",
         {read_request(), send(whole_answer.substr(0, 76)), wait(20ms), reset()},
         ErrorKind::network,
         Delivery::answered},
        {"a chunk cut short",
         {read_request(), send(chunked_answer.substr(0, 52)), fin()},
         ErrorKind::network,
         Delivery::answered},
    };
}

}  // namespace

TEST_CASE_METHOD(Fixture, "an answer that breaks says how far the request got, for GET and POST alike")
{
    for (const auto method : {Method::get, Method::post}) {
        for (const auto& row : broken_answers()) {
            CAPTURE(row.name, static_cast<int>(method));
            ScriptedServer server(loop);
            server.play(row.script);
            auto request = method == Method::get ? get(server.origin() + "/x?secret=q") : post(server.origin(), "b=1");
            request.timeouts.idle = 80ms;
            const auto result = send(std::move(request));
            REQUIRE(!result.has_value());
            CHECK(result.error().kind() == row.kind);
            CHECK(result.error().delivery == row.delivery);
            CHECK(result.error().text().find("127.0.0.1:" + std::to_string(server.port())) != std::string::npos);
            CHECK(result.error().text().find("secret") == std::string::npos);
            CHECK(server.requests().size() == 1);
        }
    }
}

TEST_CASE_METHOD(Fixture, "an answer cut at any byte is an error, and never less than the truth about its delivery")
{
    for (const auto& answer : {whole_answer, chunked_answer}) {
        const auto status_line = answer.find("\r\n") + 2;
        // The very last line feed of a chunked answer says nothing that its carriage return has not said.
        const auto complete = answer.size() - (answer == chunked_answer ? 1 : 0);
        for (std::size_t cut = 0; cut < complete; ++cut) {
            CAPTURE(answer, cut);
            ScriptedServer server(loop);
            server.play({steps::read_request(), steps::send(answer.substr(0, cut)), steps::fin()});
            std::string pieces;
            auto request = post(server.origin(), "grant_type=refresh_token");
            request.on_piece = [&pieces](std::string_view piece) { pieces += piece; };
            const auto result = send(std::move(request));
            REQUIRE(!result.has_value());
            CHECK(result.error().delivery == (cut >= status_line ? Delivery::answered : Delivery::perhaps_sent));
            CHECK(server.requests().size() == 1);
            CHECK(std::string("{\"a\":1}").substr(0, pieces.size()) == pieces);
        }
    }
}

TEST_CASE_METHOD(Fixture, "a server that takes a POST and closes gets it exactly once")
{
    for (const auto& ending : {steps::fin(), steps::reset()}) {
        ScriptedServer server(loop);
        // The first answer leaves a connection that could be used again; the second takes a request and dies.
        server.play({steps::read_request(), steps::ok("{}"), steps::read_request(), ending});
        server.play({steps::read_request(), ending});
        REQUIRE(send(get(server.origin() + "/warm")).has_value());
        const auto result = send(post(server.origin() + "/oauth/token/", "refresh_token=r"));
        REQUIRE(!result.has_value());
        CHECK(result.error().delivery == Delivery::perhaps_sent);
        CHECK(server.requests().size() == 2);
        CHECK(server.connections() == 2);
    }
}

TEST_CASE_METHOD(Fixture, "a POST that asks for a shared connection still gets its own, and is sent once")
{
    ScriptedServer server(loop);
    server.play({steps::read_request(), steps::ok("{}"), steps::read_request(), steps::fin()});
    server.play({steps::read_request(), steps::fin()});
    REQUIRE(send(get(server.origin())).has_value());
    auto request = post(server.origin(), "");
    request.connection = Connection::shared;
    CHECK(!send(std::move(request)).has_value());
    CHECK(server.requests().size() == 2);
}

TEST_CASE_METHOD(Fixture, "a GET that is repeated on a dead connection is counted")
{
    ScriptedServer server(loop);
    server.play({steps::read_request(), steps::ok("{}"), steps::read_request(), steps::fin()});
    server.play({steps::read_request(), steps::ok("[]")});
    const auto first = send(get(server.origin() + "/a"));
    REQUIRE(first.has_value());
    CHECK(first->requests_sent == 1);
    const auto second = send(get(server.origin() + "/b"));
    REQUIRE(second.has_value());
    CHECK(second->body == "[]");
    CHECK(second->requests_sent == 2);
    CHECK(server.requests().size() == 3);
}

TEST_CASE_METHOD(Fixture, "a GET that is repeated on a dead connection is counted, though no answer comes of it")
{
    ScriptedServer server(loop);
    server.play({steps::read_request(), steps::ok("{}"), steps::read_request(), steps::fin()});
    SECTION("it is cut")
    {
        server.play(
            {steps::read_request(), steps::send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n["), steps::fin()});
    }
    SECTION("it is silent")
    {
        server.play({steps::read_request(), steps::silence()});
    }
    SECTION("it is too large")
    {
        server.play({steps::read_request(), steps::ok(std::string(200, ' '))});
    }
    REQUIRE(send(get(server.origin() + "/a")).has_value());
    auto request = get(server.origin() + "/b");
    request.timeouts.idle = std::chrono::milliseconds(200);
    request.max_body = 100;
    const auto result = send(std::move(request));
    REQUIRE(!result.has_value());
    CHECK(result.error().requests_sent == 2);
    CHECK(server.requests().size() == 3);
}

TEST_CASE_METHOD(Fixture, "where nobody listens, nothing was sent, and the error says whom it tried and why")
{
    asio::ip::tcp::acceptor unused(loop, {asio::ip::address_v4::loopback(), 0});
    const auto place = "127.0.0.1:" + std::to_string(unused.local_endpoint().port());
    unused.close();
    auto request = post("http://" + place + "/oauth/token/?client_secret=hush", "refresh_token=r");
    const auto result = send(std::move(request));
    REQUIRE(!result.has_value());
    CHECK(result.error().kind() == ErrorKind::network);
    CHECK(result.error().delivery == Delivery::not_sent);
    CHECK(result.error().text() == "cannot connect to " + place + ": Connection refused");
}

TEST_CASE_METHOD(Fixture,
                 "without a file descriptor for a connection nothing was sent, and the error says what is missing")
{
    rlimit before = {};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    REQUIRE_FALSE(send(get("http://127.0.0.1:1/")).has_value());  // opens what the client itself needs
    const int next = ::dup(0);
    ::close(next);
    const rlimit as_many{static_cast<rlim_t>(next), before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &as_many) == 0);
    const auto result = send(get("http://127.0.0.1:1/"));
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    REQUIRE(!result.has_value());
    CHECK(result.error().delivery == Delivery::not_sent);
    CHECK(result.error().text() == "cannot connect to 127.0.0.1:1: Too many open files");
}

TEST_CASE_METHOD(Fixture, "a request that cannot be put into bytes is refused before anything is sent")
{
    ScriptedServer server(loop);
    auto broken_header = get(server.origin());
    broken_header.headers = {{"X-Note", "one\r\nHost: two"}};
    auto broken_token = get(server.origin());
    broken_token.bearer = Secret("abc\nX: y");
    std::vector<Request> requests;
    requests.push_back(std::move(broken_header));
    requests.push_back(std::move(broken_token));
    requests.push_back(get("ftp://127.0.0.1/"));
    requests.push_back(get("http://user:word@127.0.0.1/"));
    requests.push_back(get("http://127.0.0.1/a b"));
    for (auto& request : requests) {
        const auto result = send(std::move(request));
        REQUIRE(!result.has_value());
        CHECK(result.error().kind() == ErrorKind::usage);
        CHECK(result.error().delivery == Delivery::not_sent);
        CHECK(result.error().text().find("abc") == std::string::npos);
    }
    CHECK(server.connections() == 0);
}

}  // namespace shelfd::http
