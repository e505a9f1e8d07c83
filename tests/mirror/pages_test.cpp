#include "mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

using namespace shelfd;

namespace {

struct Fault {
    const char* name;
    const char* page;
    const char* says;
};

}  // namespace

TEST_CASE("a page that cannot be believed is refused whole, with resource, item and key in the text")
{
    const Fault faults[] = {
        {"no JSON", R"([{"id":1},)", "things"},
        {"cut in an item", R"([{"id":1},{"id":2)", "things"},
        {"an object instead of a list", R"({"id":1})", "array"},
        {"a number among the items", R"([{"id":1},7])", "item 2"},
        {"something behind the list", R"([{"id":1}] [])", "things"},
        {"a comma too many", R"([{"id":1},])", "item 2"},
        {"a comma missing", R"([{"id":1} {"id":2}])", "item 2"},
        {"key missing", R"([{"id":1},{"name":"x"}])", R"(item 2 of a page: its key "id" is missing)"},
        {"key null", R"([{"id":null}])", R"(its key "id" is null)"},
        {"key a float", R"([{"id":1.5}])", R"(its key "id" is neither)"},
        {"key an object", R"([{"id":{}}])", R"(its key "id" is neither)"},
        {"key a truth", R"([{"id":true}])", R"(its key "id" is neither)"},
        {"key without UTF-8", R"([{"id":"\ud800"}])", R"(its key "id" is neither)"},
        {"key twice in one item", R"([{"id":1,"id":2}])", "item 1 of a page, key 1: a part of its key occurs twice"},
        {"two items with one key", R"([{"id":5,"a":1},{"id":3},{"id":5,"a":2}])",
         "items 1 and 3 of a page have the same key 5"},
        {"broken UTF-8", "[{\"id\":1,\"a\":\"\xc3\x28\"}]", "things"},
        {"a surrogate in UTF-8", "[{\"id\":1,\"a\":\"\xed\xa0\x80\"}]", "things"},
        {"a bare control character", "[{\"id\":1,\"a\":\"\x01\"}]", "things"},
        {"NaN", R"([{"id":1,"a":NaN}])", "item 1"},
        {"a word cut short", R"([{"id":1,"a":tru}])", "item 1"},
        {"a leading zero", R"([{"id":1,"a":01}])", "item 1"},
        {"a point without digits", R"([{"id":1,"a":1.}])", "item 1"},
        {"an unknown escape", R"([{"id":1,"a":"\x"}])", "item 1"},
        {"a broken nested number", R"([{"id":1,"a":[1,-]}])", "item 1"},
        {"a nested bracket of the wrong sort", R"([{"id":1,"a":[1}}])", "things"},
        {"a nested key without quotes", R"([{"id":1,"a":{b:1}}])", "item 1"},
        {"a nested comma too many", R"([{"id":1,"a":[1,]}])", "item 1"},
        {"a nested colon missing", R"([{"id":1,"a":{"b" 1}}])", "item 1"},
    };
    MirrorFixture fixture;
    fixture.load({R"({"id":7,"name":"kept"})"});
    auto pass = fixture.begin();
    must(pass->add_page(R"([{"id":7,"name":"new"}])"));
    for (const auto& fault : faults) {
        INFO(fault.name);
        const auto added = pass->add_page(fault.page);
        REQUIRE(!added);
        CHECK(added.error().kind() == ErrorKind::protocol);
        INFO(added.error().text());
        CHECK(added.error().text().find(fault.says) != std::string::npos);
        CHECK(added.error().text().starts_with("things: "));
    }
    CHECK(pass->distinct_keys() == 1);
    const auto outcome = must(pass->publish(complete_proof()));
    CHECK(outcome.rows == 1);
    CHECK(outcome.changed == 1);
    CHECK(fixture.one("SELECT group_concat(name) FROM pragma_table_info('things')") == "id,name,_shape,_exact");
}

TEST_CASE("a row that a page has twice, byte for byte, is one row")
{
    MirrorFixture fixture;
    auto pass = fixture.begin();
    const auto facts = must(pass->add_page(R"([{"id":5,"a":1},{"id":3},{"id":5,"a":1},{"id":5,"a":1}])"));
    CHECK(facts.items == 2);
    CHECK(facts.new_to_pass == 2);
    CHECK(must(pass->publish(complete_proof())).rows == 2);
}

