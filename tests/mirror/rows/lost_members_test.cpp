// Rows that a pass brings without members which the table has.
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

using namespace shelfd;

namespace {

std::string row(int id, const std::string& name, bool whole = true)
{
    return fmt::format(R"({{"id":{},"name":"{}"{}}})", id, name, whole ? fmt::format(R"(,"price":{}.5)", id) : "");
}

std::unique_ptr<mirror::Pass> staged(MirrorFixture& fixture, const std::string& rows)
{
    auto pass = fixture.begin();
    must(pass->add_page("[" + rows + "]"));
    return pass;
}

}  // namespace

TEST_CASE("a pass says whether rows would lose members, or many would change")
{
    MirrorFixture fixture;
    std::string all;
    for (int id = 1; id <= 20; ++id) {
        all += (id == 1 ? "" : ",") + row(id, "a");
    }
    {
        const auto pass = staged(fixture, all);
        CHECK_FALSE(must(pass->value_loss()).any());  // the table has nothing yet
        must(pass->publish(complete_proof()));
    }
    CHECK_FALSE(must(staged(fixture, all)->value_loss()).any());
    const auto one = must(staged(fixture, row(1, "a", false) + "," + row(2, "b"))->value_loss());
    CHECK(one.members);
    CHECK_FALSE(one.many);
    CHECK_FALSE(must(staged(fixture, row(1, "b") + "," + row(21, "new", false))->value_loss()).any());
    std::string changed;
    for (int id = 1; id <= 10; ++id) {
        changed += (id == 1 ? "" : ",") + row(id, "b");
    }
    const auto many = must(staged(fixture, changed)->value_loss());
    CHECK_FALSE(many.members);
    CHECK(many.many);
    CHECK_FALSE(must(staged(fixture, changed.substr(0, changed.rfind(",{")))->value_loss()).many);
}

TEST_CASE("rows keep the members that a pass lacks, and take whatever else it brings")
{
    MirrorFixture fixture;
    fixture.load({row(1, "a") + "," + row(2, "a") + "," + row(3, "a")});
    const auto changes = fixture.one("SELECT count(*) FROM _changes");
    const auto pass =
        staged(fixture, row(1, "a", false) + "," + row(2, "b", false) + "," + row(3, "c") + "," + row(4, "new", false));
    must(pass->keep_members());
    CHECK_FALSE(must(pass->value_loss()).members);
    const auto outcome = must(pass->publish(complete_proof()));
    CHECK(outcome.added == 1);
    CHECK(outcome.changed == 2);
    CHECK(outcome.unchanged == 1);
    CHECK(outcome.deleted == 0);
    CHECK(fixture.sql("SELECT id, name, price FROM things ORDER BY id") ==
          std::vector<std::string>{"1|a|1.5", "2|b|2.5", "3|c|3.5", "4|new|null"});
    CHECK(fixture.item("2") == R"({"id":2,"name":"b","price":2.5})");
    CHECK(fixture.one("SELECT count(*) FROM _changes") == std::to_string(std::stoi(changes) + 3));
    CHECK(fixture.one("SELECT count(*) FROM _changes WHERE item_key = '1'") == "0");
    // A row that came as it is stays known as it is.
    const auto again = fixture.load({row(1, "a") + "," + row(2, "b") + "," + row(3, "c") + "," + row(4, "new", false)});
    CHECK(again.changed == 0);
}

TEST_CASE("rows whose members are kept in no column, and in one text, keep them too")
{
    MirrorFixture fixture;
    // The first value decides the kind of the column; the second one does not fit it.
    fixture.load({R"({"id":1,"v":1,"deep":{"a":[1]}},{"id":2,"v":"text","deep":null})"});
    const auto pass = staged(fixture, R"({"id":1},{"id":2,"v":null})");
    must(pass->keep_members());
    must(pass->publish(complete_proof()));
    CHECK(fixture.item("1") == R"({"id":1,"v":1,"deep":{"a":[1]}})");
    CHECK(fixture.item("2") == R"({"id":2,"v":null,"deep":null})");
}
