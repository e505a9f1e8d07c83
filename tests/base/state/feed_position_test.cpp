#include "base/state/feed_position.hpp"
#include "support/catch.hpp"

#include <string>

namespace shelfd {
namespace {

TEST_CASE("a position is read as it is written, and nothing else is one")
{
    for (const std::string text : {"65f1c0a2b3c4d:0", "65f1c0a2b3c4d:1234", "65f1c0a2b3c4d:1234.2"}) {
        CAPTURE(text);
        const auto position = Position::parse(text);
        REQUIRE(position);
        CHECK(position->to_text() == text);
    }
    for (const std::string text :
         {"", ":", "12", ":12", "65f1:", "65f1:-3", "65f1:-0", "65f1:+3", "65f1:3.", "65f1:3.-1", "65f1:3 ", " 65f1:3",
          "position 65f1:3", "\"65f1:3\"", "65f1:9223372036854775808"}) {
        CAPTURE(text);
        CHECK_FALSE(Position::parse(text));
    }
}

}  // namespace
}  // namespace shelfd
