#include "http/fixture.hpp"

#include "support/temp_directory.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <fmt/format.h>

namespace shelfd::http {
namespace {

using namespace std::chrono_literals;

bool has_line(const std::string& request, const std::string& line)
{
    return request.find("\r\n" + line + "\r\n") != std::string::npos;
}

const std::string head_200 = "HTTP/1.1 200 OK\r\n";

}  // namespace

TEST_CASE_METHOD(Fixture, "a GET says who asks, what it takes and carries its bearer; it offers no gzip without TLS")
{
    ScriptedServer server(loop);
    server.play({steps::read_request(), steps::ok("{}")});
    auto request = get(server.origin() + "/api/v2/x/?page=2&since=a%2Bb");
    request.bearer = Secret("t0ken");
    request.headers = {{"X-Extra", "1"}};
    REQUIRE(send(std::move(request)).has_value());
    const auto& seen = server.requests().front();
    CHECK(seen.substr(0, seen.find("\r\n")) == "GET /api/v2/x/?page=2&since=a%2Bb HTTP/1.1");
    CHECK(has_line(seen, "Authorization: Bearer t0ken"));
    CHECK(has_line(seen, "Accept: application/json"));
    CHECK(has_line(seen, "Accept-Language: en"));
    CHECK(has_line(seen, "User-Agent: shelfd-test/1"));
    CHECK(has_line(seen, "X-Extra: 1"));
    CHECK(has_line(seen, "Accept-Encoding: identity"));
}

TEST_CASE_METHOD(Fixture, "headers of the request replace the defaults")
{
    ScriptedServer server(loop);
    server.play({steps::read_request(), steps::ok("{}")});
    auto request = get(server.origin());
    request.headers = {{"accept", "text/csv"}, {"accept-language", "nl"}};
    REQUIRE(send(std::move(request)).has_value());
    const auto& seen = server.requests().front();
    CHECK(has_line(seen, "accept: text/csv"));
    CHECK(has_line(seen, "accept-language: nl"));
    CHECK(seen.find("application/json") == std::string::npos);
}

TEST_CASE_METHOD(Fixture, "a secret header goes out beside the others, and one with a line break sends nothing")
{
    ScriptedServer server(loop);
    server.play({steps::read_request(), steps::ok("{}")});
    auto request = post(server.origin() + "/hook", "{}");
    request.headers.push_back({"X-Kind", "plain"});
    request.secret_headers.emplace_back("X-Key", Secret("s3cret"));
    REQUIRE(send(std::move(request)).has_value());
    CHECK(has_line(server.requests().front(), "X-Kind: plain"));
    CHECK(has_line(server.requests().front(), "X-Key: s3cret"));
    auto broken = post(server.origin() + "/hook", "{}");
    broken.secret_headers.emplace_back("X-Key", Secret("s3cret\r\nX-More: yes"));
    const auto outcome = send(std::move(broken));
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().kind() == ErrorKind::usage);
    CHECK(outcome.error().text().find("s3cret") == std::string::npos);
}

TEST_CASE_METHOD(Fixture, "a POST goes out in one piece with its length, Basic credentials and no Expect")
{
    for (const std::size_t size : {0u, 1u, 1000u, 3'000'000u}) {
        CAPTURE(size);
        ScriptedServer server(loop);
        server.play({steps::read_request(), steps::ok("{}")});
        const std::string body(size, 'b');
        auto request = post(server.origin() + "/oauth/token/", body);
        request.basic.emplace("client", Secret("s3cret"));
        REQUIRE(send(std::move(request)).has_value());
        const auto& seen = server.requests().front();
        CHECK(has_line(seen, "Content-Length: " + std::to_string(size)));
        CHECK(has_line(seen, "Authorization: Basic Y2xpZW50OnMzY3JldA=="));
        CHECK(seen.find("Expect") == std::string::npos);
        CHECK(seen.find("Transfer-Encoding") == std::string::npos);
        CHECK(seen.substr(seen.find("\r\n\r\n") + 4) == body);
    }
}

