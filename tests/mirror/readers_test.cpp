#include "mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>

using namespace shelfd;

namespace {

constexpr int rows = 400;

// All rows of one pass carry its version; a reader that sees two versions saw half a pass.
std::vector<std::string> version_pages(int version)
{
    std::vector<std::string> pages;
    for (int first = 0; first < rows; first += 100) {
        auto& page = pages.emplace_back();
        for (int id = first; id < first + 100; ++id) {
            page += fmt::format("{}{{\"id\":{},\"version\":{},\"name\":\"row {} of version {}\",\"k{}\":1}}",
                                page.empty() ? "" : ",", id, version, id, version, version % 50);
        }
    }
    return pages;
}

enum Sight { whole = 0, mixed = 1, failed = 2 };

Sight sight_of(const std::string& file)
{
    auto reader = storage::Database::open(file, storage::OpenMode::read_only);
    if (!reader) {
        return failed;
    }
    auto row = reader->prepare("SELECT count(*), coalesce(min(version), 0), coalesce(max(version), 0) FROM things");
    if (!row) {
        // Before the first publication there is no column to ask for.
        return row.error().text().starts_with("no such column") ? whole : failed;
    }
    auto found = row->step();
    if (!found) {
        return found.error().text().starts_with("no such column") ? whole : failed;
    }
    const bool all = row->integer(0) == rows && row->integer(1) == row->integer(2);
    return all || row->integer(0) == 0 ? whole : mixed;
}

// Runs `work` in a process of its own, which ends with what it returns and never runs the test's destructors.
pid_t in_child(const std::function<int()>& work)
{
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        int code = 99;
        try {
            code = work();
        } catch (const std::exception&) {
            code = 98;
        }
        ::_exit(code);
    }
    return child;
}

int exit_code(pid_t child)
{
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

constexpr uid_t somebody_else = 65534;

// A reader in a process of its own, perhaps of another user. Made while this process has no mirror open: SQLite's
// knowledge of open files does not survive a fork.
class ReaderProcess {
public:
    ReaderProcess(std::string file, std::optional<uid_t> user) : file_(std::move(file))
    {
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) == 0);
        child_ = in_child([&] { return serve(user); });
        ::close(ends_[1]);
    }
    ReaderProcess(const ReaderProcess&) = delete;
    ReaderProcess& operator=(const ReaderProcess&) = delete;
    ~ReaderProcess()
    {
        ::close(ends_[0]);
        ::waitpid(child_, nullptr, 0);
    }

    // One look at the table.
    Sight look()
    {
        begin_polling();
        return end_polling();
    }
    void begin_polling() { REQUIRE(::write(ends_[0], "p", 1) == 1); }
    // The worst sight since then; at least one look was taken.
    Sight end_polling()
    {
        char answer = failed;
        REQUIRE(::write(ends_[0], "e", 1) == 1);
        REQUIRE(::read(ends_[0], &answer, 1) == 1);
        return static_cast<Sight>(answer);
    }

private:
    int serve(std::optional<uid_t> user)
    {
        ::close(ends_[0]);
        const auto become = [](uid_t id) {
            return ::setgroups(0, nullptr) == 0 && ::setgid(id) == 0 && ::setuid(id) == 0;
        };
        if (user && !become(*user)) {
            return 1;
        }
        char command = 0;
        while (::read(ends_[1], &command, 1) == 1) {
            char worst = whole;
            pollfd more{.fd = ends_[1], .events = POLLIN, .revents = 0};
            do {
                worst = std::max(worst, static_cast<char>(sight_of(file_)));
            } while (::poll(&more, 1, 0) == 0);
            if (::read(ends_[1], &command, 1) != 1 || ::write(ends_[1], &worst, 1) != 1) {
                return 1;
            }
        }
        return 0;
    }

    std::string file_;
    std::array<int, 2> ends_{};
    pid_t child_ = -1;
};

unsigned mode_of(const std::string& path)
{
    struct stat facts = {};
    REQUIRE(::stat(path.c_str(), &facts) == 0);
    return facts.st_mode & 07777U;
}

}  // namespace

TEST_CASE("a reader that polls during passes sees only whole ones")
{
    MirrorFixture fixture;
    fixture.load(version_pages(0));
    const auto file = fixture.file();
    fixture.mirror.reset();
    ReaderProcess reader(file, std::nullopt);
    fixture.reopen();
    reader.begin_polling();
    for (int version = 1; version <= 15; ++version) {
        fixture.load(version_pages(version));
    }
    CHECK(reader.end_polling() == whole);
}

