#include "mirror/mirror_fixture.hpp"
#include "mirror/rows/known_pages.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

using namespace shelfd;

namespace {

std::string rows_from(int first, int past, const std::string& value = "x")
{
    std::string text;
    for (int id = first; id < past; ++id) {
        text += fmt::format("{}{{\"id\":{},\"value\":\"{}\"}}", text.empty() ? "" : ",", id, value);
    }
    return text;
}

const std::string first_page = rows_from(1, 4);
const std::string second_page = rows_from(4, 8);

// A mirror of a list of two pages that was walked once.
struct Walked {
    explicit Walked(mirror::ResourceSpec spec = {.name = "things"}) : fixture({std::move(spec)})
    {
        fixture.load({first_page, second_page});
    }

    // The facts of the second page of another walk. Its items are broken where they would be read: only a page that is
    // known has facts then.
    Result<mirror::PageFacts> add_unread(mirror::Pass& pass, const std::string& page = second_page)
    {
        const std::string_view broken = "{}";
        return pass.add_page("[" + page + "]", mirror::Commit::now, {&broken, 1});
    }
    std::unique_ptr<mirror::Pass> begin_with_first_page()
    {
        auto pass = fixture.begin();
        must(pass->add_page("[" + first_page + "]"));
        return pass;
    }

    MirrorFixture fixture;
};

}  // namespace

TEST_CASE("a page with the bytes of the last walk has the same facts, and is not read again")
{
    Walked bench;
    auto pass = bench.begin_with_first_page();
    const auto read = must(pass->add_page("[" + second_page + " ]"));  // other bytes, the same rows
    pass->abandon();

    pass = bench.begin_with_first_page();
    const auto known = must(bench.add_unread(*pass));
    CHECK(known.items == 4);
    CHECK(known.fresh == 0);
    CHECK(known.new_to_pass == read.new_to_pass);
    CHECK(known.key_set == read.key_set);
    CHECK(known.highest_key == read.highest_key);
    CHECK(known.lowest_key == read.lowest_key);
    CHECK(known.above_newest == read.above_newest);
    CHECK(known.descending == read.descending);
    CHECK(known.falling == read.falling);
    CHECK(known.entered == read.entered);
    CHECK(known.bytes + 1 == read.bytes);
    const auto outcome = must(pass->publish(complete_proof(2)));
    CHECK(outcome.unchanged == 7);
    CHECK(outcome.deleted + outcome.candidates + outcome.changed + outcome.added == 0);
}

TEST_CASE("a page with other bytes is read, though it has the same length")
{
    Walked bench;
    auto pass = bench.begin_with_first_page();
    CHECK_FALSE(bench.add_unread(*pass, rows_from(4, 8, "y")));
    CHECK(must(pass->add_page("[" + rows_from(4, 8, "y") + "]")).fresh == 4);
}

TEST_CASE("a page is read again if a row of it is another than then, whoever changed it")
{
    Walked bench;
    SECTION("a pass for changes, after which the service has taken the change back")
    {
        auto changes = must(bench.fixture.mirror->begin_pass(
            "things", {.run_id = "c", .mode = mirror::RunMode::incremental, .asks_changes = true}));
        must(changes->add_page("[" + rows_from(5, 6, "changed") + "]"));
        must(changes->publish(complete_proof()));
    }
    SECTION("its state was lost")
    {
        must(bench.fixture.mirror->close_idle());
        auto database = must(storage::Database::open(bench.fixture.file(), storage::OpenMode::read_write_create));
        must(database.execute("UPDATE _state_things SET hash = zeroblob(16) WHERE k1 = 5"));
    }
    auto pass = bench.begin_with_first_page();
    CHECK_FALSE(bench.add_unread(*pass));
    CHECK(must(pass->add_page("[" + second_page + "]")).fresh == 1);
    CHECK(must(pass->publish(complete_proof(2))).changed == 1);
    CHECK(bench.fixture.one("SELECT value FROM things WHERE id = 5") == "x");
}

TEST_CASE("a row that an earlier page of the same walk has otherwise is not taken for the known one")
{
    Walked bench;
    auto pass = bench.fixture.begin();
    must(pass->add_page("[" + rows_from(4, 5, "moved") + "]"));
    CHECK_FALSE(bench.add_unread(*pass));
    must(pass->add_page("[" + second_page + "]"));
    must(pass->add_page("[" + first_page + "]"));
    must(pass->publish(complete_proof(3)));
    CHECK(bench.fixture.one("SELECT value FROM things WHERE id = 4") == "x");
}

TEST_CASE("a known page is evidence for its rows alone: those that the walk lacks are still missing")
{
    Walked bench;
    auto pass = bench.fixture.begin();
    must(pass->add_page("[" + rows_from(1, 3) + "]"));
    must(bench.add_unread(*pass));
    const auto missing = must(pass->missing(10, {}));
    REQUIRE(missing.size() == 1);
    CHECK(missing.front().key == "3");
}

TEST_CASE("other excluded members or another key make other pages of the same bytes")
{
    MirrorFixture fixture;
    fixture.load({first_page, second_page});
    must(fixture.mirror->close_idle());
    auto database = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
    const auto is_known = [&database](const std::vector<std::string>& key, const std::vector<std::string>& exclude) {
        mirror::KnownPages pages(database, "things", key, exclude);
        return must(pages.find(1, "[" + second_page + "]")).has_value();
    };
    CHECK(is_known({"id"}, {}));
    CHECK_FALSE(is_known({"id"}, {"value"}));
    CHECK_FALSE(is_known({"value"}, {}));
    CHECK_FALSE(is_known({"id", "value"}, {}));
}

TEST_CASE("keys of any size and order are recorded")
{
    MirrorFixture fixture;
    auto database = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
    const std::vector<std::int64_t> keys = {5, -1, INT64_MAX, INT64_MIN, 0, 6};
    mirror::Page page;
    for (const auto key : keys) {
        page.items.emplace_back().key.first.integer = key;
    }
    mirror::KnownPages pages(database, "things", {"id"}, {});
    CHECK_FALSE(must(pages.find(3, "bytes")));
    pages.learn(3, page, 400);
    must(pages.end(4));
    const auto known = must(pages.find(3, "bytes"));
    REQUIRE(known);
    CHECK(known->bytes == 400);
    REQUIRE(known->page.items.size() == keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        CHECK(known->page.items[i].key.first.integer == keys[i]);
    }
    CHECK_FALSE(must(pages.find(2, "bytes")));
}

TEST_CASE("records of pages that a list no longer has are removed, and all with the rows")
{
    Walked bench;
    bench.fixture.load({first_page, second_page, rows_from(8, 10)});
    CHECK(bench.fixture.one("SELECT group_concat(place) FROM _pages_things") == "1,2");
    bench.fixture.load({first_page, second_page});
    CHECK(bench.fixture.one("SELECT group_concat(place) FROM _pages_things") == "1");
    bench.fixture.specs.front().exclude = {"value"};
    bench.fixture.reopen();
    CHECK(bench.fixture.one("SELECT count(*) FROM sqlite_master WHERE name = '_pages_things'") == "0");
}

TEST_CASE("pages of keys that are texts are not recorded")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":"a"})", R"({"id":"b"})"});
    CHECK(fixture.one("SELECT count(*) FROM sqlite_master WHERE name = '_pages_things'") == "0");
}
