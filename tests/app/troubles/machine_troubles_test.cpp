// What can happen to this machine, its files and its configuration, as an operator meets it.
#include "app/troubles/staged_trouble.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>

#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

using namespace shelfd;
using namespace std::chrono_literals;
using control::CauseKind;
using control::Severity;

namespace {

// Files may not grow beyond that: a disk that is full, in the same places. Journals are made before, and small.
void limit_files(std::uint64_t bytes)
{
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = bytes;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

void change_all_recipes(DaemonBench& bench, std::size_t rows)
{
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = rows});
}

// A directory that may become read-only, if the test may mount.
class ReadOnlyMount {
public:
    explicit ReadOnlyMount(std::string path) : path_(std::move(path))
    {
        is_mounted_ = ::mount(path_.c_str(), path_.c_str(), nullptr, MS_BIND, nullptr) == 0;
    }
    ~ReadOnlyMount()
    {
        if (is_mounted_) {
            ::umount2(path_.c_str(), MNT_DETACH);
        }
    }
    ReadOnlyMount(const ReadOnlyMount&) = delete;
    ReadOnlyMount& operator=(const ReadOnlyMount&) = delete;

    bool is_mounted() const { return is_mounted_; }
    void make(bool read_only) const
    {
        unsigned long flags = MS_REMOUNT | MS_BIND;
        flags |= read_only ? static_cast<unsigned long>(MS_RDONLY) : 0UL;
        REQUIRE(::mount(nullptr, path_.c_str(), nullptr, flags, nullptr) == 0);
    }

private:
    std::string path_;
    bool is_mounted_ = false;
};

// A program that has the mirror open.
struct OtherProgram {
    std::unique_ptr<storage::Database> database;

    void open(const std::string& mirror, const char* statement)
    {
        auto opened = storage::Database::open(mirror, storage::OpenMode::read_write_create);
        REQUIRE(opened);
        database = std::make_unique<storage::Database>(std::move(*opened));
        REQUIRE(database->execute(statement));
    }
    // In the transaction.
    void read()
    {
        auto rows = database->prepare("SELECT count(*) FROM recipes");
        REQUIRE(rows);
        REQUIRE(rows->step());
    }
};

}  // namespace

TEST_CASE("staged trouble: the clock of this machine is two days ahead")
{
    check_trouble({.name = "clock ahead",
                   .cause = CauseKind::clock,
                   .severity = Severity::ticket,
                   .why = "clock",
                   .cure = "timedatectl set-ntp true",
                   .next = "ages of tables are wrong",
                   .stage = [](DaemonBench& bench) { bench.client.date_ahead = -48h; },
                   .mend = [](DaemonBench& bench) { bench.client.date_ahead = 0h; },
                   .over = 5h});
}

TEST_CASE("staged trouble: the clock of this machine is two days behind")
{
    check_trouble({.name = "clock behind",
                   .cause = CauseKind::clock,
                   .severity = Severity::ticket,
                   .why = "clock",
                   .cure = "timedatectl set-ntp true",
                   .next = "ages of tables are wrong",
                   .stage = [](DaemonBench& bench) { bench.client.date_ahead = 48h; },
                   .mend = [](DaemonBench& bench) { bench.client.date_ahead = 0h; },
                   .over = 5h});
}

TEST_CASE("staged trouble: the disk of the mirrors is full")
{
    check_trouble({.name = "full disk",
                   .cause = CauseKind::disk,
                   .severity = Severity::page,
                   .why = "disk",
                   .cure = "check the disk: df -h",
                   .next = "tries again",
                   .deadline = StagedTrouble::Deadline::set,
                   .stage =
                       [](DaemonBench& bench) {
                           change_all_recipes(bench, 2000);
                           limit_files(256U << 10U);
                       },
                   .mend = [](DaemonBench&) { limit_files(RLIM_INFINITY); },
                   .over = 5h,
                   .tables = {"antwerp"}});
    limit_files(RLIM_INFINITY);
}

TEST_CASE("a sync onto a full disk says once what SQLite says, and what to do")
{
    DaemonBench bench;
    bench.pass_time(20min);
    change_all_recipes(bench, 2000);
    limit_files(256U << 10U);
    control::SyncRequest request;
    request.library = "antwerp";
    request.resource = "recipes";
    request.extent = control::Extent::full;
    const auto synced = bench.clock.run(bench.operations().sync(std::move(request), [](const auto&) {}));
    limit_files(RLIM_INFINITY);
    REQUIRE_FALSE(synced);
    const auto& text = synced.error().text();
    INFO(text);
    CHECK(synced.error().kind() == ErrorKind::storage);
    REQUIRE(text.find("(SQLite ") != std::string::npos);
    CHECK(text.find("(SQLite ") == text.rfind("(SQLite "));
    CHECK(text.find("df -h") != std::string::npos);
}

