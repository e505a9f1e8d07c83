// Answers whose Content-Length is wrong.
#include "http/fixture.hpp"

#include "support/temp_directory.hpp"

#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>

namespace shelfd::http {
namespace {

using namespace std::chrono_literals;

const std::string set = R"({"access_token":"a{","refresh_token":"r"})";
const std::string chunks = "Transfer-Encoding: chunked\r\n";

std::string head(const std::string& headers, int status = 200)
{
    return fmt::format("HTTP/1.1 {} X\r\nContent-Type: application/json\r\n{}\r\n", status, headers);
}

std::string length(const std::string& value)
{
    return "Content-Length: " + value + "\r\n";
}

std::string length(std::size_t value)
{
    return length(std::to_string(value));
}

std::string chunked(const std::string& body)
{
    return fmt::format("5\r\n{}\r\n{:x}\r\n{}\r\n0\r\n\r\n", body.substr(0, 5), body.size() - 5, body.substr(5));
}

Request as_sent(const std::string& origin)
{
    auto request = post(origin + "/oauth/token/", "grant_type=refresh_token");
    request.coding = Coding::as_sent;
    request.timeouts.idle = 400ms;
    return request;
}

struct Answer {
    const char* name;
    std::string bytes;
    std::string more = "";  // sent a moment later
};

std::vector<Answer> whole_sets()
{
    const auto size = set.size();
    const auto differ = length(size) + length(9);
    return {
        {"right", head(length(size)) + set},
        {"negative", head(length("-1")) + set},
        {"a word", head(length("many")) + set},
        {"empty", head(length("")) + set},
        {"hexadecimal", head(length("0x29")) + set},
        {"beyond 64 bits", head(length(std::string(30, '9'))) + set},
        {"the same twice", head(length(fmt::format("{}, {}", size, size))) + set},
        {"two that differ", head(length(fmt::format("{}, 9", size))) + set},
        {"two headers, the wrong one last", head(differ) + set},
        {"two headers, the right one last", head(length(9) + length(size)) + set},
        {"zero", head(length(0)) + set},
        {"zero, the body later", head(length(0)), set},
        {"too short", head(length(9)) + set},
        {"too short, the rest later", head(length(9)) + set.substr(0, 9), set.substr(9)},
        {"too short, the rest later, beyond it before", head(length(9)) + set.substr(0, 20), set.substr(20)},
        {"too long", head(length(size + 9)) + set},
        {"none", head("") + set},
        {"chunked and negative", head(chunks + length("-1")) + chunked(set)},
        {"chunked and too short", head(length(9) + chunks) + chunked(set)},
        {"chunked and too long", head(length(900) + chunks) + chunked(set)},
        {"chunked without an end", head(chunks) + chunked(set).substr(0, chunked(set).size() - 5)},
        {"named chunked, and is not", head(chunks) + set},
        {"named chunked, and is not, the body later", head(chunks + length(size)), set},
        {"named in an unknown coding", head("Transfer-Encoding: x-unknown\r\n") + set},
        {"HTTP/1.0, too short", "HTTP/1.0 200 OK\r\n" + length(9) + "\r\n" + set},
        {"behind interim answers",
         "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n" + length(3) + "\r\n" + head(length(size)) + set},
        {"a refusal, too long", head(length(size + 9), 400) + set},
        {"a refusal, a word", head(length("many"), 400) + set},
    };
}

}  // namespace

TEST_CASE_METHOD(Fixture, "a whole object is an answer, whatever length is stated, and whatever the connection does")
{
    for (const auto& answer : whole_sets()) {
        for (const auto& ending : {steps::fin(), steps::silence(), steps::reset()}) {
            CAPTURE(answer.name, static_cast<int>(ending.kind));
            ScriptedServer server(loop);
            server.play({steps::read_request(), steps::send(answer.bytes), steps::wait(20ms), steps::send(answer.more),
                         steps::wait(20ms), ending});
            auto request = as_sent(server.origin());
            std::string pieces;
            request.on_piece = [&pieces](std::string_view piece) { pieces += piece; };
            const auto result = send(std::move(request));
            REQUIRE(result.has_value());
            CHECK(result->body == set);
            CHECK(pieces == set);
            CHECK(server.requests().size() == 1);
        }
    }
}

TEST_CASE_METHOD(Fixture, "an object that is cut is no answer if it is shorter than stated, or the length is none")
{
    const auto cut = set.substr(0, set.size() - 1);
    for (const auto& headers : {length(set.size()), length("-1"), length("many"), length("9, 10"), length("")}) {
        for (const auto& ending : {steps::fin(), steps::silence(), steps::reset()}) {
            CAPTURE(headers, static_cast<int>(ending.kind));
            ScriptedServer server(loop);
            server.play({steps::read_request(), steps::send(head(headers) + cut), steps::wait(20ms), ending});
            auto request = as_sent(server.origin());
            std::string pieces;
            request.on_piece = [&pieces](std::string_view piece) { pieces += piece; };
            const auto result = send(std::move(request));
            REQUIRE(!result.has_value());
            CHECK(result.error().delivery == Delivery::answered);
            const auto closed = headers == length(set.size()) ? ErrorKind::network : ErrorKind::protocol;
            CHECK(result.error().kind() == (ending.kind == Step::Kind::silence ? ErrorKind::timeout
                                            : ending.kind == Step::Kind::reset ? ErrorKind::network
                                                                               : closed));
            CHECK(pieces == cut);
        }
    }
}

TEST_CASE_METHOD(Fixture,
                 "a body that is cut and not in the chunks that are named is no answer, but it is passed on, once")
{
    struct Row {
        std::string body;
        std::string as_sent;
        std::string undone;  // what libcurl has decoded before it gave up
    };
    const auto cut = set.substr(0, 20);
    const std::vector<Row> rows = {
        {cut, cut, ""}, {"{\r\n" + cut, "{\r\n" + cut, ""}, {"5\r\n" + cut, cut, set.substr(0, 5)}};
    for (const auto& row : rows) {
        for (const auto coding : {Coding::as_sent, Coding::undone}) {
            CAPTURE(row.body, static_cast<int>(coding));
            ScriptedServer server(loop);
            server.play({steps::read_request(), steps::send(head(chunks) + row.body), steps::fin()});
            auto request = as_sent(server.origin());
            request.coding = coding;
            std::string pieces;
            request.on_piece = [&pieces](std::string_view piece) { pieces += piece; };
            const auto result = send(std::move(request));
            REQUIRE(!result.has_value());
            CHECK(result.error().delivery == Delivery::answered);
            CHECK(pieces == (coding == Coding::as_sent ? row.as_sent : row.undone));
        }
    }
}

TEST_CASE_METHOD(Fixture, "an answer that is no JSON ends where it says, or with the connection")
{
    struct Row {
        const char* name;
        std::string bytes;
        Step ending;
        bool is_answer;
        std::string body;
    };
    const std::string form = "access_token=a&refresh_token=r";
    const std::string zipped = std::string("\x1f\x8b\x08\0", 4) + "{}";
    const std::vector<Row> rows = {
        {"a form, right", head(length(form.size())) + form, steps::silence(), true, form},
        {"a form, too short", head(length(9)) + form, steps::fin(), true, form},
        {"a form, too short, reset", head(length(9)) + form, steps::reset(), false, ""},
        {"a form, too long", head(length(99)) + form, steps::fin(), false, ""},
        {"a form, a word", head(length("many")) + form, steps::fin(), false, ""},
        {"coded, right", head("Content-Encoding: gzip\r\n" + length(zipped.size())) + zipped, steps::silence(), true,
         zipped},
        {"coded, too short", head("Content-Encoding: gzip\r\n" + length(3)) + zipped, steps::silence(), true, zipped},
        {"a page, a word", head(length("many"), 502) + "<html>", steps::fin(), true, "<html>"},
        {"a page, right", head(length(6), 502) + "<html>", steps::silence(), true, "<html>"},
        {"empty", head(length(0)), steps::silence(), true, ""},
        {"empty, a word", head(length("many")), steps::fin(), true, ""},
        {"empty, too long", head(length(9)), steps::fin(), false, ""},
        {"204", head(length("-1"), 204), steps::silence(), true, ""},
        {"304", head(length(50), 304), steps::silence(), true, ""},
        {"a redirect, a word", head(length("many"), 302), steps::silence(), true, ""},
        {"a redirect, too long", head(length(9), 302) + "moved", steps::fin(), true, "moved"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.name);
        ScriptedServer server(loop);
        server.play({steps::read_request(), steps::send(row.bytes), steps::wait(20ms), row.ending});
        const auto result = send(as_sent(server.origin()));
        REQUIRE(result.has_value() == row.is_answer);
        if (row.is_answer) {
            CHECK(result->body == row.body);
        }
    }
}

TEST_CASE_METHOD(Fixture, "what follows a whole object does not make an answer too large, an object too large does")
{
    for (const auto& [limit, is_answer] : {std::pair{set.size(), true}, std::pair{set.size() - 1, false}}) {
        CAPTURE(limit);
        ScriptedServer server(loop);
        server.play({steps::read_request(), steps::send(head(length("many")) + set), steps::wait(20ms),
                     steps::send(std::string(100, 'x')), steps::silence()});
        auto request = as_sent(server.origin());
        request.max_body = limit;
        const auto result = send(std::move(request));
        REQUIRE(result.has_value() == is_answer);
        if (is_answer) {
            CHECK(result->body == set);
        } else {
            CHECK(result.error().kind() == ErrorKind::protocol);
        }
    }
}

TEST_CASE_METHOD(Fixture,
                 "a request whose answer is taken as it comes asks for the end of the connection, no other does")
{
    for (const auto coding : {Coding::undone, Coding::as_sent}) {
        ScriptedServer server(loop);
        server.play({steps::read_request(), steps::ok("{}")});
        auto request = as_sent(server.origin());
        request.coding = coding;
        REQUIRE(send(std::move(request)).has_value());
        const bool asks = server.requests().front().find("\r\nConnection: close\r\n") != std::string::npos;
        CHECK(asks == (coding == Coding::as_sent));
    }
}

TEST_CASE_METHOD(Fixture, "a proxy's answer is taken as that of a service is; a tunnel that it refuses is not sent to")
{
    ScriptedServer proxy(loop);
    proxy.play({steps::read_request(), steps::send(head(length(9)) + set), steps::silence()});
    proxy.play({steps::read_request(), steps::send(head(length("-1"), 407)), steps::silence()});
    auto plain = as_sent("http://shelf.invalid");
    plain.route.proxy = proxy.origin();
    const auto answered = send(std::move(plain));
    REQUIRE(answered.has_value());
    CHECK(answered->body == set);
    auto tunnel = as_sent("https://shelf.invalid");
    tunnel.route.proxy = proxy.origin();
    const auto refused = send(std::move(tunnel));
    REQUIRE(!refused.has_value());
    CHECK(refused.error().delivery == Delivery::not_sent);
    CHECK(refused.error().text().find("with status 407") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "of any other request, an answer with a length that is none is an error that says so")
{
    const auto twice = fmt::format("9\r\nContent-Length: {}", set.size());
    for (const auto& value : {std::string("-1"), std::string("many"), std::string(), std::string("0x29"),
                              std::string("41 bytes"), std::string("9, 41"), twice}) {
        CAPTURE(value);
        ScriptedServer server(loop);
        server.play({steps::read_request(), steps::send(head(length(value)) + set), steps::fin()});
        const auto result = send(get(server.origin()));
        REQUIRE(!result.has_value());
        CHECK(result.error().kind() == ErrorKind::protocol);
        CHECK(result.error().text() ==
              fmt::format("the Content-Length of the answer of 127.0.0.1:{} is not one length", server.port()));
    }
}

TEST_CASE_METHOD(Fixture, "of any other request, two lengths are an error at once, though the connection stays open")
{
    ScriptedServer server(loop);
    server.play({steps::read_request(), steps::send(head(length(9) + length(900)) + set), steps::silence()});
    auto request = get(server.origin());
    request.timeouts.idle = 20s;
    const auto result = send(std::move(request));
    REQUIRE(!result.has_value());
    CHECK(result.error().kind() == ErrorKind::protocol);
    CHECK(result.error().delivery == Delivery::answered);
    CHECK(result.error().text().find("is not one length") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "of any other request, a whole object that is less than announced is an error that says so")
{
    for (const auto& headers : {length(set.size() + 9), chunks}) {
        for (const auto& ending : {steps::fin(), steps::silence()}) {
            CAPTURE(headers, static_cast<int>(ending.kind));
            const auto body = headers == chunks ? fmt::format("{:x}\r\n{}\r\n", set.size(), set) : set;
            ScriptedServer server(loop);
            server.play({steps::read_request(), steps::send(head(headers) + body), steps::wait(20ms), ending});
            auto request = get(server.origin());
            request.timeouts.idle = 800ms;
            const auto result = send(std::move(request));
            REQUIRE(!result.has_value());
            CHECK(result.error().kind() == ErrorKind::protocol);
            CHECK(result.error().delivery == Delivery::answered);
            CHECK(result.error().text().find("by its headers more must follow") != std::string::npos);
        }
    }
}

TEST_CASE_METHOD(Fixture, "of any other request, a cut object is waited for as long as a request may be idle")
{
    ScriptedServer server(loop);
    server.play({steps::read_request(), steps::send(head(length(set.size())) + set.substr(0, 9)), steps::wait(300ms),
                 steps::send(set.substr(9)), steps::silence()});
    auto request = get(server.origin());
    request.timeouts.idle = 20s;
    const auto result = send(std::move(request));
    REQUIRE(result.has_value());
    CHECK(result->body == set);
}

TEST_CASE_METHOD(Fixture, "of any other request, what comes beyond the stated length is in no other answer")
{
    const auto certificate = Certificate::for_name("IP:127.0.0.1");
    const TempDirectory directory;
    write_file(directory / "ca.pem", certificate.certificate_pem);
    const auto second_answer = head(length(3)) + "[9]";
    constexpr std::size_t one_record = 16u << 10;
    const std::string large = "[" + std::string(40'000, ' ') + "]";
    struct Row {
        const char* name;
        std::string body;
        std::string beyond;
        bool at_once;
    };
    const std::vector<Row> rows = {
        {"at once", "[1]", "junk", true},
        {"later", "[1]", "junk", false},
        {"an answer, at once", "[1]", second_answer, true},
        {"an answer, later", "[1]", second_answer, false},
        {"an answer behind a large one", large, second_answer, true},
    };
    for (const bool is_tls : {false, true}) {
        for (const auto& row : rows) {
            CAPTURE(row.name, is_tls);
            if (is_tls && row.body.size() > one_record) {
                continue;  // what TLS has decrypted and libcurl 7.88 has not read is taken for the next answer
            }
            const auto server =
                is_tls ? std::make_unique<ScriptedServer>(loop, certificate) : std::make_unique<ScriptedServer>(loop);
            const auto answer = head(length(row.body.size())) + row.body;
            server->play({steps::read_request(), steps::send(answer + (row.at_once ? row.beyond : "")),
                          steps::wait(30ms), steps::send(row.at_once ? "" : row.beyond), steps::read_request(),
                          steps::ok("[1]")});
            server->play({steps::read_request(), steps::ok("[2]")});
            const auto ask = [&](const std::string& path) {
                auto request = get(server->origin() + path);
                request.route.ca_file = is_tls ? directory / "ca.pem" : "";
                return send(std::move(request));
            };
            const auto first = ask("/a");
            REQUIRE(first.has_value());
            CHECK(first->body == row.body);
            asio::steady_timer timer(loop, 60ms);
            auto pause = [&timer]() -> asio::awaitable<bool> {
                co_await timer.async_wait(asio::use_awaitable);
                co_return true;
            };
            run(pause());
            const auto second = ask("/b");
            REQUIRE(second.has_value());
            CHECK(second->body == "[2]");
            CHECK(second->requests_sent == server->requests().size() - 1);
            CHECK(server->connections() == 2);
        }
    }
}

}  // namespace shelfd::http
