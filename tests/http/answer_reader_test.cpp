#include "http/answer/answer_reader.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

namespace shelfd::http {
namespace {

struct Row {
    const char* name;
    std::string bytes;
    int status;
    std::string body;
    bool is_over;  // without the end of the connection
    bool is_complete_if_closed = true;
    std::vector<Header> headers = {};
};

const std::string object = R"({"a":1})";
const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const Header chunks{"Transfer-Encoding", "chunked"};

std::vector<Row> rows()
{
    const std::string ok = "HTTP/1.1 200 OK\r\n";
    return {
        {"a length", ok + "Content-Length: 7\r\n\r\n" + object, 200, object, true, true, {{"Content-Length", "7"}}},
        {"line feeds alone",
         "HTTP/1.1 200 OK\nContent-Length: 7\n\n" + object,
         200,
         object,
         true,
         true,
         {{"Content-Length", "7"}}},
        {"blank lines before it", "\r\n\n" + ok + "\r\n" + object, 200, object, false},
        {"no reason", "HTTP/1.1 201\r\n\r\n" + object, 201, object, false},
        {"another version", "HTTP/3 200\r\n\r\n" + object, 200, object, false},
        {"behind interim answers",
         "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n" + ok + "\r\n" + object, 200, object,
         false},
        {"a line without a colon",
         ok + "X Broken\r\nX-A: 1\r\n\r\n" + object,
         200,
         object,
         false,
         true,
         {{"X-A", "1"}}},
        {"no empty line", ok + "X-A: 1\r\n" + object, 200, object, false, true, {{"X-A", "1"}}},
        {"a line of an object, folded",
         ok + "X-A: 1\r\n {\"b\":2}\r\n\r\n" + object,
         200,
         object,
         false,
         true,
         {{"X-A", "1 {\"b\":2}"}}},
        {"a 204", "HTTP/1.1 204 No Content\r\n\r\n" + object, 204, object, false},
        {"a 204, empty", "HTTP/1.1 204 No Content\r\n\r\n", 204, "", false},
        {"no head", object, 0, object, false, false},
        {"no head behind an interim answer", "HTTP/1.1 100 Continue\r\n\r\n" + object, 0, object, false, false},
        {"another protocol", "SSH-2.0-OpenSSH\r\n", 0, "SSH-2.0-OpenSSH\r\n", false, false},
        {"a beginning like that of HTTP", "HTTPS/1.1 200 OK\r\n", 0, "HTTPS/1.1 200 OK\r\n", false, false},
        {"a head that is cut", ok + "X-A: 1\r\nX-B", 200, "", false, false, {{"X-A", "1"}}},

        {"chunks", chunked + "4\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n\r\n", 200, object, true, true, {chunks}},
        {"chunks with extensions, zeros, blanks",
         chunked + "04;x=\"y\"\r\n{\"a\"\r\n003 \t\r\n:1}\r\n00;z\r\nX-T: late\r\n\r\n",
         200,
         object,
         true,
         true,
         {chunks}},
        {"chunks with line feeds alone", chunked + "7\n" + object + "\n0\n\n", 200, object, true, true, {chunks}},
        {"chunks of a form", chunked + "3\r\na=b\r\n0\r\nX-T: late\r\n\r\n", 200, "a=b", false, true, {chunks}},
        {"a form behind the last chunk", chunked + "0\r\n\r\na=b", 200, "a=b", false, true, {chunks}},
        {"an object behind the last chunk", chunked + "0\r\n" + object, 200, object, true, true, {chunks}},
        {"no last chunk, a form", chunked + "3\r\na=b\r\n", 200, "a=b", false, false, {chunks}},
        {"no last chunk, an object", chunked + "7\r\n" + object + "\r\n", 200, object, false, true, {chunks}},
        {"no chunks", chunked + object, 200, object, false, true, {chunks}},
        {"no chunks, a form that begins like one",
         chunked + "access_token=a",
         200,
         "access_token=a",
         false,
         false,
         {chunks}},
        {"no chunks, a word and a blank", chunked + "Bad gateway", 200, "Bad gateway", false, false, {chunks}},
        {"no chunk behind the first", chunked + "4\r\n{\"a\"\r\n:1}", 200, object, false, true, {chunks}},
        {"a chunk that is longer than it says",
         chunked + "2\r\n" + object + "\r\n0\r\n\r\n",
         200,
         object + "\r\n0\r\n\r\n",
         false,
         true,
         {chunks}},
        {"a chunk that is shorter than it says",
         chunked + "9\r\n" + object + "\r\n0\r\n\r\n",
         200,
         object + "\r\n0\r\n\r\n",
         false,
         true,
         {chunks}},
        {"a size beyond 64 bits",
         chunked + "fffffffffffffffff\r\n" + object,
         200,
         "fffffffffffffffff\r\n" + object,
         false,
         false,
         {chunks}},
        {"chunks in a 204",
         "HTTP/1.1 204 X\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n" + object + "\r\n0\r\n\r\n",
         204,
         object,
         true,
         true,
         {chunks}},
        {"coded, in chunks",
         "HTTP/1.1 200 X\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n7\r\n" + object + "\r\n0\r\n\r\n",
         200,
         object,
         true,
         true,
         {{"Transfer-Encoding", "gzip, Chunked"}}},
    };
}

}  // namespace

TEST_CASE("no byte of a body is lost, whatever is wrong with its head or its chunks, and however it is cut into pieces")
{
    for (const auto& row : rows()) {
        CAPTURE(row.name);
        for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{7}, row.bytes.size()}) {
            Request request;
            request.coding = Coding::as_sent;
            std::string pieces;
            request.on_piece = [&pieces](std::string_view piece) { pieces += piece; };
            IncomingAnswer answer(request);
            AnswerReader reader(answer);
            bool goes_on = true;
            for (std::size_t at = 0; goes_on && at < row.bytes.size(); at += size) {
                goes_on = reader.take(std::string_view(row.bytes).substr(at, size));
            }
            CHECK(goes_on == !row.is_over);
            CHECK(pieces == row.body);
            CHECK(answer.status() == row.status);
            CHECK(answer.is_complete(Ending::closed) == row.is_complete_if_closed);
            CHECK(reader.is_foreign() == (row.status == 0));
            const auto response = answer.take_response();
            CHECK(response.body == row.body);
            REQUIRE(response.headers.size() == row.headers.size());
            for (const auto& header : row.headers) {
                CHECK(response.header(header.name) == header.value);
            }
        }
    }
}

TEST_CASE("a line of a head, or of a chunk's frame, that has no end is not kept without end")
{
    Request request;
    request.coding = Coding::as_sent;
    request.max_body = 8000;
    const auto takes = [&request](const std::string& beginning, const std::string& endless, std::size_t pieces) {
        IncomingAnswer answer(request);
        AnswerReader reader(answer);
        bool goes_on = reader.take(beginning);
        for (std::size_t i = 0; goes_on && i < pieces; ++i) {
            goes_on = reader.take(endless);
        }
        return goes_on;
    };
    CHECK_FALSE(takes("HTTP/1.1 200 OK\r\nX-Flood: ", std::string(1024, 'f'), 300));
    CHECK_FALSE(takes(chunked + "1;", std::string(1024, 'f'), 20));
    CHECK_FALSE(takes(chunked + "0\r\nX-Flood: ", std::string(1024, 'f'), 20));
    CHECK(takes(chunked + "1;", std::string(1024, 'f'), 3));
}

}  // namespace shelfd::http
