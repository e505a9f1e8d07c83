#include "base/state/unwritten_tables.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

namespace shelfd {
namespace {

TEST_CASE("the tables without lines in the feed are read as they are written")
{
    UnwrittenTables tables("");
    for (const std::string table : {"users", "user", "users_detail"}) {
        CHECK_FALSE(tables.contains(table));
        tables.add(table);
    }
    CHECK(tables.to_text() == "users\nuser\nusers_detail\n");

    struct Row {
        const char* removed;
        const char* text;
    };
    for (const Row& row : std::vector<Row>{
             {"users", "user\nusers_detail\n"}, {"user", "users\nusers_detail\n"}, {"users_detail", "users\nuser\n"}}) {
        CAPTURE(row.removed);
        UnwrittenTables read(tables.to_text());
        REQUIRE(read.contains(row.removed));
        read.remove(row.removed);
        CHECK(read.to_text() == row.text);
        const UnwrittenTables again(read.to_text());
        for (const std::string table : {"users", "user", "users_detail"}) {
            CAPTURE(table);
            CHECK(again.contains(table) == (table != row.removed));
        }
    }
}

TEST_CASE("a part of a name is no table without lines in the feed")
{
    const UnwrittenTables tables("users\n");
    CHECK(tables.contains("users"));
    for (const std::string table : {"", "user", "sers", "users_detail"}) {
        CAPTURE(table);
        CHECK_FALSE(tables.contains(table));
    }
    CHECK_FALSE(UnwrittenTables("").contains("users"));
}

}  // namespace
}  // namespace shelfd
