#include "base/accounts/unknown_account.hpp"
#include "ctl/doctor/access.hpp"
#include "ctl/doctor/checks.hpp"
#include "ctl/doctor/machine_checks.hpp"
#include "ctl/doctor/sound_facts.hpp"
#include "ctl/doctor/wrong_rights.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace shelfd::ctl {
namespace {

std::string lines(const Findings& findings)
{
    std::string text;
    for (const auto& one : findings) {
        text += fmt::format("{} {}: {} | {}\n", to_string(one.verdict), one.name, one.text, one.do_this);
    }
    return text;
}

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

struct Row {
    const char* name;
    std::function<void(Facts&)> plant;
    Verdict verdict;
    const char* check;
    const char* text;
    const char* do_this;
};

// Exactly one check finds it, and all others stay as they were.
void finds(const Row& row)
{
    INFO(row.name);
    auto facts = sound_facts();
    row.plant(facts);
    const auto findings = check_all(facts);
    INFO(lines(findings));
    REQUIRE(!findings.empty());
    const auto& worst = findings.front();
    CHECK(worst.verdict == row.verdict);
    CHECK(worst.name == row.check);
    CHECK(holds(worst.text, row.text));
    CHECK(holds(worst.do_this, row.do_this));
    const auto beside = std::count_if(findings.begin() + 1, findings.end(),
                                      [&](const auto& one) { return one.verdict > Verdict::unknown; });
    CHECK(beside == 0);
}

TEST_CASE("of a sound installation every check says ok, and the exit code is 0")
{
    const auto findings = check_all(sound_facts());
    INFO(lines(findings));
    CHECK(std::all_of(findings.begin(), findings.end(), [](const auto& one) { return one.verdict == Verdict::ok; }));
    CHECK(findings.size() >= 19);
    CHECK(exit_code_of(findings) == ExitCode::done);
}

TEST_CASE("what a user may do to files of a daemon of one's own is named without sudo")
{
    auto facts = sound_facts();
    facts.tokens[0].files[0].mode = 0644;
    const auto cure = [&] { return check_all(facts).front().do_this; };
    CHECK(cure().find("sudo chmod 0600 ") == 0);
    facts.system.of_user = true;
    CHECK(cure().find("chmod 0600 ") == 0);
}

TEST_CASE("each fault of a configuration, a directory or a file is found by its own check, with its cure")
{
    const std::vector<Row> rows = {
        {"a fault in the configuration", [](auto& f) { f.config.faults = {"x.toml:1:1: bad"}; }, Verdict::fault,
         "configuration", "x.toml:1:1: bad", "shelfctl config check"},
        {"a warning in the configuration", [](auto& f) { f.config.warnings = {"x.toml:1:1: odd"}; }, Verdict::warning,
         "configuration", "odd", "shelfctl config check"},
        {"a file changed after the load", [](auto& f) { f.config.files[0].modified = f.now; }, Verdict::advice,
         "configuration", "was changed after the daemon loaded it", "sudo shelfctl reload"},
        {"the daemon uses another file", [](auto& f) { f.daemon.config_file = "/tmp/x.toml"; }, Verdict::warning,
         "configuration", "the daemon uses /tmp/x.toml", "--config /tmp/x.toml"},
        {"no directory of tokens", [](auto& f) { f.places[1].kind = PathFacts::Kind::missing; }, Verdict::fault,
         "storage", "there is no directory /var/lib/shelfd/tokens", "install -d -o shelfd -g shelfd -m 0700"},
        {"tokens open to others", [](auto& f) { f.places[1].mode = 0755; }, Verdict::fault, "token directories",
         "/var/lib/shelfd/tokens has mode 0755, must have 0700", "sudo chmod 0700 /var/lib/shelfd/tokens"},
        {"a token directory open to the group", [](auto& f) { f.tokens[0].directory.mode = 0750; }, Verdict::fault,
         "token directories", "tokens/antwerp has mode 0750", "chmod 0700"},
        {"the second token directory open", [](auto& f) { f.tokens[0].copy_directory.mode = 0711; }, Verdict::fault,
         "token directories", "/second/tokens/antwerp has mode 0711", "chmod 0700"},
        {"a journal that others may read", [](auto& f) { f.tokens[0].files[0].mode = 0644; }, Verdict::fault,
         "token directories", "journal.a has mode 0644, must have 0600", "chmod 0600"},
        {"a journal of another user", [](auto& f) { f.tokens[0].files[0].uid = 1000; }, Verdict::fault,
         "token directories", "journal.a belongs to alice, must belong to shelfd", "sudo chown shelfd"},
        {"mirrors without set-gid", [](auto& f) { f.places[0].mode = 0750; }, Verdict::warning, "mirror directories",
         "mirrors has mode 0750, must have 2750", "chmod 2750"},
        {"a mirror's directory of another group", [](auto& f) { f.mirrors[0].directory.gid = 900; }, Verdict::warning,
         "mirror directories", "antwerp has the group shelfd, must have shelfd-read", "sudo chgrp shelfd-read"},
        {"a mirror that its group may not read", [](auto& f) { f.mirrors[0].file.mode = 0600; }, Verdict::warning,
         "mirror files", "antwerp.db has mode 0600, must have 0640", "chmod 0640"},
        {"a WAL that its group may not read", [](auto& f) { f.mirrors[0].others[1].mode = 0600; }, Verdict::warning,
         "mirror files", "antwerp.db-wal has mode 0600", "chmod 0640"},
        {"a mirror of another user", [](auto& f) { f.mirrors[0].file.uid = 0; }, Verdict::fault, "mirror files",
         "antwerp.db belongs to root, must belong to shelfd", "sudo chown shelfd"},
        {"a secret that everybody may read", [](auto& f) { f.secrets[0].file.mode = 0644; }, Verdict::fault,
         "secret files", "/etc/shelfd/secrets/antwerp has mode 0644, must have 0640", "chmod 0640"},
        {"a secret that the daemon may not read", [](auto& f) { f.secrets[0].file.mode = 0600; }, Verdict::fault,
         "secrets", "shelfd may not read /etc/shelfd/secrets/antwerp", "sudo chgrp shelfd"},
        {"a secret below a closed directory", [](auto& f) { f.secrets[0].parents[0].mode = 0700; }, Verdict::fault,
         "secrets", "shelfd may not read", "chgrp"},
        {"a secret that is not there", [](auto& f) { f.secrets[0].file.kind = PathFacts::Kind::missing; },
         Verdict::fault, "secrets", "there is no file /etc/shelfd/secrets/antwerp", "install -m 0640"},
        {"no group of readers", [](auto& f) { std::erase_if(f.people.groups, [](auto& g) { return g.gid == 901; }); },
         Verdict::warning, "groups", "there is no group shelfd-read", "addgroup --system shelfd-read"},
        {"no group of readers, for a user without root",
         [](auto& f) {
             f.system.of_user = true;
             f.system.unit = "/h/ada/.config/systemd/user/shelfd.service";
             f.config.file = f.daemon.config_file = "/h/ada/.config/shelfd/shelfd.toml";
             std::erase_if(f.people.groups, [](auto& g) { return g.gid == 901; });
         },
         Verdict::warning, "groups", "there is no group shelfd-read",
         "write control.readers = \"\" or a group of yours in /h/ada/.config/shelfd/shelfd.toml, then: systemctl "
         "--user "
         "restart shelfd"},
        {"a socket closed to readers, of a user's daemon without a unit",
         [](auto& f) {
             f.system.of_user = true;
             f.system.unit.clear();
             f.config.file = f.daemon.config_file = "/h/ada/x.toml";
             f.socket_file.mode = 0600;
         },
         Verdict::warning, "control socket", "mode 0600", "start it again: shelfd --config /h/ada/x.toml"},
        {"nobody may read",
         [](auto& f) {
             f.people.groups[2].members.clear();
             f.people.users[3].gid = 1001;
         },
         Verdict::advice, "readers", "nobody but root", "sudo adduser NAME shelfd-read"},
        {"a reader whom nobody knows",
         [](auto& f) {
             f.config.model->libraries[0].readers = {{Account::Kind::group, 901, "shelfd-read"}, unknown_account("bi")};
         },
         Verdict::warning, "readers",
         "`readers` of antwerp names bi, who is not known on this machine and is granted nothing",
         "sudo groupadd bi; or remove the name, then: shelfctl reload"},
        {"a ca_file that is none",
         [](auto& f) {
             f.certificates = {{"library.antwerp", file_facts("/x.pem", 0644, 0, 0), "no certificate", {}}};
         },
         Verdict::fault, "ca_file", "/x.pem (library.antwerp): no certificate", "PEM"},
        {"a ca_file that the daemon may not read",
         [](auto& f) {
             f.certificates = {{"library.antwerp", file_facts("/x.pem", 0600, 0, 0), "", {}}};
         },
         Verdict::fault, "ca_file", "shelfd may not read it", "chmod 0644 /x.pem"},
        {"a path too long for a socket", [](auto& f) { f.socket = "/run/" + std::string(110, 'x'); }, Verdict::fault,
         "control socket", "115 bytes", "shorter control.socket"},
        {"a socket closed to readers", [](auto& f) { f.socket_file.mode = 0600; }, Verdict::warning, "control socket",
         "mode 0600", "restart shelfd"},
        {"a mirror that cannot be read", [](auto& f) { f.mirrors[0].trouble = "malformed"; }, Verdict::warning,
         "mirrors", "the mirror of antwerp cannot be read: malformed", "shelfctl status antwerp"},
    };
    for (const auto& row : rows) {
        finds(row);
    }
}

TEST_CASE("each fault of a disk, and each file that nobody needs, is found by its own check, with its cure")
{
    const std::vector<Row> rows = {
        {"one disk for both copies", [](auto& f) { f.places[2].device = f.places[1].device; }, Verdict::warning,
         "token copies", "are on one disk", "storage.tokens_copy"},
        {"no second copy",
         [](auto& f) {
             f.config.model->storage.tokens_copy = "";
             f.places.pop_back();
         },
         Verdict::advice, "token copies", "is not set", "storage.tokens_copy"},
        {"a read-only disk", [](auto& f) { f.disks[0].read_only = true; }, Verdict::fault, "disk", "mounted read-only",
         "remount,rw"},
        {"a full disk of tokens", [](auto& f) { f.disks[2].free_bytes = 100 << 10; }, Verdict::warning, "disk",
         "/second/tokens is full: 100 KiB free",
         "make room on /second/tokens: no set of another library can be stored until then"},
        {"a disk of tokens with room for journals", [](auto& f) { f.disks[2].free_bytes = 6 << 20; }, Verdict::warning,
         "disk", "/second/tokens is nearly full: 6.0 MiB free", "new token sets can be stored while 256 KiB are free"},
        {"few inodes", [](auto& f) { f.disks[0].free_inodes = 12; }, Verdict::warning, "disk", "12 more files",
         "remove"},
        {"a file system that forgets", [](auto& f) { f.disks[1].unsafe = "it is on tmpfs"; }, Verdict::fault, "disk",
         "tmpfs", "[storage]"},
        {"no room for a snapshot", [](auto& f) { f.disks[0].free_bytes = 512u << 20; }, Verdict::warning,
         "space forecast",
         "512 MiB free on the disk of /var/lib/shelfd/mirrors; a snapshot of antwerp (VACUUM INTO) "
         "takes 1.0 GiB",
         "make room"},
        {"full in a week", [](auto& f) { f.mirrors[0].bytes_a_day = 7.0 * (1u << 30); }, Verdict::warning,
         "space forecast", "grow by 7.0 GiB a day", "make room"},
        {"full in two months", [](auto& f) { f.mirrors[0].bytes_a_day = 0.8 * (1u << 30); }, Verdict::advice,
         "space forecast", "enough for 61 days", "make room"},
        {"a pinned WAL",
         [](auto& f) {
             f.mirrors[0].others[1].bytes = 64u << 20;
             f.mirrors[0].pinning_readers = {{77, "sqlite3 antwerp.db"}};
         },
         Verdict::warning, "WAL", "process 77 (sqlite3 antwerp.db)", "kill 77"},
        {"a large WAL that nobody pins", [](auto& f) { f.mirrors[0].others[1].bytes = 64u << 20; }, Verdict::advice,
         "WAL", "the WAL of antwerp has 64 MiB", "shelfctl status"},
        {"the mirror of another library",
         [](auto& f) {
             f.mirrors.push_back(f.mirrors[0]);
             f.mirrors[1].library = "ghent";
             f.mirrors[1].directory.path = "/var/lib/shelfd/mirrors/ghent";
         },
         Verdict::advice, "orphans",
         "no library of the configuration fills these mirrors: /var/lib/shelfd/mirrors/ghent",
         "configure the library again, or: shelfctl library forget ghent"},
        {"the mirrors of two other libraries",
         [](auto& f) {
             for (const auto* name : {"ghent", "bruges"}) {
                 f.mirrors.push_back(f.mirrors[0]);
                 f.mirrors.back().library = name;
             }
         },
         Verdict::advice, "orphans", "fills these mirrors",
         "or:\nshelfctl library forget ghent\nshelfctl library forget bruges"},
        {"the token set of another library",
         [](auto& f) {
             f.tokens.push_back(f.tokens[0]);
             f.tokens[1].library = "ghent";
         },
         Verdict::advice, "orphans", "uses these token sets", "shelfctl library forget ghent"},
        {"kept pages of no table",
         [](auto& f) {
             f.mirrors[0].others.push_back(
                 file_facts("/var/lib/shelfd/mirrors/antwerp/antwerp.db.walk-sales", 0600, 900, 901));
         },
         Verdict::advice, "orphans", "antwerp.db.walk-sales", "remove"},
        {"a damaged mirror set aside",
         [](auto& f) {
             f.mirrors[0].others.push_back(
                 file_facts("/var/lib/shelfd/mirrors/antwerp/antwerp.db.broken-2030", 0640, 900, 901, 3u << 20));
             f.mirrors[0].others.push_back(
                 file_facts("/var/lib/shelfd/mirrors/antwerp/antwerp.db.broken-2031", 0640, 900, 901, 0));
         },
         Verdict::advice, "orphans", "set aside and filled again, 3.0 MiB",
         ":\nsudo rm /var/lib/shelfd/mirrors/antwerp/antwerp.db.broken-2030\nsudo rm /var/lib/"},
        {"a file of somebody else",
         [](auto& f) {
             f.mirrors[0].others.push_back(file_facts("/var/lib/shelfd/mirrors/antwerp/x.csv", 0640, 900, 901));
         },
         Verdict::advice, "orphans", "shelfd did not make these files", "move them away"},
        {"a snapshot that was never finished",
         [](auto& f) {
             f.mirrors[0].others.push_back(
                 file_facts("/var/lib/shelfd/mirrors/antwerp/antwerp.snapshot.db.new", 0640, 900, 901));
         },
         Verdict::advice, "orphans", "never finished", "remove the files"},
    };
    for (const auto& row : rows) {
        finds(row);
    }
}

TEST_CASE("what a renamed library is to take over is no leftover, so nobody is told to destroy it")
{
    auto facts = sound_facts();
    facts.mirrors.push_back(facts.mirrors[0]);
    facts.mirrors[1].library = "ghent";
    facts.tokens.push_back(facts.tokens[0]);
    facts.tokens[1].library = "ghent";
    facts.config.model->libraries[0].formerly = "ghent";
    const auto findings = check_all(facts);
    INFO(lines(findings));
    CHECK_FALSE(holds(lines(findings), "library forget"));
}

TEST_CASE("each fault of the machine and of the programs is found by its own check, with its cure")
{
    const std::vector<Row> rows = {
        {"a clock before the build", [](auto& f) { f.now = *Instant::from_rfc3339("1990-01-01T00:00:00Z"); },
         Verdict::fault, "clock", "shows 1990-01-01T00:00:00Z, but this program was built in", "timedatectl set-ntp"},
        {"a clock that went back", [](auto& f) { f.mirrors[0].newest_run = f.now + std::chrono::hours(5); },
         Verdict::fault, "clock", "a pass has ended at 2030-01-06T11:00:00Z", "timedatectl"},
        {"a clock ahead of the service's", [](auto& f) { f.mirrors[0].clock_error = std::chrono::minutes(10); },
         Verdict::warning, "clock", "10 min ahead of that of the service", "timedatectl"},
        {"a clock two years behind", [](auto& f) { f.mirrors[0].clock_error = std::chrono::hours(-17520); },
         Verdict::fault, "clock", "730 d behind that of the service", "timedatectl"},
        {"no time server", [](auto& f) { f.system.clock_synchronised = false; }, Verdict::advice, "clock",
         "not synchronised", "timedatectl"},
        {"few open files", [](auto& f) { f.daemon.open_files = 256; }, Verdict::warning, "limits",
         "the daemon may open 256 files", "LimitNOFILE="},
        {"few watches", [](auto& f) { f.system.max_watches = 1; }, Verdict::warning, "limits", "watch 1 directories",
         "fs.inotify.max_user_watches"},
        {"one inotify instance", [](auto& f) { f.system.max_instances = 1; }, Verdict::warning, "limits",
         "one inotify instance", "max_user_instances"},
        {"an older daemon runs", [](auto& f) { f.daemon.version = "0.0.9"; }, Verdict::warning, "versions",
         "runs has version 0.0.9, the installed one 0.1.0 (/usr/sbin/shelfd)", "restart shelfd"},
        {"the program was replaced", [](auto& f) { f.daemon.program_replaced = true; }, Verdict::warning, "versions",
         "was replaced or removed", "restart shelfd"},
        {"no daemon",
         [](auto& f) {
             f.daemon = {};
             f.daemon.trouble = "no daemon can be reached";
         },
         Verdict::warning, "daemon", "no daemon can be reached", ""},
        {"a library that does not run", [](auto& f) { f.daemon.absent = {"ghent"}; }, Verdict::fault, "daemon",
         "configured, but not running: ghent", "shelfctl status"},
        {"one user whose libraries have limits of their own",
         [](auto& f) {
             f.daemon.parted_limits = {{"antwerp and ghent have separate limits", ""}};
         },
         Verdict::warning, "limits", "antwerp and ghent have separate limits", "then: shelfctl reload"},
        {"a set that needs a person", [](auto& f) { f.daemon.needs_person = {"antwerp"}; }, Verdict::fault, "daemon",
         "a person must act for the token set of antwerp", "shelfctl auth status"},
        {"no timezones", [](auto& f) { f.system.zones = false; }, Verdict::fault, "time zones", "/usr/share/zoneinfo",
         "install tzdata"},
        {"no machine id", [](auto& f) { f.system.machine_id = ""; }, Verdict::advice, "machine id", "not bound to it",
         "systemd-machine-id-setup"},
        {"a sandbox that keeps the second copy out", [](auto& f) { f.system.writable = {"/var/lib/shelfd"}; },
         Verdict::warning, "unit", "lets the daemon write to /second/tokens (storage.tokens_copy)",
         "ReadWritePaths=/second/tokens"},
    };
    for (const auto& row : rows) {
        finds(row);
    }
}

TEST_CASE("what this user may not look at is unknown, not wrong")
{
    auto facts = sound_facts();
    facts.places[1].kind = PathFacts::Kind::hidden;
    facts.tokens[0].directory.kind = PathFacts::Kind::hidden;
    facts.mirrors[0].file.kind = PathFacts::Kind::hidden;
    facts.secrets[0].file.kind = PathFacts::Kind::hidden;
    facts.unlisted = {"/var/lib/shelfd/tokens"};
    facts.daemon = {};
    facts.daemon.refused = true;
    facts.daemon.trouble = "not allowed";
    facts.daemon.uid = 900;
    const auto findings = check_all(facts);
    INFO(lines(findings));
    CHECK(exit_code_of(findings) == ExitCode::done);
    CHECK(findings.front().verdict == Verdict::unknown);
    CHECK(holds(lines(findings), "unknown token directories: not permitted to look at /var/lib/shelfd/tokens: run as "
                                 "root | sudo shelfctl doctor"));
    CHECK(holds(lines(findings), "unknown mirror files: "));
    CHECK(holds(lines(findings), "unknown secrets: "));
    CHECK(holds(lines(findings), "unknown WAL: "));
    CHECK(holds(lines(findings), "unknown space forecast: "));
    CHECK(holds(lines(findings), "unknown orphans: not permitted to list /var/lib/shelfd/tokens: run as root"));
    CHECK(!holds(lines(findings), "ok WAL"));
    CHECK(!holds(lines(findings), "ok orphans"));
    CHECK(holds(lines(findings), "unknown daemon: not allowed"));
}

TEST_CASE("who may read a mirror is named: members of its group and users with it as primary group")
{
    auto facts = sound_facts();
    auto readers = find_readers(facts);
    REQUIRE(readers.size() == 1);
    CHECK(readers[0].group == "shelfd-read");
    CHECK(readers[0].users == std::vector<std::string>{"alice", "bob"});
    CHECK(!readers[0].everybody);
    CHECK(holds(lines(check_all(facts)), "alice, bob (group shelfd-read) may read antwerp"));

    facts.parents_of_mirrors[3].mode = 0750;  // alice and bob cannot pass
    readers = find_readers(facts);
    CHECK(readers[0].users.empty());

    facts = sound_facts();
    facts.mirrors[0].file.mode = 0644;
    CHECK(!find_readers(facts)[0].everybody);  // the directories still keep the others out
    facts.mirrors[0].directory.mode = 02755;
    facts.places[0].mode = 02755;
    CHECK(find_readers(facts)[0].everybody);
    CHECK(holds(lines(check_all(facts)), "warning readers: every user of this machine may read the mirror of antwerp"));
}

TEST_CASE("access lists count: who may read the mirror of a library with readers of its own")
{
    constexpr gid_t staff = 950;
    constexpr auto pass = storage::NamedRight{Account::Kind::group, staff, storage::may_enter};
    constexpr unsigned see = storage::may_read | storage::may_enter;
    auto facts = sound_facts();
    facts.people.users.push_back({"dave", 1003, 1003});
    facts.people.groups.push_back({"staff", staff, {"dave"}});
    facts.config.model->libraries[0].readers = {{Account::Kind::group, staff, "staff"},
                                                {Account::Kind::user, 1000, "alice"}};
    const auto list = [&](unsigned owner, unsigned reader) {
        return storage::AccessList{
            owner, 0, 0, {{Account::Kind::group, staff, reader}, {Account::Kind::user, 1000, reader}}};
    };
    auto& mirror = facts.mirrors[0];
    facts.places[0].access = storage::AccessList{7, see, 0, {pass}};
    mirror.directory.access = list(7, see);
    mirror.file.access = list(6, storage::may_read);
    // bob is in shelfd-read, alice in it as well: she passes through the directory of all mirrors by that group.
    CHECK(find_readers(facts)[0].users == std::vector<std::string>{"alice", "dave"});
    CHECK(holds(lines(check_all(facts)),
                "ok readers: besides root and the daemon's user, alice, dave (readers = staff, "
                "alice) may read antwerp"));
    CHECK(check_all(facts).front().verdict == Verdict::ok);

    facts.places[0].access->named.clear();
    CHECK(holds(lines(check_all(facts)),
                "warning readers: dave may not read the mirror of antwerp, although its readers "
                "name them"));
    facts.places[0].access->named = {pass};

    // The daemon has not set them yet: the group of all mirrors reads it still.
    mirror.directory.access.reset();
    mirror.file.access.reset();
    facts.config.model->libraries[0].readers = {{Account::Kind::user, 1000, "alice"}};
    CHECK(holds(lines(check_all(facts)),
                "warning readers: bob may read the mirror of antwerp, although its readers do not "
                "name them | shelfctl reload"));
    // It could not set them: nobody is told to open the files to that group.
    mirror.file.mode = 0600;
    CHECK_FALSE(holds(lines(check_all(facts)), "mirror files: /"));
}

TEST_CASE("an owner has the rights of the owner only, whatever his group may do")
{
    const auto facts = sound_facts();
    const auto* alice = facts.people.find_user("alice");
    REQUIRE(alice != nullptr);
    CHECK(!may(*alice, Access::read, file_facts("/x", 0044, alice->uid, 901), facts.people));
    CHECK(may(*alice, Access::read, file_facts("/x", 0040, 0, 901), facts.people));
    CHECK(!may(*alice, Access::read, file_facts("/x", 0604, 0, 901), facts.people));
    CHECK(may(*facts.people.find_user("root"), Access::read, file_facts("/x", 0000, 900, 901), facts.people));
}

TEST_CASE("only what is ours, has one name and is no link is mended")
{
    auto facts = sound_facts();
    facts.mirrors[0].file.mode = 0644;
    facts.mirrors[0].others[0].mode = 0644;
    facts.mirrors[0].others[0].links = 2;
    facts.mirrors[0].others[1].mode = 0644;
    facts.mirrors[0].others[1].uid = 1000;
    const auto wrong = find_wrong_rights(facts);
    REQUIRE(wrong.size() == 4);
    for (const auto& one : wrong) {
        INFO(one.text);
        CHECK(one.mendable == (one.path.path == facts.mirrors[0].file.path));
    }
}

TEST_CASE("the age of a build and errors of the clock are judged against a limit")
{
    auto facts = sound_facts();
    CHECK(check_clock(facts, 2030).front().verdict == Verdict::ok);
    CHECK(check_clock(facts, 2031).front().verdict == Verdict::fault);
    facts.mirrors[0].clock_error = std::chrono::seconds(119);
    CHECK(check_clock(facts, 2030).front().verdict == Verdict::ok);
    // One service with a wrong clock does not make this one wrong.
    facts.mirrors[0].clock_error = std::chrono::hours(3);
    facts.mirrors.push_back(facts.mirrors[0]);
    facts.mirrors[1].clock_error = Duration(0);
    CHECK(check_clock(facts, 2030).front().verdict == Verdict::ok);
}

}  // namespace
}  // namespace shelfd::ctl
