#include "mirror/access/wal_readers.hpp"

#include "storage/other_reader.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <fcntl.h>

namespace shelfd::mirror {
namespace {

using storage::Database;
using storage::OpenMode;
using storage::OtherReader;

std::string make_database(const TempDirectory& directory, const char* name)
{
    const auto file = directory / name;
    auto database = Database::open(file, OpenMode::read_write_create);
    REQUIRE(database);
    REQUIRE(database->execute("CREATE TABLE rows (id INTEGER PRIMARY KEY); INSERT INTO rows VALUES (1)"));
    return file;
}

TEST_CASE("another process that is inside a read transaction is found by its locks, and no other one")
{
    const TempDirectory directory;
    const auto file = make_database(directory, "a.db");
    auto database = Database::open(file, OpenMode::read_write_create);
    REQUIRE(database);
    const OtherReader idle(file, false);
    CHECK(find_wal_readers(file).empty());
    {
        const OtherReader reader(file, true);
        CHECK(find_wal_readers(file) == std::vector<pid_t>{reader.pid()});
        CHECK(find_wal_readers(make_database(directory, "b.db")).empty());
    }
    CHECK(find_wal_readers(file).empty());
    // Its own transactions are no news to a program.
    REQUIRE(database->execute("BEGIN; SELECT count(*) FROM rows"));
    CHECK(find_wal_readers(file).empty());
    CHECK(find_wal_readers(directory / "nothing.db").empty());
}

TEST_CASE("to look for readers gives up no lock of the own connections")
{
    const TempDirectory directory;
    const auto file = make_database(directory, "a.db");
    auto database = Database::open(file, OpenMode::read_write_create);
    REQUIRE(database);
    REQUIRE(database->execute("BEGIN; SELECT count(*) FROM rows"));
    CHECK(find_wal_readers(file).empty());
    // As another process sees it: this one still holds a read mark.
    const auto is_held = [&file] {
        int said[2] = {-1, -1};
        REQUIRE(::pipe(said) == 0);
        const auto child = ::fork();
        if (child == 0) {
            char holds = 'n';
            const int shm = ::open((file + "-shm").c_str(), O_RDONLY | O_CLOEXEC);
            for (off_t mark = 123; mark <= 127; ++mark) {
                struct flock lock = {};
                lock.l_type = F_WRLCK;
                lock.l_start = mark;
                lock.l_len = 1;
                holds = ::fcntl(shm, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 'y' : holds;
            }
            (void)!::write(said[1], &holds, 1);
            ::_exit(0);
        }
        char holds = '?';
        REQUIRE(::read(said[0], &holds, 1) == 1);
        ::waitpid(child, nullptr, 0);
        ::close(said[0]);
        ::close(said[1]);
        return holds == 'y';
    };
    CHECK(is_held());
    REQUIRE(database->execute("COMMIT"));
    CHECK_FALSE(is_held());
}

}  // namespace
}  // namespace shelfd::mirror