TEST_CASE("a mirror whose daemon is killed at any moment is whole, and the next pass makes it right")
{
    MirrorFixture fixture;
    fixture.mirror.reset();  // the child is the one writer
    const auto file = fixture.directory / "antwerp/antwerp.db";
    const auto seed = GENERATE(range(1U, 13U));
    std::mt19937 random(seed);
    for (int kill = 0; kill < 2; ++kill) {
        const auto micros = static_cast<suseconds_t>(1000 + random() % 120'000);
        const pid_t child = in_child([&] {
            // SIGALRM ends a process as suddenly as SIGKILL, and the kernel picks the moment.
            const itimerval timer{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = micros}};
            ::setitimer(ITIMER_REAL, &timer, nullptr);
            for (int version = 0;; ++version) {
                fixture.reopen();
                fixture.load(version_pages(version));
            }
            return 0;
        });
        int status = 0;
        while (::waitpid(child, &status, WNOHANG) == 0) {
            REQUIRE(sight_of(file) == whole);
        }
        REQUIRE(WIFSIGNALED(status));
        REQUIRE(sight_of(file) == whole);
    }
    fixture.reopen("boot-2");  // another boot: quick_check has its say
    CHECK_FALSE(fixture.mirror->take_notice());
    CHECK(fixture.one("PRAGMA integrity_check") == "ok");
    const auto outcome = fixture.load(version_pages(1000));
    CHECK(outcome.rows == rows);
    CHECK(fixture.one("SELECT count(*), min(version), max(version) FROM things") == "400|1000|1000");
    CHECK(fixture.one("SELECT count(*) FROM _state_things") == "400");
    CHECK(fixture.one("SELECT count(*) FROM sqlite_master WHERE name GLOB '_staging_*' OR name GLOB '_seen_*' "
                      "OR name GLOB '_rebuild_*'") == "0");
    CHECK(fixture.load(version_pages(1000)).unchanged == rows);
}

TEST_CASE("files are 0640 in a directory 0750 whatever the umask, and stay when the mirror is closed")
{
    const mode_t before = ::umask(GENERATE(0U, 022U, 077U));
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    ::umask(before);
    const auto directory = fixture.directory / "antwerp";
    const auto check = [&] {
        CHECK(mode_of(directory) == 0750);
        for (const auto* suffix : {"", "-wal", "-shm"}) {
            INFO(suffix);
            CHECK(mode_of(directory + "/antwerp.db" + suffix) == 0640);
        }
    };
    check();
    fixture.mirror.reset();
    check();
    CHECK(fixture.directory.path().size() > 1);
}

TEST_CASE("files that others may write, or readers cannot open, are put right at the start")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    const auto file = fixture.file();
    const auto mode = GENERATE(0666U, 0600U);
    fixture.mirror.reset();
    for (const auto* suffix : {"", "-wal", "-shm"}) {
        REQUIRE(::chmod((file + suffix).c_str(), mode) == 0);
    }
    REQUIRE(::chmod((fixture.directory / "antwerp").c_str(), mode | 0111U) == 0);
    fixture.reopen();
    CHECK(mode_of(fixture.directory / "antwerp") == 0750);
    for (const auto* suffix : {"", "-wal", "-shm"}) {
        INFO(suffix);
        CHECK(mode_of(file + suffix) == 0640);
    }
}

TEST_CASE("the WAL of a mirror stays when its last connection is closed, so that those who may only read still can")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    const auto file = fixture.file();
    for (int life = 0; life < 3; ++life) {
        fixture.mirror.reset();
        CHECK(mode_of(file + "-wal") == 0640);
        CHECK(mode_of(file + "-shm") == 0640);
        fixture.reopen();
        fixture.load({R"({"id":1})"});
    }
}

TEST_CASE("another user in the group reads with the daemon writing, inside a pass, stopped, and killed")
{
    if (::geteuid() != 0) {
        WARN("skipped: only root can be somebody else");
        return;
    }
    MirrorFixture fixture;
    fixture.mirror.reset();
    // As tmpfiles makes it: the group comes by set-gid from above.
    REQUIRE(::chmod(fixture.directory.path().c_str(), 0711) == 0);
    std::filesystem::remove_all(fixture.directory / "antwerp");
    REQUIRE(::chown(fixture.directory.path().c_str(), 0, somebody_else) == 0);
    REQUIRE(::chmod(fixture.directory.path().c_str(), 02711) == 0);
    ReaderProcess reader(fixture.directory / "antwerp/antwerp.db", somebody_else);
    ReaderProcess stranger(fixture.directory / "antwerp/antwerp.db", somebody_else - 1);
    fixture.reopen();
    CHECK(mode_of(fixture.directory / "antwerp") == 02750);
    fixture.load(version_pages(1));
    CHECK(reader.look() == whole);
    CHECK(stranger.look() == failed);
    {
        auto pass = fixture.begin();
        must(pass->add_page("[" + version_pages(2)[0] + "]"));
        CHECK(reader.look() == whole);
    }
    fixture.mirror.reset();
    CHECK(reader.look() == whole);
    // The child holds the file open, with frames in its WAL, when it is killed.
    const pid_t child = in_child([&] {
        fixture.reopen();
        fixture.load(version_pages(3));
        ::raise(SIGKILL);
        return 0;
    });
    CHECK(exit_code(child) == 1000 + SIGKILL);
    CHECK(reader.look() == whole);
}