TEST_CASE("values nested to 100 are taken, to 101 they are a fault of the page")
{
    MirrorFixture fixture;
    auto pass = fixture.begin();
    const auto page = [](std::size_t depth) {
        return R"([{"id":1,"a":)" + std::string(depth, '[') + std::string(depth, ']') + "}]";
    };
    CHECK(pass->add_page(page(100)));
    const auto deeper = pass->add_page(page(101));
    REQUIRE(!deeper);
    CHECK(deeper.error().text() == "things: item 1 of a page, key 1: values nested deeper than 100 levels");
}

TEST_CASE("a page says what it brought")
{
    MirrorFixture fixture;
    auto pass = fixture.begin();
    auto facts = must(pass->add_page(R"([{"id":9},{"id":8},{"id":7}])"));
    CHECK(facts.items == 3);
    CHECK(facts.new_to_pass == 3);
    CHECK(facts.highest_key == 9);
    CHECK(facts.descending);

    SECTION("a row added in front moves one to the next page, which breaks no order")
    {
        facts = must(pass->add_page(R"([{"id":7},{"id":6}])"));
        CHECK(facts.new_to_pass == 1);
        CHECK(facts.descending);
        CHECK(facts.above_newest == 0);
    }
    SECTION("a new key above earlier ones breaks the order")
    {
        facts = must(pass->add_page(R"([{"id":10},{"id":6}])"));
        CHECK_FALSE(facts.descending);
        CHECK(facts.above_newest == 1);
    }
    SECTION("an ascending page breaks the order")
    {
        facts = must(pass->add_page(R"([{"id":5},{"id":6}])"));
        CHECK_FALSE(facts.descending);
    }
    SECTION("texts have no highest key")
    {
        facts = must(pass->add_page(R"([{"id":"a"},{"id":6}])"));
        CHECK_FALSE(facts.highest_key);
        CHECK_FALSE(facts.descending);
    }
    SECTION("an empty page brings nothing")
    {
        facts = must(pass->add_page("[]"));
        CHECK(facts.items == 0);
        CHECK_FALSE(facts.highest_key);
    }
    SECTION("the same keys have the same digest in another order")
    {
        const auto digest = facts.key_set;
        pass->abandon();
        pass = fixture.begin();
        CHECK(pass->distinct_keys() == 0);
        CHECK(must(pass->add_page(R"([{"id":7},{"id":8}])")).key_set != digest);
        CHECK(must(pass->add_page(R"([{"id":9}])")).key_set == digest);
    }
}

TEST_CASE("the last sight of a row in a pass is the one that is published")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"a":"old"},{"id":2,"a":"two"})"});
    auto pass = fixture.begin();
    must(pass->add_page(R"([{"id":1,"a":"middle"}])"));
    must(pass->add_page(R"([{"id":2,"a":"two"},{"id":1,"a":"last"}])"));
    auto outcome = must(pass->publish(complete_proof()));
    CHECK(outcome.changed == 1);
    CHECK(outcome.unchanged == 1);
    CHECK(fixture.one("SELECT a FROM things WHERE id = 1") == "last");

    pass = fixture.begin();
    must(pass->add_page(R"([{"id":1,"a":"away"},{"id":2,"a":"two"}])"));
    must(pass->add_page(R"([{"id":1,"a":"last"}])"));
    must(pass->publish(complete_proof()));
    CHECK(fixture.one("SELECT a FROM things WHERE id = 1") == "last");
}

