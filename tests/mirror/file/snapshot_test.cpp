#include "mirror/file/snapshot.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace shelfd;

namespace {

mirror::SnapshotOrder order_of(const MirrorFixture& fixture)
{
    return {.mirror = fixture.file(),
            .target = mirror::snapshot_path(fixture.file()),
            .now = fixture.clock.now(),
            .leave_free = 0};
}

std::string ask(const std::string& file, const std::string& sql)
{
    auto database = must(storage::Database::open(file, storage::OpenMode::read_only));
    auto row = must(database.prepare(sql));
    std::string text;
    while (must(row.step())) {
        text += (text.empty() ? "" : ",") + std::string(row.text(0));
    }
    return text;
}

// No file of this process grows beyond that many bytes while it lives.
class SmallFiles {
public:
    explicit SmallFiles(rlim_t most)
    {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{most, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    SmallFiles(const SmallFiles&) = delete;
    SmallFiles& operator=(const SmallFiles&) = delete;
    ~SmallFiles()
    {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    rlimit before_ = {};
    void (*handler_)(int) = SIG_DFL;
};

}  // namespace

TEST_CASE("a snapshot has every table for readers, freshness as it was, and nothing of ours")
{
    MirrorFixture fixture({{.name = "outlets"}, {.name = "recipes", .key = {"sku", "outlet"}}});
    fixture.load({R"({"id":3,"name":"Soup","price":"4.50"},{"id":1,"name":null})"}, "outlets");
    fixture.load({R"({"sku":"b","outlet":2,"n":1.5},{"sku":"a","outlet":9})"}, "recipes");
    const auto outcome = must(mirror::write_snapshot(order_of(fixture)));
    CHECK(outcome.tables == 2);
    const auto file = fixture.directory / "antwerp/antwerp.snapshot.db";
    CHECK(outcome.bytes == std::filesystem::file_size(file));
    CHECK(ask(file, "SELECT name FROM sqlite_master WHERE type <> 'index' ORDER BY name") ==
          "freshness,outlets,recipes");
    const auto* row = "SELECT group_concat(rowid || ':' || id || ':' || coalesce(name, '-') || ':' || typeof(price)) "
                      "FROM outlets";
    CHECK(ask(file, row) == fixture.one(row));
    CHECK(ask(file, "SELECT sku || outlet || coalesce(n, '-') FROM recipes ORDER BY sku") == "a9-,b21.5");
    CHECK(ask(file, "SELECT type FROM sqlite_master WHERE name = 'freshness'") == "table");
    CHECK(ask(file, "SELECT resource || state || snapshot_at FROM freshness") ==
          "outletsfresh2024-01-06T06:00:00.000000Z,recipesfresh2024-01-06T06:00:00.000000Z");
    CHECK(ask(file, "PRAGMA integrity_check") == "ok");
}

TEST_CASE("a snapshot is one file that its readers' group may read, and nothing lies beside it")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    must(mirror::write_snapshot(order_of(fixture)));
    const auto file = fixture.directory / "antwerp/antwerp.snapshot.db";
    struct stat facts = {};
    REQUIRE(::stat(file.c_str(), &facts) == 0);
    CHECK((facts.st_mode & 07777) == 0640);
    CHECK(ask(file, "PRAGMA journal_mode") == "delete");
    for (const char* suffix : {"-wal", "-shm", "-journal", ".new"}) {
        CHECK_FALSE(std::filesystem::exists(file + suffix));
    }
}

TEST_CASE("a new snapshot replaces the last one, and who reads the last one goes on reading it")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    must(mirror::write_snapshot(order_of(fixture)));
    const auto file = fixture.directory / "antwerp/antwerp.snapshot.db";
    auto reader = must(storage::Database::open(file, storage::OpenMode::read_only));
    must(reader.execute("BEGIN; SELECT count(*) FROM things"));
    fixture.load({R"({"id":1},{"id":2})"});
    must(mirror::write_snapshot(order_of(fixture)));
    auto old = must(reader.prepare("SELECT count(*) FROM things"));
    must(old.step());
    CHECK(old.integer(0) == 1);
    CHECK(ask(file, "SELECT count(*) FROM things") == "2");
}

TEST_CASE("a snapshot is of the last published pass, and passes go on while it is made")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    auto pass = fixture.begin();
    must(pass->add_page(R"([{"id":1},{"id":2}])"));
    must(mirror::write_snapshot(order_of(fixture)));
    CHECK(ask(fixture.directory / "antwerp/antwerp.snapshot.db", "SELECT count(*) FROM things") == "1");
    CHECK(must(pass->publish(complete_proof())).rows == 2);
}

TEST_CASE("a disk that is too small is told beforehand, and the last snapshot stays")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    must(mirror::write_snapshot(order_of(fixture)));
    fixture.load({R"({"id":1},{"id":2})"});
    auto order = order_of(fixture);
    order.leave_free = 1ULL << 60;
    const auto refused = mirror::write_snapshot(order);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind() == ErrorKind::storage);
    CHECK(refused.error().text().find("free space; the last snapshot stays") != std::string::npos);
    CHECK(ask(order.target, "SELECT count(*) FROM things") == "1");
}

TEST_CASE("what a crash has left of a snapshot goes before its room is asked for")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    auto order = order_of(fixture);
    const auto left = order.target + ".new";
    constexpr std::uint64_t size = 64U << 20;
    const int file = ::open(left.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(file >= 0);
    const int refused = ::posix_fallocate(file, 0, static_cast<off_t>(size));
    ::close(file);
    REQUIRE(refused == 0);
    // There is room once that is gone, and none while it is there; others may take some of that disk meanwhile.
    struct statvfs disk = {};
    REQUIRE(::statvfs(left.c_str(), &disk) == 0);
    const auto free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
    order.leave_free = free + size / 2 - std::filesystem::file_size(fixture.file());
    CHECK(must(mirror::write_snapshot(order)).tables == 1);
    CHECK_FALSE(std::filesystem::exists(left));
}

TEST_CASE("a disk that fills up in the middle leaves the last snapshot and no draft")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    must(mirror::write_snapshot(order_of(fixture)));
    std::string items = R"({"id":1})";
    for (int id = 2; id < 200; ++id) {
        items += fmt::format(R"(,{{"id":{},"text":"{}"}})", id, std::string(10'000, 'x'));
    }
    fixture.load({items});
    const auto order = order_of(fixture);
    {
        const SmallFiles small(1U << 20);
        const auto refused = mirror::write_snapshot(order);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().text().find("the last one stays") != std::string::npos);
    }
    CHECK(ask(order.target, "SELECT count(*) FROM things") == "1");
    CHECK_FALSE(std::filesystem::exists(order.target + ".new"));
    CHECK(must(mirror::write_snapshot(order)).tables == 1);
}
