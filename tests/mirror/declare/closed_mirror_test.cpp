#include "mirror/declare/closed_mirror.hpp"

#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fstream>

using namespace shelfd;

TEST_CASE("the mirror of a library that is configured no more is retired in its own words until it is again")
{
    MirrorFixture fixture({{.name = "things"}, {.name = "tags"}});
    fixture.load({R"({"id":1},{"id":2})"});
    const auto file = fixture.file();
    fixture.mirror.reset();
    CHECK(must(mirror::retire_mirror(file)));
    CHECK_FALSE(must(mirror::retire_mirror(file)));
    fixture.mirror = std::make_unique<mirror::Mirror>(fixture.options());
    CHECK(fixture.sql("SELECT resource, state, rows FROM freshness ORDER BY 1") ==
          std::vector<std::string>{"tags|retired|0", "things|retired|2"});
    fixture.reopen();
    CHECK(fixture.one("SELECT count(*) FROM freshness WHERE state = 'retired'") == "0");
    CHECK(fixture.load({R"({"id":1},{"id":2})"}).unchanged == 2);
    CHECK_FALSE(fixture.mirror->take_notice());
}

TEST_CASE("what is none of our mirrors is not retired and stays as it is, byte for byte")
{
    TempDirectory directory;
    const auto foreign = directory / "foreign.db";
    {
        auto database = must(storage::Database::open(foreign, storage::OpenMode::read_write_create));
        must(database.execute("CREATE TABLE _resources (resource TEXT, retired INTEGER); "
                              "INSERT INTO _resources VALUES ('things', 0)"));
    }
    CHECK_FALSE(must(mirror::retire_mirror(foreign)));
    const auto text = directory / "text.db";
    std::ofstream(text) << std::string(5000, 'x');
    CHECK_FALSE(mirror::retire_mirror(text));
    CHECK_FALSE(mirror::retire_mirror(directory / "none.db"));
    CHECK_FALSE(std::ifstream(directory / "none.db").good());
    std::string left;
    std::getline(std::ifstream(text), left);
    CHECK(left == std::string(5000, 'x'));
}
