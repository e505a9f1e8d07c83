// Three users beside the daemon: one named by a group, one by name, and a member of the group that reads other mirrors.
#include "mirror/access/mirror_access.hpp"

#include "mirror/file/snapshot.hpp"
#include "mirror/mirror_fixture.hpp"
#include "storage/access/access_list.hpp"
#include "support/catch.hpp"
#include "support/process.hpp"

#include <grp.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

using namespace shelfd;

namespace {

constexpr gid_t staff = 64'201;          // named in `readers`
constexpr uid_t erik = 64'202;           // likewise
constexpr gid_t other_mirrors = 64'203;  // the owning group of the directory
constexpr uid_t somebody = 64'210;

const std::vector<Account> readers = {{Account::Kind::group, staff, "staff"}, {Account::Kind::user, erik, "erik"}};

struct User {
    uid_t uid;
    gid_t group;
};

constexpr User by_group{somebody, staff};
constexpr User by_name{erik, erik};
constexpr User by_owning_group{somebody + 1, other_mirrors};

// What a user's own connection counts; "" if that user cannot read the file.
std::string count_as(const User& user, const std::string& file, const std::string& query)
{
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        std::string answer;
        if (::setgroups(1, &user.group) == 0 && ::setresgid(user.uid, user.uid, user.uid) == 0 &&
            ::setresuid(user.uid, user.uid, user.uid) == 0) {
            auto reader = storage::Database::open(file, storage::OpenMode::read_only);
            auto row = reader ? reader->prepare(query) : Result<storage::Statement>(reader.error());
            if (row && row->step()) {
                answer = row->text(0);
            }
        }
        const auto written = ::write(ends[1], answer.data(), answer.size());
        ::_exit(written < 0 ? 1 : 0);
    }
    ::close(ends[1]);
    std::string answer(64, '\0');
    const auto got = ::read(ends[0], answer.data(), answer.size());
    answer.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return answer;
}

std::string rows_as(const User& user, const std::string& file)
{
    return count_as(user, file, "SELECT count(*) FROM things");
}

mode_t mode_of(const std::string& path)
{
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 07777U : 0;
}

// As tmpfiles makes the directory of all mirrors, except that everybody may pass through.
void give_to_owning_group(MirrorFixture& fixture)
{
    fixture.mirror.reset();
    std::filesystem::remove_all(fixture.directory / "antwerp");
    REQUIRE(::chown(fixture.directory.path().c_str(), 0, other_mirrors) == 0);
    REQUIRE(::chmod(fixture.directory.path().c_str(), 02751) == 0);
    fixture.reopen();
}

bool is_root()
{
    if (::geteuid() != 0) {
        WARN("skipped: only root can be somebody else");
        return false;
    }
    return true;
}

}  // namespace

TEST_CASE("those whom readers names read a mirror and its snapshot, and the group that reads other mirrors does not")
{
    if (!is_root()) {
        return;
    }
    MirrorFixture fixture;
    fixture.readers = readers;
    give_to_owning_group(fixture);
    fixture.load({R"({"id":1},{"id":2})"});
    const auto file = fixture.file();
    const auto check = [&](const std::string& path) {
        INFO(path);
        CHECK(rows_as(by_group, path) == "2");
        CHECK(rows_as(by_name, path) == "2");
        CHECK(rows_as(by_owning_group, path).empty());
    };
    check(file);
    const auto snapshot = mirror::snapshot_path(file);
    REQUIRE(mirror::write_snapshot({file, snapshot, fixture.clock.now(), 0}));
    check(snapshot);
    fixture.mirror.reset();
    check(file);  // the daemon is stopped
    // Somebody has removed -wal and -shm: the daemon creates them again.
    for (const auto* suffix : {"-wal", "-shm"}) {
        std::filesystem::remove(file + suffix);
    }
    fixture.reopen();
    fixture.load({R"({"id":1},{"id":2})"});
    check(file);
    CHECK(mode_of(fixture.directory / "antwerp") == 02750);
    CHECK(mode_of(file) == 0640);
    CHECK_FALSE(fixture.mirror->closed_to_readers());
}