TEST_CASE("staged trouble: the disk of the mirrors is read-only")
{
    std::unique_ptr<ReadOnlyMount> place;
    {
        const TempDirectory trial;
        if (geteuid() != 0 || !ReadOnlyMount(trial.path()).is_mounted()) {
            WARN("skipped: only root can mount");
            return;
        }
    }
    check_trouble({.name = "read-only disk",
                   .cause = CauseKind::disk,
                   .severity = Severity::page,
                   .why = "read",
                   .cure = "mount its disk writable",
                   .next = "tries again",
                   .deadline = StagedTrouble::Deadline::set,
                   .stage =
                       [&](DaemonBench& bench) {
                           bench.stop();
                           place = std::make_unique<ReadOnlyMount>(bench.files / "mirrors/antwerp");
                           bench.start();
                           bench.pass_time(2min);
                           place->make(true);
                       },
                   .mend = [&](DaemonBench&) { place->make(false); },
                   .over = 5h});
}

TEST_CASE("staged trouble: another program keeps a mirror locked")
{
    OtherProgram other;
    check_trouble({.name = "locked",
                   .cause = CauseKind::disk,
                   .severity = Severity::page,
                   .why = "locked",
                   .cure = "end the program that writes to it: sudo lslocks -u | grep",
                   .next = "tries again",
                   .deadline = StagedTrouble::Deadline::set,
                   .stage =
                       [&](DaemonBench& bench) {
                           other.open(bench.mirror(), "BEGIN IMMEDIATE");
                           change_all_recipes(bench, 5);
                       },
                   .mend = [&](DaemonBench&) { other.database.reset(); },
                   .stays = 90s,
                   .tables = {"antwerp"}});
}

TEST_CASE("staged trouble: a reader stays inside a transaction")
{
    OtherProgram reader;
    check_trouble({.name = "pinned WAL",
                   .cause = CauseKind::wal,
                   .severity = Severity::ticket,
                   .why = "cannot be emptied",
                   .cure = "shelfctl status antwerp names the reader: end its transaction",
                   .next = "the file grows",
                   .stage =
                       [&](DaemonBench& bench) {
                           reader.open(bench.mirror(), "BEGIN");
                           reader.read();
                           change_all_recipes(bench, 50);
                       },
                   .mend = [&](DaemonBench&) { reader.database.reset(); },
                   .within = 4h});
}

TEST_CASE("staged trouble: a mirror is damaged, and repaired")
{
    check_trouble({.name = "damaged",
                   .cause = CauseKind::repaired,
                   .severity = Severity::info,
                   .why = "the mirror",
                   .cure = "",
                   .stage =
                       [](DaemonBench& bench) {
                           bench.stop();
                           write_file(bench.mirror(), std::string(65536, '\x5a'), 0640);
                           bench.start();
                       },
                   .mend = {},
                   .lasting = StagedTrouble::Lasting::momentary});
}

TEST_CASE("staged trouble: a copy of a token set is damaged, and repaired")
{
    check_trouble({.name = "damaged journal",
                   .cause = CauseKind::repaired,
                   .severity = Severity::info,
                   .why = "a copy of the token set",
                   .cure = "",
                   .stage =
                       [](DaemonBench& bench) {
                           bench.stop();
                           write_file(bench.tokens() + "/journal.b", std::string(65536, '\x5a'), 0600);
                           bench.start();
                       },
                   .mend = {},
                   .lasting = StagedTrouble::Lasting::momentary});
}

TEST_CASE("staged trouble: no snapshot can be written")
{
    DaemonOptions options;
    options.more = "[snapshot]\nevery = \"30m\"\n";
    const auto place = [](DaemonBench& bench) { return bench.files / "mirrors/antwerp/antwerp.snapshot.db"; };
    check_trouble({.name = "snapshot",
                   .cause = CauseKind::snapshot,
                   .severity = Severity::ticket,
                   .why = "the snapshot is of",
                   .cure = "shelfctl snapshot antwerp, after correcting that",
                   .next = "tries again",
                   .options = options,
                   .stage =
                       [&](DaemonBench& bench) {
                           std::filesystem::remove(place(bench));
                           std::filesystem::create_directories(place(bench) + "/in the way");
                       },
                   .mend = [&](DaemonBench& bench) { std::filesystem::remove_all(place(bench)); }});
}