TEST_CASE_METHOD(Fixture, "any complete answer is a response, whatever its status; redirects are not followed")
{
    ScriptedServer elsewhere(loop);
    elsewhere.play({steps::read_request(), steps::ok("{}")});
    for (const int status : {204, 301, 302, 304, 307, 400, 401, 403, 404, 429, 500, 503}) {
        CAPTURE(status);
        ScriptedServer server(loop);
        const auto length = status == 204 || status == 304 ? "" : "Content-Length: 0\r\n";
        server.play({steps::read_request(), steps::send("HTTP/1.1 " + std::to_string(status) + " Words\r\nLocation: " +
                                                        elsewhere.origin() + "/\r\n" + length + "\r\n")});
        auto request = get(server.origin());
        request.bearer = Secret("t0ken");
        const auto result = send(std::move(request));
        REQUIRE(result.has_value());
        CHECK(result->status == status);
        CHECK(result->header("location") == elsewhere.origin() + "/");
    }
    CHECK(elsewhere.connections() == 0);
}

TEST_CASE_METHOD(Fixture, "pieces are seen as they come, the status before them, interim answers never")
{
    ScriptedServer server(loop);
    server.play({steps::read_request(), steps::send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"),
                 steps::send(head_200 + "Transfer-Encoding: chunked\r\nX-Twice: a\r\nX-Twice: b\r\n\r\n"),
                 steps::send("2\r\n{\"\r\n"), steps::wait(20ms), steps::send("5\r\na\":1}\r\n"),
                 steps::send("0\r\nX-Trailer: late\r\n\r\n")});
    std::vector<std::string> events;
    auto request = get(server.origin());
    request.on_headers = [&events](int status) { events.push_back(std::to_string(status)); };
    request.on_piece = [&events](std::string_view piece) { events.emplace_back(piece); };
    const auto result = send(std::move(request));
    REQUIRE(result.has_value());
    CHECK(events == std::vector<std::string>{"200", "{\"", "a\":1}"});
    CHECK(result->body == "{\"a\":1}");
    CHECK(result->header("x-twice") == "a");
    CHECK(result->header("Link").empty());
    CHECK(result->header("X-Trailer").empty());
}

TEST_CASE_METHOD(Fixture, "a body over the limit is a protocol error, with a length or without, and was still seen")
{
    const std::vector<std::pair<const char*, std::string>> answers = {
        {"length", head_200 + "Content-Length: 2000\r\n\r\n" + std::string(2000, 'x')},
        {"chunked", head_200 + "Transfer-Encoding: chunked\r\n\r\n7d0\r\n" + std::string(2000, 'x') + "\r\n0\r\n\r\n"},
        {"until closed", head_200 + "Connection: close\r\n\r\n" + std::string(2000, 'x')},
    };
    for (const auto& [name, answer] : answers) {
        CAPTURE(name);
        ScriptedServer server(loop);
        server.play({steps::read_request(), steps::send(answer), steps::fin()});
        for (const std::uint64_t limit : {1999u, 2000u}) {
            std::size_t seen = 0;
            auto request = get(server.origin());
            request.max_body = limit;
            request.on_piece = [&seen](std::string_view piece) { seen += piece.size(); };
            const auto result = send(std::move(request));
            CHECK(seen > 0);
            if (limit == 2000) {
                REQUIRE(result.has_value());
                CHECK(result->body.size() == 2000);
            } else {
                REQUIRE(!result.has_value());
                CHECK(result.error().kind() == ErrorKind::protocol);
                CHECK(result.error().delivery == Delivery::answered);
            }
        }
    }
}

