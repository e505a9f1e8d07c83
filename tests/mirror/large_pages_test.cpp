#include "mirror/json/pieces.hpp"
#include "mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

// Pages beyond mirror::max_whole are read in pieces; nobody but the memory may notice.
using namespace shelfd;

namespace {

constexpr int many = 30'000;

std::string row(int id, const std::string& more = "")
{
    return fmt::format(R"({{"id":{},"name":"row {}","note":"{:x>180}"{}}})", id, id, id, more);
}

// Ids from `first` down to `last`.
std::vector<std::string> falling(int first, int last)
{
    std::vector<std::string> rows;
    for (int id = first; id >= last; --id) {
        rows.push_back(row(id));
    }
    return rows;
}

std::string array(const std::vector<std::string>& rows)
{
    std::string text = "[";
    for (const auto& one : rows) {
        text += (text.size() == 1 ? "" : ",") + one;
    }
    text += "]";
    REQUIRE(text.size() > mirror::max_whole);
    return text;
}

}  // namespace

TEST_CASE("a page in pieces brings what the same page brings at once")
{
    MirrorFixture fixture;
    auto pass = fixture.begin();
    const auto first = must(pass->add_page(array(falling(2 * many, many + 1))));
    const auto second = must(pass->add_page(array(falling(many, 1))));
    for (const auto* facts : {&first, &second}) {
        CHECK(facts->items == many);
        CHECK(facts->new_to_pass == many);
        CHECK(facts->fresh == many);
        CHECK(facts->falling);
        CHECK(facts->descending);
        CHECK(facts->above_newest == 0);
    }
    CHECK(first.highest_key == 2 * many);
    CHECK(first.lowest_key == many + 1);
    CHECK(second.lowest_key == 1);
    CHECK(must(pass->publish(complete_proof(2))).rows == 2 * many);
    CHECK(fixture.one("SELECT count(*) || '|' || sum(id) FROM things") == "60000|1800030000");
    CHECK(fixture.item("12345") == row(12345));

    // The digest of the keys is that of a walk in small pages.
    auto again = fixture.begin();
    mirror::PageFacts small;
    const auto all = falling(2 * many, 1);
    for (std::size_t at = 0; at < all.size(); at += 1000) {
        std::string text;
        for (std::size_t i = at; i < at + 1000; ++i) {
            text += (text.empty() ? "" : ",") + all[i];
        }
        small = must(again->add_page("[" + text + "]"));
    }
    CHECK(small.key_set == second.key_set);
    CHECK(small.fresh == 0);
}

TEST_CASE("the order of a page in pieces breaks where it breaks at once")
{
    MirrorFixture fixture;
    auto rising = falling(many, 1);
    std::reverse(rising.begin(), rising.end());
    auto pass = fixture.begin();
    const auto facts = must(pass->add_page(array(rising)));
    CHECK_FALSE(facts.falling);
    CHECK_FALSE(facts.descending);
    CHECK(facts.highest_key == many);

    MirrorFixture texts;
    auto rows = falling(many, 1);
    rows[many / 3] = R"({"id":"a text"})";
    auto mixed = texts.begin();
    const auto mixed_facts = must(mixed->add_page(array(rows)));
    CHECK_FALSE(mixed_facts.highest_key);
    CHECK_FALSE(mixed_facts.lowest_key);
    CHECK_FALSE(mixed_facts.falling);
}

TEST_CASE("of a page in pieces that is broken further on nothing was taken")
{
    MirrorFixture fixture;
    auto pass = fixture.begin();
    auto rows = falling(many, 1);
    rows[many - 2] = R"({"name":"no key"})";
    const auto added = pass->add_page(array(rows));
    REQUIRE(!added);
    CHECK(added.error().kind() == ErrorKind::protocol);
    CHECK_THAT(added.error().text(), Catch::Matchers::Contains(fmt::format("item {} of a page", many - 1)));
    CHECK(pass->distinct_keys() == 0);
    CHECK(must(pass->add_page(array(falling(many, 1)))).items == many);
    CHECK(must(pass->publish(complete_proof())).rows == many);
}

TEST_CASE("a row that is twice in a page in pieces is one row where its bytes are the same, and a fault where not")
{
    const bool is_same = GENERATE(true, false);
    MirrorFixture fixture;
    auto pass = fixture.begin();
    auto rows = falling(many, 1);
    rows.push_back(row(many, is_same ? "" : R"(,"other":1)"));
    const auto added = pass->add_page(array(rows));
    REQUIRE(added.has_value() == is_same);
    if (is_same) {
        CHECK(added->items == many);
        CHECK(added->new_to_pass == many);
        CHECK(must(pass->publish(complete_proof())).rows == many);
    } else {
        CHECK(added.error().kind() == ErrorKind::protocol);
        CHECK_THAT(added.error().text(), Catch::Matchers::Contains(fmt::format("the same key {}", many)));
        CHECK_FALSE(pass->publish(complete_proof()));
    }
}

TEST_CASE(
    "a row that is too large to be read is refused with its size and the cure, and taken where the cure was heard")
{
    const auto large = row(2, fmt::format(R"(,"photo":"{}")", std::string(mirror::max_row, 'p')));
    MirrorFixture fixture;
    auto pass = fixture.begin();
    const auto added = pass->add_page("[" + row(1) + "," + large + "]");
    REQUIRE(!added);
    CHECK(added.error().kind() == ErrorKind::config);
    CHECK_THAT(added.error().text(), Catch::Matchers::Contains("item 2 of a page has 8.0 MiB"));
    CHECK_THAT(added.error().text(), Catch::Matchers::Contains("`exclude`"));

    mirror::ResourceSpec spec;
    spec.name = "things";
    spec.exclude = {"photo"};
    MirrorFixture cured({spec});
    auto taken = cured.begin();
    CHECK(must(taken->add_page("[" + row(1) + "," + large + "]")).items == 2);
    CHECK(must(taken->publish(complete_proof())).rows == 2);
    CHECK(cured.item("2") == row(2));
}

TEST_CASE("hundreds of new columns join a table with its rows, whatever way they are added")
{
    const int rows_before = GENERATE(10, 5'000);
    constexpr int columns = 300;
    MirrorFixture fixture;
    std::string before;
    for (int id = 1; id <= rows_before; ++id) {
        before += (id == 1 ? "" : ",") + row(id);
    }
    fixture.load({before});
    std::string wide;
    for (int column = 0; column < columns; ++column) {
        wide += fmt::format(R"(,"c{}":{})", column, column);
    }
    fixture.load({before + "," + row(rows_before + 1, wide), row(rows_before + 2, R"(,"late":true)")});
    CHECK(fixture.one("SELECT count(*) FROM things") == std::to_string(rows_before + 2));
    CHECK(fixture.one("SELECT count(*) FROM pragma_table_info('things')") == std::to_string(3 + columns + 1 + 2));
    CHECK(fixture.one(fmt::format("SELECT c299 FROM things WHERE id = {}", rows_before + 1)) == "299");
    CHECK(fixture.one("SELECT count(c0) FROM things") == "1");
    CHECK(fixture.item(std::to_string(rows_before + 1)) == row(rows_before + 1, wide));
    CHECK(fixture.item("7") == row(7));
}
