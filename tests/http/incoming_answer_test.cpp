#include "http/answer/incoming_answer.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

namespace shelfd::http {
namespace {

using Excess = IncomingAnswer::Excess;

bool take_all(IncomingAnswer& answer, const std::vector<std::string>& lines)
{
    bool goes_on = true;
    for (const auto& line : lines) {
        goes_on = answer.take_line(line + "\r\n");
    }
    return goes_on;
}

}  // namespace

TEST_CASE("a head is read to its empty line: neither interim answers nor trailers belong to it")
{
    Request request;
    std::vector<int> statuses;
    request.on_headers = [&statuses](int status) { statuses.push_back(status); };
    IncomingAnswer answer(request);
    CHECK(take_all(answer, {"HTTP/1.1 103 Early Hints", "Content-Length: 3", ""}));
    CHECK(answer.status() == 0);
    CHECK(!answer.has_head());
    CHECK(take_all(answer, {"HTTP/1.1  200 OK", "Content-Length:  7 ", "no colon", "X-Folded: a", "\t b", ""}));
    CHECK(take_all(answer, {"X-Trailer: late", ""}));
    CHECK(answer.has_head());
    CHECK(statuses == std::vector<int>{200});
    const auto response = answer.take_response();
    CHECK(response.status == 200);
    REQUIRE(response.headers.size() == 2);
    CHECK(response.header("content-length") == "7");
    CHECK(response.header("x-folded") == "a b");
}

TEST_CASE("a head over its limit is not read any further, interim answers included")
{
    const Request request;
    IncomingAnswer answer(request);
    const std::string flood(IncomingAnswer::max_header_bytes - 100, 'f');
    CHECK(take_all(answer, {"HTTP/1.1 100 Continue", "X-Flood: " + flood, ""}));
    CHECK(!take_all(answer, {"HTTP/1.1 200 OK", "X-More: " + std::string(100, 'f'), ""}));
    CHECK(answer.excess() == Excess::headers);
    CHECK(!answer.has_head());
}

TEST_CASE("the buffer of a large answer is as long as its head says, once a part of it has arrived")
{
    const Request request;
    const std::string piece(16 * 1024, 'x');
    const auto capacity = [&request, &piece](std::size_t stated, int pieces) {
        IncomingAnswer answer(request);
        take_all(answer, {"HTTP/1.1 200 OK", ""});
        for (int i = 0; i < pieces; ++i) {
            CHECK(answer.take_piece(piece, stated));
        }
        const auto response = answer.take_response();
        CHECK(response.body.size() == piece.size() * static_cast<std::size_t>(pieces));
        return response.body.capacity();
    };
    constexpr std::size_t slack = 1024;
    CHECK(capacity(320 * piece.size(), 320) <= 320 * piece.size() + slack);
    CHECK(capacity(40'000'000, 1) <= 256 * 1024 + slack);
    CHECK(capacity(40'000'000, 65) <= 40'000'000 + slack);
    CHECK(capacity(std::size_t{1} << 60U, 65) <= request.max_body + slack);
    // Of a length that is not stated, once it is large: what is reserved takes no memory before it arrives.
    CHECK(capacity(0, 10) < 1024 * 1024);
    CHECK(capacity(0, 100) >= request.max_body);
    CHECK(capacity(0, 100) <= request.max_body + slack);
    // Less than what came.
    CHECK(capacity(piece.size(), 65) >= 65 * piece.size());
}

TEST_CASE("of large bodies whose lengths are not stated, only the first to grow is reserved, the others count twice")
{
    const std::string piece(16 * 1024, 'x');
    Request request;
    request.room = std::make_shared<BodyRoom>(std::uint64_t{32} << 20U);
    IncomingAnswer first(request);
    IncomingAnswer second(request);
    for (auto* answer : {&first, &second}) {
        take_all(*answer, {"HTTP/1.1 200 OK", ""});
        for (std::size_t i = 0; i < 100; ++i) {
            REQUIRE(answer->has_room_for(piece.size(), 0));
            REQUIRE(answer->take_piece(piece, 0));
        }
    }
    const auto counted = request.room->taken();
    CHECK(counted >= 2 * 200 * piece.size());
    CHECK(counted <= 2 * (200 * piece.size() + BodyRoom::step));
    CHECK(first.take_response().body.capacity() >= request.max_body);
    CHECK(second.take_response().body.capacity() <= 2 * 100 * piece.size());
}

TEST_CASE("a body up to its limit is kept, one byte more ends the transfer, and every piece was passed on")
{
    Request request;
    request.max_body = 4;
    std::string pieces;
    request.on_piece = [&pieces](std::string_view piece) { pieces += piece; };
    IncomingAnswer answer(request);
    REQUIRE(take_all(answer, {"HTTP/1.1 200 OK", ""}));
    CHECK(answer.take_piece("ab", 0));
    CHECK(answer.take_piece("cd", 0));
    CHECK(answer.excess() == Excess::none);
    CHECK(!answer.take_piece("e", 0));
    CHECK(answer.excess() == Excess::body);
    CHECK(pieces == "abcde");
    CHECK(answer.take_response().body == "abcd");
}

TEST_CASE("an object of the length that is stated ends the transfer at once, a wrong length does not")
{
    for (const auto coding : {Coding::as_sent, Coding::undone}) {
        for (const auto& [length, is_right] : {std::pair{"2", true}, std::pair{"1", false}, std::pair{"3", false}}) {
            CAPTURE(static_cast<int>(coding), length);
            Request request;
            request.coding = coding;
            IncomingAnswer answer(request);
            REQUIRE(take_all(answer, {"HTTP/1.1 200 OK", std::string("Content-Length: ") + length, ""}));
            CHECK(answer.take_piece("{", 0));
            CHECK(answer.take_piece("}", 0) == !(is_right && coding == Coding::as_sent));
            CHECK(answer.is_complete(Ending::broken) == (coding == Coding::as_sent));
            CHECK(answer.excess() == Excess::none);
        }
    }
}

TEST_CASE("a server that goes on sending nothing is waited for less than the idle time, once an object is whole")
{
    Request request;
    request.timeouts.idle = std::chrono::minutes(2);
    for (const auto coding : {Coding::as_sent, Coding::undone}) {
        request.coding = coding;
        IncomingAnswer answer(request);
        CHECK(answer.patience() == std::chrono::minutes(2));
        REQUIRE(take_all(answer, {"HTTP/1.1 200 OK", "Content-Length: 9", ""}));
        CHECK(answer.take_piece("[{}", 0));
        CHECK(answer.patience() == std::chrono::minutes(2));
        CHECK(!answer.is_whole());
        CHECK(answer.take_piece("]\n", 0));
        CHECK(answer.is_whole());
        CHECK(answer.patience() <= std::chrono::seconds(coding == Coding::as_sent ? 1 : 5));
        CHECK(!(answer.is_complete(Ending::silence) && coding == Coding::undone));
    }
}

TEST_CASE("an answer with lengths that differ is refused at its head, unless it is taken as it comes")
{
    for (const auto coding : {Coding::as_sent, Coding::undone}) {
        Request request;
        request.coding = coding;
        IncomingAnswer answer(request);
        CHECK(take_all(answer, {"HTTP/1.1 200 OK", "Content-Length: 9", "Content-Length: 2"}));
        CHECK(answer.take_line("\r\n") == (coding == Coding::as_sent));
        CHECK(answer.excess() == Excess::none);
    }
}

}  // namespace shelfd::http
