#include "app/alerts/alert_file.hpp"

#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace shelfd::app {
namespace {

constexpr auto now = Instant::from_seconds(1'704'520'800);

std::string record_with(std::uint64_t number)
{
    control::AlertRecord record;
    record.book.last_number = number;
    return to_json(record);
}

TEST_CASE("without a file alerts begin anew")
{
    const TempDirectory directory;
    AlertFile file(directory / "hooks");
    const auto loaded = file.load(now);
    REQUIRE(loaded);
    CHECK(loaded->aside.empty());
    CHECK(loaded->record.book.open.empty());
}

TEST_CASE("what was saved is loaded, and nobody else may read it")
{
    const TempDirectory directory;
    AlertFile file(directory / "hooks");
    REQUIRE(file.load(now));
    REQUIRE(file.save(record_with(1)));
    REQUIRE(file.save(record_with(7)));
    const auto loaded = file.load(now);
    REQUIRE(loaded);
    CHECK(loaded->record.book.last_number == 7);
    struct stat status {};
    REQUIRE(::stat(file.path().c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0600U);
    REQUIRE(::stat((directory / "hooks").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0700U);
}

TEST_CASE("a save that was cut short leaves the last record")
{
    const TempDirectory directory;
    AlertFile file(directory / "hooks");
    REQUIRE(file.load(now));
    REQUIRE(file.save(record_with(7)));
    std::ofstream(directory / "hooks/.alerts.json.new") << record_with(8).substr(0, 20);  // killed in the middle
    CHECK(file.load(now)->record.book.last_number == 7);
    REQUIRE(file.save(record_with(9)));
    CHECK(file.load(now)->record.book.last_number == 9);
}

TEST_CASE("a damaged file is put aside, named, and kept")
{
    const TempDirectory directory;
    AlertFile file(directory / "hooks");
    REQUIRE(file.load(now));
    std::ofstream(file.path()) << "{\"format_version\": 1, \"open\": 7}";
    const auto loaded = file.load(now);
    REQUIRE(loaded);
    CHECK(loaded->record.book.open.empty());
    CHECK(loaded->aside == file.path() + ".damaged-1704520800");
    CHECK_FALSE(loaded->why.empty());
    CHECK(read_file(loaded->aside) == "{\"format_version\": 1, \"open\": 7}");
    CHECK(file.load(now)->aside.empty());
}

TEST_CASE("a file that could not be read is put aside before another one takes its place: calls wait in it")
{
    const TempDirectory directory;
    AlertFile file(directory / "hooks");
    REQUIRE(file.load(now));
    // Of every user, root included.
    std::filesystem::create_symlink(file.path(), file.path());
    REQUIRE_FALSE(file.load(now));
    const auto saved = file.save(record_with(9));
    REQUIRE(saved);
    CHECK(*saved == file.path() + ".unread-1704520800");
    CHECK(std::filesystem::is_symlink(*saved));
    CHECK(file.load(now)->record.book.last_number == 9);
    CHECK(file.save(record_with(10)).value_or("?").empty());
}

TEST_CASE("a disk that takes no record is an error of the disk")
{
    AlertFile file("/proc/nowhere");
    CHECK_FALSE(file.load(now));
    CHECK_FALSE(file.save(record_with(1)));
}

}  // namespace
}  // namespace shelfd::app