TEST_CASE("rows of pages that come close behind each other are written together")
{
    MirrorFixture fixture({{.name = "things"}, {.name = "others"}});
    const auto staged = [&fixture] {
        return fixture.one("SELECT count(*) FROM sqlite_master WHERE name = '_staging_things'");
    };
    const auto page = [](int from, int count) {
        std::string text = "[";
        for (int id = from; id < from + count; ++id) {
            text += fmt::format("{}{{\"id\":{}}}", id == from ? "" : ",", id);
        }
        return text + "]";
    };
    auto pass = fixture.begin();
    must(pass->add_page(page(801, 200), mirror::Commit::may_wait));
    CHECK(staged() == "0");
    SECTION("with the page that does not wait")
    {
        must(pass->add_page(page(601, 200), mirror::Commit::now));
        CHECK(fixture.one("SELECT count(*) FROM _staging_things") == "400");
    }
    SECTION("at the latest when they are many")
    {
        for (int at = 601; at >= 201; at -= 200) {
            must(pass->add_page(page(at, 200), mirror::Commit::may_wait));
        }
        CHECK(staged() == "0");
        must(pass->add_page(page(1, 200), mirror::Commit::may_wait));
        CHECK(fixture.one("SELECT count(*) FROM _staging_things") == "1000");
    }
    SECTION("before a page that brings one of them again")
    {
        const auto facts = must(pass->add_page(page(701, 101), mirror::Commit::may_wait));
        CHECK(facts.new_to_pass == 100);
        CHECK(facts.items == 101);
        CHECK(fixture.one("SELECT count(*) FROM _staging_things") == "200");
    }
    SECTION("and not by the work of others")
    {
        fixture.load({R"({"id":5})"}, "others");
        must(fixture.mirror->summary("things"));
        CHECK(staged() == "0");
        CHECK(fixture.one("SELECT count(*) FROM others") == "1");
    }
    SECTION("a large page in several parts")
    {
        must(pass->add_page(page(10'001, 2'500), mirror::Commit::may_wait));
        CHECK(fixture.one("SELECT count(*) FROM _staging_things") == "2000");
    }
    SECTION("and not for a page that only lies around them")
    {
        must(pass->add_page(R"([{"id":1100},{"id":700}])", mirror::Commit::may_wait));
        CHECK(staged() == "0");
        must(pass->add_page(R"([{"id":900},{"id":600}])", mirror::Commit::may_wait));
        CHECK(fixture.one("SELECT count(*) FROM _staging_things") == "202");
    }
    SECTION("and when the pass is given up nothing stays")
    {
        must(pass->add_page(page(601, 200), mirror::Commit::now));
        CHECK(staged() == "1");
        must(pass->add_page(page(401, 200), mirror::Commit::may_wait));
        pass.reset();
        CHECK(staged() == "0");
        must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
        return;
    }
    must(pass->add_page(page(5'000, 3), mirror::Commit::may_wait));
    const auto published = must(pass->publish({.whole = false}));
    CHECK(fixture.one("SELECT count(*) FROM things") == std::to_string(published.rows));
    CHECK(published.rows >= 203);
}

TEST_CASE("rows that wait are true to their items, whatever the next pages bring")
{
    MirrorFixture fixture;
    auto pass = fixture.begin();
    const auto add = [&pass](const std::string& items) {
        must(pass->add_page("[" + items + "]", mirror::Commit::may_wait));
    };
    add(R"({"id":40,"a":null,"b":1},{"id":41,"b":2})");
    SECTION("a column that has its first value later, and one that nobody knew")
    {
        add(R"({"id":30,"a":"late","b":3,"c":true})");
        add(R"({"id":20,"d":{"x":1}},{"id":21})");
        must(pass->publish(complete_proof()));
        CHECK(fixture.item("40") == R"({"id":40,"a":null,"b":1})");
        CHECK(fixture.item("30") == R"({"id":30,"a":"late","b":3,"c":true})");
        CHECK(fixture.item("20") == R"({"id":20,"d":{"x":1}})");
        CHECK(fixture.item("21") == R"({"id":21})");
    }
    SECTION("a row that changed meanwhile")
    {
        add(R"({"id":41,"b":"two"})");
        must(pass->publish(complete_proof()));
        CHECK(fixture.item("41") == R"({"id":41,"b":"two"})");
        CHECK(fixture.one("SELECT count(*) FROM things") == "2");
    }
    SECTION("keys without an order among the pages")
    {
        add(R"({"id":90,"b":9},{"id":10,"b":1})");
        add(R"({"id":50,"b":5},{"id":1,"b":0})");
        add(R"({"id":45,"b":4})");
        must(pass->publish(complete_proof()));
        CHECK(fixture.one("SELECT group_concat(id || ':' || b) FROM things") == "1:0,10:1,40:1,41:2,45:4,50:5,90:9");
    }
    SECTION("a key that is a text")
    {
        add(R"({"id":"41","b":5})");
        add(R"({"id":39,"b":6})");
        const auto outcome = must(pass->publish(complete_proof()));
        CHECK(outcome.rows == 4);
        CHECK(fixture.one("SELECT group_concat(typeof(id) || b) FROM (SELECT * FROM things ORDER BY b)") ==
              "integer1,integer2,text5,integer6");
    }
}

TEST_CASE("a page without news writes those that wait when nothing comes right behind")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"v":1},{"id":2,"v":1})"});
    const auto staged = [&fixture] {
        return fixture.one("SELECT count(*) FROM sqlite_master WHERE name = '_staging_things'");
    };
    auto pass = fixture.begin();
    must(pass->add_page(R"([{"id":2,"v":2}])", mirror::Commit::may_wait));
    must(pass->add_page(R"([{"id":1,"v":1}])", mirror::Commit::may_wait));
    CHECK(staged() == "0");
    must(pass->add_page(R"([{"id":1,"v":1}])", mirror::Commit::now));
    CHECK(staged() == "1");
}
