#include "mirror/file/repairs.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

struct MirrorOnDisk {
    MirrorOnDisk() { must(mirror::create_schema(database, "antwerp", "feed", "2024-01-06T06:00:00Z")); }

    TempDirectory directory;
    storage::Database database = [this] {
        write_file(directory / "antwerp.db", "");
        return must(storage::Database::open(directory / "antwerp.db", storage::OpenMode::read_write_create));
    }();
};

const auto now = Instant::from_seconds(1'704'520'800);

}  // namespace

TEST_CASE("a repair is a notice once, and is read back from the file that it was saved in")
{
    MirrorOnDisk disk;
    mirror::RepairLog log("antwerp");
    CHECK_FALSE(log.has_notice());
    log.record(now, "/m/antwerp.db", "was broken (malformed)", "/m/antwerp.db.broken-1");
    CHECK(log.take_notice() == "the mirror of antwerp was broken (malformed); it was renamed to "
                               "/m/antwerp.db.broken-1, and the mirror is filled again");
    CHECK_FALSE(log.take_notice());
    must(log.save(disk.database, now));

    mirror::RepairLog after_restart("antwerp");
    must(after_restart.recall(disk.database));
    REQUIRE(after_restart.all().size() == 1);
    CHECK(after_restart.all().front().found == "was broken (malformed)");
    CHECK(after_restart.all().front().aside == "/m/antwerp.db.broken-1");
    CHECK_FALSE(after_restart.has_notice());
}

TEST_CASE("what a mirror knows of its repairs is not replaced by what its new file knows")
{
    MirrorOnDisk disk;
    mirror::RepairLog log("antwerp");
    log.record(now, "/m/antwerp.db", "was removed from /m", "");
    must(log.recall(disk.database));
    REQUIRE(log.all().size() == 1);
    CHECK(log.all().front().done == "the mirror is filled again");
}

TEST_CASE("repairs that could not be saved are saved with the next attempt, and only once")
{
    MirrorOnDisk disk;
    mirror::RepairLog log("antwerp");
    log.record(now, "/m/antwerp.db", "was removed from /m", "");
    must(disk.database.execute("ALTER TABLE _meta RENAME TO away"));
    CHECK_FALSE(log.save(disk.database, now));
    must(disk.database.execute("ALTER TABLE away RENAME TO _meta"));
    must(log.save(disk.database, now));
    CHECK(must(mirror::load_repairs(disk.database)).size() == 1);
    must(disk.database.execute("DELETE FROM _meta WHERE key LIKE 'repair %'"));
    must(log.save(disk.database, now));
    CHECK(must(mirror::load_repairs(disk.database)).empty());
}

TEST_CASE("a repair is not saved any more once it is no news")
{
    MirrorOnDisk disk;
    mirror::RepairLog log("antwerp");
    log.record(now, "/m/antwerp.db", "was removed from /m", "");
    must(log.save(disk.database, now + mirror::repair_is_news + 1s));
    CHECK(must(mirror::load_repairs(disk.database)).empty());
}

TEST_CASE("notices that come before anybody takes them are joined")
{
    mirror::RepairLog log("antwerp");
    log.add_notice("the key of a changed");
    log.add_notice("the key of b changed");
    CHECK(log.take_notice() == "the key of a changed; the key of b changed");
}

TEST_CASE("what many passes find in rows within an hour is one repair, and survives a restart as one")
{
    MirrorOnDisk disk;
    mirror::RepairLog log("antwerp");
    log.record_rows(now, "/m/antwerp.db", {"recipes", 2, "7"});
    log.record_rows(now + 1min, "/m/antwerp.db", {"stock", 1, "[1,2]"});
    log.record_rows(now + 2min, "/m/antwerp.db", {"recipes", 1, "9"});
    REQUIRE(log.all().size() == 1);
    CHECK(log.all().front().found ==
          "had rows with other values than were written: 3 of recipes, among them key 7; 1 of stock, key [1,2]");
    must(log.save(disk.database, now));
    mirror::RepairLog after_restart("antwerp");
    must(after_restart.recall(disk.database));
    REQUIRE(after_restart.all().size() == 1);
    CHECK(after_restart.all().front().of_rows);
    log.record_rows(now + 1h, "/m/antwerp.db", {"recipes", 1, "9"});
    CHECK(log.all().size() == 2);
    log.record(now + 1h, "/m/antwerp.db", "was broken", "");
    CHECK_FALSE(log.all().front().of_rows);
}