TEST_CASE_METHOD(Fixture, "a body that is taken in pieces may go on for ever and is not kept, a refusal is")
{
    struct Row {
        const char* name;
        std::string answer;
        Keeping keeping;
        bool fits;
        std::string kept;
    };
    const std::string head_400 = "HTTP/1.1 400 Bad Request\r\n";
    const std::string large = "Content-Length: 3000\r\n\r\n" + std::string(3000, 'x');
    const std::vector<Row> rows = {
        {"a 200 that is taken in pieces", head_200 + large, Keeping::refusals, true, ""},
        {"a 200 that is kept", head_200 + large, Keeping::all, false, ""},
        {"a refusal", head_400 + "Content-Length: 2\r\n\r\nno", Keeping::refusals, true, "no"},
        {"a refusal over the limit", head_400 + large, Keeping::refusals, false, ""},
    };
    for (const auto& row : rows) {
        CAPTURE(row.name);
        ScriptedServer server(loop);
        server.play({steps::read_request(), steps::send(row.answer), steps::fin()});
        std::size_t seen = 0;
        auto request = get(server.origin());
        request.max_body = 2000;
        request.keeping = row.keeping;
        request.on_piece = [&seen](std::string_view piece) { seen += piece.size(); };
        const auto result = send(std::move(request));
        REQUIRE(result.has_value() == row.fits);
        if (row.fits) {
            CHECK(seen == (row.kept.empty() ? std::size_t{3000} : row.kept.size()));
            CHECK(result->body == row.kept);
        }
    }
}

TEST_CASE_METHOD(Fixture, "headers without end are refused")
{
    ScriptedServer server(loop);
    std::string flood = head_200;
    while (flood.size() < 280'000) {
        flood += "X-Flood: " + std::string(1000, 'f') + "\r\n";
    }
    server.play({steps::read_request(), steps::send(flood), steps::silence()});
    const auto result = send(get(server.origin()));
    REQUIRE(!result.has_value());
    CHECK(result.error().kind() == ErrorKind::protocol);
    CHECK(result.error().delivery == Delivery::answered);
}

TEST_CASE_METHOD(Fixture, "a body that is coded though nobody asked for it is decoded, and its byte order mark is gone")
{
    ScriptedServer server(loop);
    const std::string body(
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x7b\xbf\x7b\x7f\x75\x2d\x00\x19\x7a\xa8\x8a\x05\x00\x00\x00",
        25);  // gzip of the mark and {}
    server.play({steps::read_request(), steps::send(head_200 + "Content-Encoding: gzip\r\nContent-Length: " +
                                                    std::to_string(body.size()) + "\r\n\r\n" + body)});
    const auto result = send(get(server.origin()));
    REQUIRE(result.has_value());
    CHECK(result->body == "{}");
}

