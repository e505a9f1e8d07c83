#include "http/answer/body_end.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

namespace shelfd::http {
namespace {

using Patience = BodyEnd::Patience;

// Which endings make an answer complete.
struct Complete {
    bool closed;
    bool silence;
    bool broken;

    friend bool operator==(const Complete&, const Complete&) = default;
};

constexpr Complete always{true, true, true};
constexpr Complete never{false, false, false};
constexpr Complete if_closed{true, false, false};
constexpr Complete unless_broken{true, true, false};

struct Row {
    const char* name;
    int status;
    std::vector<Header> headers;
    std::string body;
    bool is_over;
    Patience patience;
    Complete complete;
};

std::vector<Header> length(const std::string& value)
{
    return {{"content-Length", value}};
}

std::vector<Row> rows()
{
    const std::string whole = R"({"a":["}\"",{}]})";  // 16 bytes
    const std::string cut = whole.substr(0, 15);
    const auto idle = Patience::idle;
    const auto brief = Patience::short_silence;
    const auto longer = Patience::long_silence;
    return {
        {"right", 200, length("16"), whole, true, brief, always},
        {"right, a line feed counted", 200, length("17"), whole + "\n", true, brief, always},
        {"right, a line feed not counted", 200, length("16"), whole + "\r\n", true, brief, always},
        {"right, a mark and spaces before", 200, length("21"), "\xef\xbb\xbf \n" + whole, true, brief, always},
        {"an array", 200, length("4"), "[{}]", true, brief, always},
        {"too long", 200, length("17"), whole, false, brief, always},
        {"too short", 200, length("15"), whole, false, brief, always},
        {"zero", 200, length("0"), whole, false, brief, always},
        {"negative", 200, length("-16"), whole, false, brief, always},
        {"a word", 200, length("many"), whole, false, brief, always},
        {"empty", 200, length(""), whole, false, brief, always},
        {"hexadecimal", 200, length("0x10"), whole, false, brief, always},
        {"a sign", 200, length("+16"), whole, false, brief, always},
        {"beyond 64 bits", 200, length("99999999999999999999"), whole, false, brief, always},
        {"the same twice", 200, length("16, 16"), whole, true, brief, always},
        {"two headers, the same",
         200,
         {{"Content-Length", "16"}, {"Content-Length", "16"}},
         whole,
         true,
         brief,
         always},
        {"two that differ", 200, length("16, 9"), whole, false, brief, always},
        {"two headers that differ",
         200,
         {{"Content-Length", "9"}, {"Content-Length", "16"}},
         whole,
         false,
         brief,
         always},
        {"one and nothing", 200, length("16,"), whole, false, brief, always},
        {"none", 200, {}, whole, false, brief, always},
        {"chunked, and a length",
         200,
         {{"Content-Length", "16"}, {"Transfer-Encoding", "chunked"}},
         whole,
         false,
         brief,
         always},

        {"cut", 200, length("16"), cut, false, idle, never},
        {"cut where it says", 200, length("15"), cut, false, longer, always},
        {"cut, too short", 200, length("14"), cut, false, longer, unless_broken},
        {"cut, a word", 200, length("many"), cut, false, idle, never},
        {"cut, a word, a refusal", 400, length("many"), cut, false, idle, never},
        {"cut, no length", 200, {}, cut, false, idle, if_closed},
        {"nothing yet", 200, length("16"), "", false, idle, never},

        {"no JSON, right", 200, length("3"), "a=b", false, brief, always},
        {"no JSON, too long", 200, length("4"), "a=b", false, idle, never},
        {"no JSON, too short", 200, length("2"), "a=b", false, longer, unless_broken},
        {"no JSON, a word", 200, length("many"), "a=b", false, idle, never},
        {"no JSON, a word, a refusal", 502, length("many"), "a=b", false, idle, if_closed},
        {"no JSON, no length", 200, {}, "a=b", false, idle, if_closed},
        {"empty, a word", 200, length("many"), "", false, idle, if_closed},
        {"coded, right", 200, length("2"), "\x1f\x8b", false, brief, always},
        {"empty", 200, length("0"), "", false, brief, always},

        {"204", 204, {}, "", false, brief, always},
        {"204, negative", 204, length("-1"), "", false, brief, always},
        {"204, a set", 204, {}, whole, false, brief, always},
        {"204, cut", 204, {}, cut, false, longer, unless_broken},
        {"304, a length", 304, length("50"), "", false, brief, always},
        {"chunked, cut", 200, {{"Transfer-Encoding", "chunked"}}, cut, false, idle, never},
        {"in another coding, cut", 200, {{"Transfer-Encoding", "gzip"}}, cut, false, idle, if_closed},
        {"a redirect, a word", 302, length("many"), "", false, longer, unless_broken},
        {"a redirect, too long", 302, length("9"), "a", false, longer, unless_broken},
    };
}

}  // namespace

TEST_CASE("a body is over when it is a whole object of the length that is stated; otherwise the end of the connection, "
          "or a silence, decides")
{
    for (const auto& row : rows()) {
        CAPTURE(row.name);
        for (const std::size_t piece : {std::size_t{1}, std::size_t{100}}) {
            BodyEnd end(row.status, row.headers);
            for (std::size_t at = 0; at < row.body.size(); at += piece) {
                CHECK(!end.is_over());
                end.take(std::string_view(row.body).substr(at, piece));
                if (end.is_over()) {
                    break;
                }
            }
            CHECK(end.is_over() == row.is_over);
            CHECK(end.patience() == row.patience);
            const Complete complete{end.is_complete(Ending::closed), end.is_complete(Ending::silence),
                                    end.is_complete(Ending::broken)};
            CHECK(complete == row.complete);
        }
    }
}

TEST_CASE("an end is awaited as long as a request may be idle while no head has arrived")
{
    const BodyEnd end;
    CHECK(!end.is_over());
    CHECK(end.patience() == Patience::idle);
}

}  // namespace shelfd::http
