#include "mirror/json/comparison.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

using namespace shelfd;

namespace {

struct Row {
    const char* name;
    const char* ours;
    const char* theirs;
    const char* differences;  // KEY:OURS:THEIRS, one after the other
};

std::string text_of(const std::vector<mirror::Difference>& differences)
{
    std::string text;
    for (const auto& one : differences) {
        text += (text.empty() ? "" : " ") + one.key + ":" + one.ours + ":" + one.theirs;
    }
    return text;
}

}  // namespace

TEST_CASE("two texts of an item differ where their values do, whatever they look like")
{
    const Row rows[] = {
        {"the same", R"({"id":1,"a":"x"})", R"({"id":1,"a":"x"})", ""},
        {"order, blanks and escapes", R"({"id":1,"a":{"b":[1,2],"c":"é"}})",
         R"({ "a" : { "c":"\u00e9", "b": [ 1, 2 ] }, "id": 1 })", ""},
        {"one instant, two texts", R"({"t":"2024-01-06T06:00:00.000000Z"})", R"({"t":"2024-01-06T07:00:00+01:00"})",
         ""},
        {"what only the other has", R"({"id":1})", R"({"id":1,"steps":[]})", ""},
        {"another value", R"({"id":1,"a":"x"})", R"({"id":1,"a":"y"})", R"("a":"x":"y")"},
        {"another type", R"({"a":7})", R"({"a":"7"})", R"("a":7:"7")"},
        {"numbers by their text", R"({"a":1.50})", R"({"a":1.5})", R"("a":1.50:1.5)"},
        {"another order in an array", R"({"a":[1,2]})", R"({"a":[2,1]})", R"("a":[1,2]:[2,1])"},
        {"a key that stands there twice", R"({"a":1,"a":2})", R"({"a":1,"a":2})", ""},
        {"a key that stands there once less", R"({"a":1,"a":2})", R"({"a":1})", R"("a":2:)"},
        {"null is not absent", R"({"a":null,"b":1})", R"({"b":1})", R"("a":null:)"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        CHECK(text_of(must(mirror::compare_items(row.ours, row.theirs))) == row.differences);
    }
    CHECK(mirror::compare_items(R"({"a":1})", "[]").error().kind() == ErrorKind::protocol);
}