TEST_CASE_METHOD(Fixture, "a body that is not what its encoding says is said to be that")
{
    ScriptedServer server(loop);
    server.play({steps::read_request(),
                 steps::send(head_200 + "Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!")});
    const auto result = send(get(server.origin()));
    REQUIRE(!result.has_value());
    CHECK(result.error().kind() == ErrorKind::protocol);
    CHECK(result.error().text().find("cannot be decompressed") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "a body whose coding is left alone arrives as it was sent, whatever its header says")
{
    for (const char* coding : {"gzip", "deflate", "br", "x-unknown"}) {
        CAPTURE(coding);
        ScriptedServer server(loop);
        server.play({steps::read_request(),
                     steps::send(fmt::format("{}Content-Encoding: {}\r\nContent-Length: 9\r\n\r\nnot coded", head_200,
                                             coding))});
        auto request = get(server.origin());
        request.coding = Coding::as_sent;
        std::string pieces;
        request.on_piece = [&pieces](std::string_view piece) { pieces += piece; };
        const auto result = send(std::move(request));
        REQUIRE(result.has_value());
        CHECK(result->body == "not coded");
        CHECK(pieces == "not coded");
    }
}

TEST_CASE_METHOD(Fixture, "one header of 400 KB is refused by its size")
{
    ScriptedServer server(loop);
    server.play({steps::read_request(), steps::send(head_200 + "X-Flood: " + std::string(400'000, 'f') + "\r\n\r\n"),
                 steps::silence()});
    const auto result = send(get(server.origin()));
    REQUIRE(!result.has_value());
    CHECK(result.error().text().find("sent a header of more than 100 KB") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "a unix socket is spoken to as HTTP, and a missing one is named")
{
    using asio::local::stream_protocol;
    const TempDirectory directory;
    const auto path = directory / "control.sock";
    stream_protocol::acceptor acceptor(loop, stream_protocol::endpoint(path));
    std::string seen;
    auto serve = [](stream_protocol::acceptor& from, std::string& into) -> asio::awaitable<void> {
        auto socket = co_await from.async_accept(asio::use_awaitable);
        co_await asio::async_read_until(socket, asio::dynamic_buffer(into), "\r\n\r\n", asio::use_awaitable);
        const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
        co_await asio::async_write(socket, asio::buffer(answer), asio::use_awaitable);
    };
    auto ended = [](const std::exception_ptr&) {};
    asio::co_spawn(loop, serve(acceptor, seen), ended);
    auto request = get("http://shelfd/v1/status");
    request.route.unix_socket = path;
    const auto result = send(std::move(request));
    REQUIRE(result.has_value());
    CHECK(result->body == "{}");
    CHECK(seen.substr(0, 15) == "GET /v1/status ");

    auto missing = get("http://shelfd/v1/status");
    missing.route.unix_socket = path + "x";
    const auto refused = send(std::move(missing));
    REQUIRE(!refused.has_value());
    CHECK(refused.error().delivery == Delivery::not_sent);
    CHECK(refused.error().text() == "cannot connect to " + path + "x: No such file or directory");
}

TEST_CASE("Retry-After is read in every form, a date against the answer's own clock, and never for more than a day")
{
    const auto now = *Instant::from_rfc3339("2024-01-06T06:00:00Z");
    struct Row {
        const char* name;
        const char* value;
        const char* date;
        std::optional<Duration> wait;
    };
    const std::vector<Row> rows = {
        {"seconds", "60", "", Duration(60s)},
        {"none at all", "0", "", Duration(0s)},
        {"a date, no Date", "Sat, 06 Jan 2024 06:01:00 GMT", "", Duration(60s)},
        {"a date, server an hour ahead", "Sat, 06 Jan 2024 07:01:00 GMT", "Sat, 06 Jan 2024 07:00:00 GMT",
         Duration(60s)},
        {"a date gone by", "Sat, 06 Jan 2024 05:00:00 GMT", "", Duration(0s)},
        {"negative", "-5", "", std::nullopt},
        {"a fraction", "1.5", "", Duration(1500ms)},
        {"a float", "2.0", "", Duration(2s)},
        {"spaces", " 7 ", "", Duration(7s)},
        {"milliseconds beyond any sense", "900000000", "", Duration(24h)},
        {"a Unix time", "1704520860", "", Duration(60s)},
        {"a Unix time with a fraction", "1704520860.25", "", Duration(60s + 250ms)},
        {"a Unix time in milliseconds", "1704520860000", "", Duration(60s)},
        {"a Unix time in microseconds", "1704520860000000", "", Duration(60s)},
        {"a Unix time gone by", "1704520000", "", Duration(0s)},
        {"a Unix time, server an hour ahead", "1704524460", "Sat, 06 Jan 2024 07:00:00 GMT", Duration(60s)},
        {"an instant", "2024-01-06T06:00:30Z", "", Duration(30s)},
        {"a date in ten years", "Wed, 06 Jan 2034 06:00:00 GMT", "", Duration(24h)},
        {"no number", "nan", "", std::nullopt},
        {"endless", "inf", "", std::nullopt},
        {"an exponent", "1e400", "", std::nullopt},
        {"words", "soon", "", std::nullopt},
        {"too many digits", "12345678901", "", std::nullopt},
        {"empty", "", "", std::nullopt},
    };
    for (const auto& row : rows) {
        CAPTURE(row.name);
        Response response;
        response.headers = {{"retry-after", row.value}, {"DATE", row.date}};
        CHECK(retry_after(response, now) == row.wait);
    }
    for (const auto* name : {"Retry-After-Ms", "x-retry-after-ms", "X-Ms-Retry-After-Ms"}) {
        CAPTURE(name);
        Response response;
        response.headers = {{name, "1500"}};
        CHECK(retry_after(response, now) == Duration(1500ms));
        response.headers.push_back({"Retry-After", "3"});
        CHECK(retry_after(response, now) == Duration(3s));
    }
    CHECK(!retry_after(Response(), now).has_value());
    CHECK(!service_date(Response()).has_value());
}

}  // namespace shelfd::http
