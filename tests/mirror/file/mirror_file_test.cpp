#include "mirror/file/mirror_file.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

#include <filesystem>

using namespace shelfd;

namespace {

// A mirror's file without a mirror: its tables are counted, not made.
struct FileBench {
    void reopen(const std::string& boot_id = "boot-1")
    {
        file.reset();
        options.emplace(mirror::MirrorOptions{
            .directory = directory / "antwerp", .library = "antwerp", .clock = clock, .boot_id = boot_id});
        file.emplace(*options, passes, [this](storage::Database&) {
            ++tables_made;
            return Result<std::string>(notice);
        });
    }
    FileBench() { reopen(); }

    void use()
    {
        must(file->with_file([](storage::Database&) { return Result<void>(); }));
    }
    std::optional<std::string> meta(std::string_view key)
    {
        return must(
            file->with_sound_file([&](storage::Database& database) { return mirror::read_meta(database, key); }));
    }

    TempDirectory directory;
    asio::io_context loop;
    SimulatedClock clock{loop};
    mirror::OpenPasses passes;
    std::string notice;
    int tables_made = 0;
    std::optional<mirror::MirrorOptions> options;
    std::optional<mirror::MirrorFile> file;
};

const Error broken(ErrorKind::corrupt, "database disk image is malformed");

}  // namespace

TEST_CASE("what finds the file broken time after time is run again with a new file, whose tables are made first")
{
    FileBench bench;
    int runs = 0;
    const auto made_before = bench.tables_made;
    const auto outcome = bench.file->with_file([&](storage::Database&) -> Result<int> {
        return ++runs < 3 ? Result<int>(broken) : Result<int>(bench.tables_made);
    });
    CHECK(runs == 3);  // as it was, once more after a check that found nothing, and with the new file
    CHECK(must(outcome) == made_before + 1);
    CHECK(bench.file->has_news());
    CHECK(bench.file->take_rebuilt());
    CHECK_FALSE(bench.file->take_rebuilt());
    CHECK(bench.file->take_notice().value_or("").find("repeatedly cannot be read") != std::string::npos);
    CHECK_FALSE(bench.file->has_news());
    REQUIRE(bench.file->repairs().size() == 1);
    CHECK(std::filesystem::exists(bench.file->repairs().front().aside));
}

TEST_CASE(
    "while a pass is open, a broken file stays; the pass gets the error, and the file is checked once it has ended")
{
    FileBench bench;
    bench.use();
    std::optional<Error> pass_broken;
    bench.passes.open("things", pass_broken);
    int runs = 0;
    CHECK_FALSE(bench.file->with_file([&](storage::Database&) {
        ++runs;
        return Result<void>(broken);
    }));
    CHECK(runs == 1);
    REQUIRE(pass_broken);
    CHECK(pass_broken->kind() == ErrorKind::corrupt);
    CHECK(bench.file->repairs().empty());
    bench.passes.close("things");
    bench.use();
    CHECK(bench.file->repairs().empty());  // the check found nothing
}

TEST_CASE("a file that took the place of a broken one has the boot id with its next write")
{
    FileBench bench;
    CHECK(bench.meta("boot_id") == "boot-1");
    bench.file->mark_suspect(broken);
    bench.use();
    bench.file->mark_suspect(broken);
    bench.use();
    REQUIRE(bench.file->repairs().size() == 1);
    CHECK(bench.meta("boot_id") == "boot-1");
}

TEST_CASE("after another boot the file is checked before the first write, and has that boot's id from then on")
{
    FileBench bench;
    CHECK(bench.meta("boot_id") == "boot-1");
    bench.reopen("boot-2");
    bench.use();
    CHECK(bench.meta("boot_id") == "boot-2");
    CHECK(bench.file->repairs().empty());
}

TEST_CASE("tables are made for each file that begins anew, and when somebody asks for it, not at each opening")
{
    FileBench bench;
    bench.use();
    CHECK(bench.tables_made == 0);
    bench.notice = "the key of things changed";
    must(bench.file->with_file([&](storage::Database&) { return bench.file->make_tables(); }));
    CHECK(bench.tables_made == 1);
    CHECK(bench.file->take_notice() == "the key of things changed");
    must(bench.file->close_idle());
    bench.use();
    CHECK(bench.tables_made == 1);
    std::filesystem::remove(bench.file->path());
    bench.use();
    CHECK(bench.tables_made == 2);
}

TEST_CASE("an idle file is closed, unless a pass is open, and opened again by whoever needs it")
{
    FileBench bench;
    bench.use();
    std::optional<Error> pass_broken;
    bench.passes.open("things", pass_broken);
    must(bench.file->close_idle());
    CHECK(bench.file->is_open());
    bench.passes.close("things");
    must(bench.file->close_idle());
    CHECK_FALSE(bench.file->is_open());
    bench.use();
    CHECK(bench.file->is_open());
}

TEST_CASE("checks of tables are void once somebody else wrote to the file")
{
    FileBench bench;
    bench.use();
    must(bench.file->close_idle());
    const auto before = bench.file->epoch();
    bench.use();
    CHECK(bench.file->epoch() == before);
    must(bench.file->close_idle());
    {
        auto other = must(storage::Database::open(bench.file->path(), storage::OpenMode::read_write_create));
        must(other.execute("CREATE TABLE foreign_rows (a)"));
        must(other.checkpoint(storage::CheckpointMode::truncate));
    }
    bench.use();
    CHECK(bench.file->epoch() == before + 1);
}

TEST_CASE("a transaction of which the work fails leaves nothing in the file")
{
    FileBench bench;
    const auto write = [](storage::Database& database) { return mirror::write_meta(database, "mark", "1"); };
    CHECK_FALSE(bench.file->in_transaction([&](storage::Database& database) -> Result<void> {
        SHELFD_TRY(write(database));
        return Error(ErrorKind::busy, "somebody else holds it");
    }));
    CHECK_FALSE(bench.meta("mark"));
    must(bench.file->in_transaction(write));
    CHECK(bench.meta("mark") == "1");
}