TEST_CASE("a mirror that is created anew after damage belongs to the same readers, and so does what was set aside")
{
    if (!is_root()) {
        return;
    }
    MirrorFixture fixture;
    fixture.readers = readers;
    give_to_owning_group(fixture);
    fixture.load({R"({"id":1})"});
    const auto file = fixture.file();
    fixture.mirror.reset();
    write_file(file, std::string(16384, 'x'), 0640);
    fixture.reopen();
    fixture.load({R"({"id":1},{"id":2},{"id":3})"});
    CHECK(rows_as(by_group, file) == "3");
    CHECK(rows_as(by_owning_group, file).empty());
    std::size_t aside = 0;
    for (const auto& entry : std::filesystem::directory_iterator(fixture.directory / "antwerp")) {
        if (entry.path().string().find(".broken-") != std::string::npos) {
            const auto list = must(storage::read_access(entry.path().string()));
            CHECK(list.group == 0);
            CHECK(list.named.size() == 2);
            ++aside;
        }
    }
    CHECK(aside > 0);
}

TEST_CASE("who is taken out of readers loses the mirror, and without readers its group has it again")
{
    if (!is_root()) {
        return;
    }
    MirrorFixture fixture;
    fixture.readers = readers;
    give_to_owning_group(fixture);
    fixture.load({R"({"id":1})"});
    const auto file = fixture.file();
    const auto snapshot = mirror::snapshot_path(file);
    REQUIRE(mirror::write_snapshot({file, snapshot, fixture.clock.now(), 0}));

    fixture.readers = {readers[1]};
    fixture.reopen();
    for (const auto& path : {file, snapshot}) {
        INFO(path);
        CHECK(rows_as(by_group, path).empty());
        CHECK(rows_as(by_name, path) == "1");
        CHECK(rows_as(by_owning_group, path).empty());
    }
    CHECK(mirror::find_mirror_access(fixture.directory / "antwerp") ==
          std::vector<Account>{{Account::Kind::user, erik, ""}});

    fixture.readers.clear();
    fixture.reopen();
    for (const auto& path : {file, snapshot}) {
        INFO(path);
        CHECK(rows_as(by_name, path).empty());
        CHECK(rows_as(by_owning_group, path) == "1");
    }
    CHECK(mirror::find_mirror_access(fixture.directory / "antwerp").empty());
    CHECK(must(storage::read_access(fixture.directory / "antwerp", storage::ListKind::default_)) ==
          storage::AccessList());
    CHECK(mode_of(fixture.directory / "antwerp") == 02750);
}

TEST_CASE("kept pages of a pass stay private, and access lists of others stay without readers")
{
    const TempDirectory place;
    const auto directory = place / "antwerp";
    REQUIRE(::mkdir(directory.c_str(), 0750) == 0);
    const auto file = directory + "/antwerp.db";
    write_file(file, "x", 0640);
    write_file(file + ".walk-things", "x", 0600);
    // Somebody let a colleague read, as one does with setfacl.
    constexpr unsigned see = storage::may_read | storage::may_enter;
    const storage::AccessList by_hand{see | storage::may_write, see, 0, {{Account::Kind::user, somebody, see}}};
    must(storage::write_access(directory, by_hand));
    must(mirror::set_mirror_access(directory, file, {}));
    CHECK(must(storage::read_access(directory)) == by_hand);
    CHECK(mirror::find_mirror_access(directory).empty());

    must(mirror::set_mirror_access(directory, file, readers));
    CHECK(mirror::find_mirror_access(directory).size() == 2);
    CHECK(must(storage::read_access(file)).named.size() == 2);
    CHECK(mode_of(file + ".walk-things") == 0600);
    write_file(file + ".walk-later", "x", 0600);
    for (const auto& right : must(storage::read_access(file + ".walk-later")).named) {
        CHECK(right.permissions == 0);
    }
    // Once more: nothing is to be done.
    must(mirror::set_mirror_access(directory, file, readers));
}