TEST_CASE("staged trouble: a reload is refused")
{
    check_trouble({.name = "refused reload",
                   .cause = CauseKind::daemon,
                   .severity = Severity::ticket,
                   .why = "the last reload was refused",
                   .cure = "correct it (shelfctl config check reports every fault), then: shelfctl reload",
                   .next = "continues with the configuration that was loaded before",
                   .stage =
                       [](DaemonBench& bench) {
                           bench.options().more = "[resourc.stock]\npath = \"/x/\"\n";
                           bench.reload();
                       },
                   .mend =
                       [](DaemonBench& bench) {
                           bench.options().more.clear();
                           bench.reload();
                       }});
}

TEST_CASE("staged trouble: a library cannot be opened")
{
    check_trouble({.name = "not running",
                   .cause = CauseKind::not_running,
                   .severity = Severity::ticket,
                   .why = "ghent",
                   .cure = "correct that",
                   .next = "tries again every 20 seconds",
                   .stage =
                       [](DaemonBench& bench) {
                           bench.stop();
                           const auto directory = bench.files / "mirrors/ghent";
                           std::filesystem::rename(directory, bench.files / "ghent");
                           write_file(directory, "in the way");
                           bench.start();
                       },
                   .mend =
                       [](DaemonBench& bench) {
                           const auto directory = bench.files / "mirrors/ghent";
                           std::filesystem::remove(directory);
                           std::filesystem::rename(bench.files / "ghent", directory);
                       }});
}

TEST_CASE("staged trouble: a bug stops a library")
{
    DaemonOptions options;
    options.libraries = {"antwerp"};
    check_trouble({.name = "bug",
                   .cause = CauseKind::bug,
                   .severity = Severity::ticket,
                   .why = "planted",
                   .cure = "send a bug report with the log",
                   .next = "restarts the library at",
                   .options = options,
                   .stage =
                       [](DaemonBench& bench) {
                           bench.client.before_sending = [](const std::string& target) {
                               if (target.find("recipes") != std::string::npos) {
                                   throw std::out_of_range("planted");
                               }
                           };
                           // The first restarts come soon.
                           bench.pass_time(30min);
                       },
                   .mend = [](DaemonBench& bench) { bench.client.before_sending = [](const std::string&) {}; },
                   .over = 5h});
}

TEST_CASE("staged trouble: nothing shows whose rows are served")
{
    DaemonOptions options;
    options.libraries = {"antwerp"};
    check_trouble({.name = "unfit canary",
                   .cause = CauseKind::identity,
                   .severity = Severity::ticket,
                   .why = "the library is not verified",
                   .cure = "set identity = { path, field } of the service",
                   .next = "keeps rows that a list no longer shows",
                   .options = options,
                   .stage =
                       [](DaemonBench& bench) {
                           // The page answers whoever asks.
                           sim::Fault open;
                           open.path = "/api/v2/accounts/libraries/current/";
                           open.times = std::nullopt;
                           open.acts = false;
                           open.status = 200;
                           open.body = R"({"id":42,"name":"open"})";
                           open.content_type = "application/json";
                           bench.fail(open);
                           bench.world()->edit("lib01", "library/recipes", {.remove_newest = 1});
                       },
                   .mend =
                       [](DaemonBench& bench) {
                           bench.world()->faults.clear();
                           bench.world()->edit("lib01", "library/recipes", {.remove_newest = 1});
                       },
                   .within = 5h,
                   .over = 8h,
                   .beside = {CauseKind::held}});
}

TEST_CASE("staged trouble: a consumer does not take published rounds")
{
    DaemonOptions options;
    options.libraries = {"antwerp"};
    options.more =
        "[hooks.consumer]\npost = \"https://consumer.test/in\"\non = [\"page\"]\non_publish = [\"recipes\"]\n";
    check_trouble({.name = "consumer lag",
                   .cause = CauseKind::consumer_lag,
                   .severity = Severity::ticket,
                   .why = "hook consumer has not accepted a call for rounds published since",
                   .cure = "shelfctl hooks test consumer",
                   .options = options,
                   .stage =
                       [](DaemonBench& bench) {
                           bench.consumer_answers = 503;
                           change_all_recipes(bench, 3);
                       },
                   .mend = [](DaemonBench& bench) { bench.consumer_answers = 200; },
                   .within = 3h,
                   .over = 5h});
}
