// Every value that a mirror could spoil stands in the seeded rows.
#include "sim/json.hpp"
#include "sim_wire/raw_client.hpp"
#include "support/catch.hpp"

#include <algorithm>

namespace shelfd::sim {

namespace {

std::string recipes_of(std::uint64_t seed, std::size_t rows = 60)
{
    World world({.seed = seed, .rows = rows});
    return world.rows("lib01", "library/recipes", "http://api.example.com");
}

}  // namespace

TEST_CASE("sixty recipes hold every awkward value as the service writes it")
{
    const auto text = recipes_of(1);
    const std::vector<std::string> wanted{
        R"("list_price":"89.00")",
        R"(:1e-07,)",
        R"(:1e+22,)",
        R"(:-0.0,)",
        R"(:9223372036854775807,)",
        R"(:-9223372036854775808,)",
        R"(:9007199254740993,)",
        R"(:18446744073709551617,)",
        R"("2024-01-06T06:00:00.999999Z")",
        R"("2024-01-06T06:00:00Z")",
        R"(+02:00")",
        R"("2024-02-29")",
        R"("06:30:00")",
        R"(grüße, 東京, 🍋🥄)",
        R"(<b>fish & chips</b>)",
        R"(\there, line\nthere, \"quoted\" \\ and \u0001)",
        R"("always_null":null)",
        R"("sometimes_null":null)",
        R"("is_menu":true)",
        R"("is_menu":false)",
        R"("tags":[])",
        R"("extra":{})",
        R"("extra":{"deep":[{"x":1e-07}],"Ünï":null})",
        R"("Name":"another key than name")",
        R"("select":)",
        R"("table name \"quoted\"":)",
        R"("rare":)",
        R"("legacy":17,)",
        R"("legacy":"17")",
        R"("legacy":true)",
        R"("legacy":[17])",
    };
    for (const auto& value : wanted) {
        INFO(value);
        CHECK(text.find(value) != std::string::npos);
    }
    CHECK(text.find(std::string(200'000, 'x')) != std::string::npos);
    const auto items = parse_json(text).value().items;
    const auto with_rare =
        std::count_if(items.begin(), items.end(), [](const Json& item) { return item.find("rare") != nullptr; });
    CHECK(with_rare > 0);
    CHECK(with_rare < 60);
}

TEST_CASE("the same seed gives the same bytes, another seed others")
{
    CHECK(recipes_of(7) == recipes_of(7));
    CHECK(recipes_of(7) != recipes_of(8));
}

TEST_CASE("a JSON text survives reading and writing byte for byte")
{
    const auto text = recipes_of(3);
    CHECK(to_text(parse_json(text).value()) == text);
    for (const char* broken : {"", "{", "[1,]", "{\"a\":}", "01", "1.", "\"\n\"", "\"\\ud800\"", "nul", "[1] 2", "-"}) {
        INFO(broken);
        CHECK_FALSE(parse_json(broken));
    }
    CHECK(parse_json("\"\\ud83c\\udf4b\\u00e9\"").value().text == "🍋é");
}

TEST_CASE("rows of different libraries never share an id")
{
    World world({.libraries = 2, .rows = 5});
    const auto first = parse_json(world.rows("lib01", "sales/lines", "")).value().items;
    const auto second = parse_json(world.rows("lib02", "sales/lines", "")).value().items;
    for (const auto& a : first) {
        for (const auto& b : second) {
            CHECK(a.find("id")->text != b.find("id")->text);
        }
    }
}

}  // namespace shelfd::sim