TEST_CASE("on a file system without access lists a mirror with readers is filled, and closed to all but the daemon")
{
    if (!is_root()) {
        return;
    }
    const TempDirectory place;
    if (::mount("none", place.path().c_str(), "ramfs", 0, nullptr) != 0) {
        WARN("skipped: nothing can be mounted here: " << std::strerror(errno));
        return;
    }
    struct Unmounting {
        std::string path;
        ~Unmounting() { ::umount2(path.c_str(), MNT_DETACH); }
    };
    const Unmounting unmounting{place.path()};
    REQUIRE(::chmod(place.path().c_str(), 0755) == 0);
    MirrorFixture fixture;
    fixture.readers = readers;
    auto options = fixture.options();
    options.directory = place / "antwerp";
    auto closed = std::make_unique<mirror::Mirror>(options);
    must(closed->declare(fixture.specs));
    REQUIRE(closed->closed_to_readers());
    CHECK(storage::lacks_access_lists(*closed->closed_to_readers()));
    const auto file = closed->path();
    CHECK(storage::mount_of(file) == place.path());
    auto pass = must(closed->begin_pass("things", {.run_id = "run", .started = fixture.clock.now()}));
    must(pass->add_page(R"([{"id":1}])"));
    CHECK(must(pass->publish(complete_proof())).rows == 1);
    pass.reset();
    for (const auto& path : {file, file + "-wal", file + "-shm"}) {
        INFO(path);
        CHECK(mode_of(path) == 0600);
    }
    closed.reset();
    // A daemon that is started without readers gives it to the group again.
    options.readers.clear();
    mirror::Mirror plain(options);
    must(plain.open());
    CHECK_FALSE(plain.closed_to_readers());
    CHECK(mode_of(file) == 0640);
}

TEST_CASE("a daemon without privileges sets the access lists, and the group of new files is inherited as before")
{
    if (!is_root()) {
        return;
    }
    const TempDirectory place;
    constexpr uid_t daemon = 64'220;
    REQUIRE(::chown(place.path().c_str(), daemon, other_mirrors) == 0);
    REQUIRE(::chmod(place.path().c_str(), 02751) == 0);
    const auto directory = place / "antwerp";
    const auto file = directory + "/antwerp.db";
    const pid_t child = ::fork();
    if (child == 0) {
        const gid_t group = other_mirrors;
        if (::setgroups(1, &group) != 0 || ::setresgid(daemon, daemon, daemon) != 0 ||
            ::setresuid(daemon, daemon, daemon) != 0 || ::mkdir(directory.c_str(), 0750) != 0) {
            ::_exit(1);
        }
        const auto given = mirror::set_mirror_access(directory, file, readers);
        write_file(file, "x", 0640);
        ::_exit(given && mirror::set_mirror_access(directory, file, {readers[0]}) ? 0 : 2);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(mode_of(directory) == 02750);
    CHECK(mode_of(file) == 0640);
    struct stat found {};
    REQUIRE(::stat(file.c_str(), &found) == 0);
    CHECK(found.st_gid == other_mirrors);
    CHECK(must(storage::read_access(file)).named ==
          std::vector<storage::NamedRight>{{Account::Kind::group, staff, storage::may_read}});
}

TEST_CASE("the snapshot of a mirror that is closed to its readers is closed as well")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    const auto snapshot = mirror::snapshot_path(fixture.file());
    for (const mode_t mode : {0640U, 0600U}) {
        REQUIRE(::chmod(fixture.file().c_str(), mode) == 0);
        must(mirror::write_snapshot({fixture.file(), snapshot, fixture.clock.now(), 0}));
        CHECK(mode_of(snapshot) == mode);
    }
}
