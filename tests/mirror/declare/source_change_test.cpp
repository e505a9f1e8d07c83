#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

using namespace shelfd;

namespace {

std::vector<mirror::ResourceSpec> asking(const std::string& source, const std::string& filter = "f1")
{
    return {{.name = "things", .source = source, .filter = filter}};
}

}  // namespace

TEST_CASE("a table of another list keeps its rows, its feed and nothing that was proven")
{
    MirrorFixture fixture(asking("one"));
    fixture.load({R"({"id":1},{"id":2})"});
    must(fixture.mirror->set_discovery(
        "things",
        {.envelope = mirror::Envelope::counted, .filter = mirror::ParameterSupport::obeyed, .unproven = "why"}));
    fixture.specs = asking("two");
    fixture.reopen();
    CHECK(must(fixture.mirror->discovery("things")) == mirror::Discovery{.rows = 2});
    CHECK(fixture.one("SELECT state FROM freshness") == "filling");
    CHECK(fixture.one("SELECT proven_as_of FROM freshness") == "null");
    CHECK(fixture.one("SELECT count(*) FROM things") == "2");
    REQUIRE(fixture.mirror->take_notice());

    CHECK(fixture.load({R"({"id":1,"v":1},{"id":2},{"id":3})"}).added == 1);
    CHECK(fixture.one("SELECT state FROM freshness") == "fresh");
    CHECK(fixture.one("SELECT group_concat(op) FROM (SELECT op FROM _changes ORDER BY item_key)") == "update,insert");
    fixture.reopen();
    CHECK(fixture.one("SELECT state FROM freshness") == "fresh");
    CHECK_FALSE(fixture.mirror->take_notice());
}

TEST_CASE("rows of a former list go with the first proven walk that lacks them")
{
    MirrorFixture fixture(asking("one"));
    fixture.load({R"({"id":1},{"id":2},{"id":3},{"id":4})"});
    REQUIRE(fixture.load({R"({"id":1},{"id":2},{"id":3})"}).candidates == 1);
    fixture.specs = asking("two");
    fixture.reopen();
    CHECK(fixture.one("SELECT state, as_of, rows FROM freshness") == "filling|null|4");
    SECTION("which says nothing of the rows that it has")
    {
        CHECK(fixture.load({R"({"id":2},{"id":4},{"id":5})"}).deleted == 2);
        CHECK(fixture.one("SELECT group_concat(id) FROM things") == "2,4,5");
        CHECK(fixture.one("SELECT state FROM freshness") == "fresh");
        const auto later = fixture.load({R"({"id":2},{"id":5})"});
        CHECK(later.deleted == 0);  // what goes missing later is judged as ever
        CHECK(later.candidates == 1);
    }
    SECTION("and until then the table is filling, and says why")
    {
        auto pass = fixture.begin();
        must(pass->add_page(R"([{"id":2},{"id":5}])"));
        auto unproven = complete_proof();
        unproven.complete = false;
        CHECK(must(pass->publish(unproven)).deleted == 0);
        CHECK(fixture.one("SELECT state || rows || (as_of IS NULL) FROM freshness") == "filling50");
        CHECK(fixture.one("SELECT why FROM freshness").starts_with("3 rows are of the former list"));
        CHECK(fixture.load({R"({"id":2},{"id":5})"}).deleted == 3);
        CHECK(fixture.one("SELECT state, why FROM freshness") == "fresh|null");
    }
    SECTION("unless one of them is there when it is asked for by itself")
    {
        auto pass = fixture.begin();
        must(pass->add_page(R"([{"id":2}])"));
        pass->add_evidence({.key = "3"}, mirror::Witness::there);
        CHECK(must(pass->publish(complete_proof())).held == 3);
        CHECK(fixture.one("SELECT state FROM freshness") == "held");
    }
}

TEST_CASE("another filter leaves all that was proven, and what is known of the answers")
{
    MirrorFixture fixture(asking("one"));
    fixture.load({R"({"id":1},{"id":2})"});
    must(fixture.mirror->set_discovery(
        "things", {.envelope = mirror::Envelope::counted, .filter = mirror::ParameterSupport::ignored}));
    fixture.specs = asking("one", "f2");
    fixture.reopen();
    const auto known = must(fixture.mirror->discovery("things"));
    CHECK(known.filter == mirror::ParameterSupport::unknown);
    CHECK(known.envelope == mirror::Envelope::counted);
    CHECK(fixture.one("SELECT state || (proven_as_of IS NULL) FROM freshness") == "fresh0");
}

TEST_CASE("a mirror of a version that did not note what it asked for loses no proof by the upgrade")
{
    MirrorFixture fixture(asking("one"));
    fixture.load({R"({"id":1},{"id":2})"});
    must(fixture.mirror->set_discovery(
        "things", {.envelope = mirror::Envelope::counted, .filter = mirror::ParameterSupport::obeyed}));
    {
        auto earlier = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
        must(earlier.execute("DROP VIEW freshness; DROP VIEW _standing; ALTER TABLE _resources DROP COLUMN source; "
                             "ALTER TABLE _resources "
                             "DROP COLUMN filter_source; ALTER TABLE _resources DROP COLUMN filter_tried_at; "
                             "UPDATE _meta SET value = '6' WHERE key = 'schema_minor'; "
                             "CREATE VIEW freshness AS SELECT resource FROM _resources"));
    }
    fixture.reopen();
    CHECK(must(fixture.mirror->discovery("things")).filter == mirror::ParameterSupport::obeyed);
    CHECK(fixture.one("SELECT state || (proven_as_of IS NULL) FROM freshness") == "fresh0");
    fixture.specs = asking("two");
    fixture.reopen();
    CHECK(fixture.one("SELECT state FROM freshness") == "filling");
}
