// Readers of single libraries: three users beside root, on mirrors, snapshots and the control socket.
#include "foreign_reader.hpp"
#include "site.hpp"
#include "storage/access/access_list.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

using namespace shelfd;

namespace {

// Groups that every Debian has.
constexpr unsigned users_group = 100;  // reads all libraries without readers of their own
constexpr unsigned mail_group = 8;

using Under = std::vector<std::string>;

Under as_member_of(unsigned group)
{
    return {"/usr/bin/setpriv", "--reuid=64131", "--regid=64131", fmt::format("--groups={}", group)};
}

const Under as_mail = as_member_of(mail_group);
const Under as_news = as_member_of(9);
const Under as_users = as_member_of(users_group);
const Under as_stranger = {"/usr/bin/setpriv", "--reuid=64132", "--regid=64132", "--clear-groups"};

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

class ReaderSite {
public:
    ReaderSite() : site({.libraries = {"antwerp", "ghent"}})
    {
        give_to_readers(site.directory() / "mirrors", users_group);
    }

    // With `readers` of antwerp, a TOML list; "" = none.
    void configure(const std::string& readers)
    {
        auto text = site.config_text({"antwerp", "ghent"});
        const auto insert = [&text](const std::string& after, const std::string& more) {
            text.insert(text.find(after) + after.size(), more);
        };
        insert("[control]\n", "readers = \"users\"\nadmins = \"games\"\n");
        if (!readers.empty()) {
            insert("[library.antwerp]\n", "readers = " + readers + "\n");
        }
        site.write_config(text);
    }

    bool reads(const Under& user, const std::string& library)
    {
        const auto ran = site.ctl({"sql", library, "--csv", "SELECT count(*) > 0 FROM recipes"}, "", user);
        return ran.code == 0 && holds(ran.out, "1");
    }

    bool reads_file(const Under& user, const std::string& file) const
    {
        auto line = user;
        line.insert(line.end(), {"/usr/bin/head", "-c", "16", file});
        return holds(run_program(line).out, "SQLite format 3");
    }

    // Who may pass through the directory of all mirrors, by name.
    std::vector<std::uint32_t> passing() const
    {
        std::vector<std::uint32_t> ids;
        for (const auto& right : must(storage::read_access(site.directory() / "mirrors")).named) {
            CHECK(right.permissions == storage::may_enter);
            ids.push_back(right.id);
        }
        return ids;
    }

    Site site;
};

bool is_root()
{
    if (geteuid() != 0) {
        WARN("skipped: only root can be another user");
        return false;
    }
    return true;
}

}  // namespace

TEST_CASE("readers of one library read it, its snapshot and its status, and nothing of another library")
{
    if (!is_root()) {
        return;
    }
    ReaderSite place;
    auto& site = place.site;
    place.configure("[\"mail\"]");
    auto daemon = site.start_synced();
    site.ctl_done({"snapshot", "antwerp"});
    const auto snapshot = site.directory() / "mirrors/antwerp/antwerp.snapshot.db";
    struct Row {
        const char* name;
        Under user;
        bool antwerp;
        bool ghent;
    };
    const std::vector<Row> rows = {{"a reader of antwerp", as_mail, true, false},
                                   {"a reader of all others", as_users, false, true},
                                   {"a stranger", as_stranger, false, false}};
    const auto check = [&] {
        for (const auto& row : rows) {
            INFO(row.name);
            CHECK(place.reads(row.user, "antwerp") == row.antwerp);
            CHECK(place.reads(row.user, "ghent") == row.ghent);
            CHECK(place.reads_file(row.user, snapshot) == row.antwerp);
        }
    };
    check();
    // The group that gives the right, not that of other mirrors.
    const auto refusal = [&](const Under& user, const std::string& library = "antwerp") {
        return site.ctl({"sql", library, "SELECT 1"}, "", user).err;
    };
    for (const auto& user : {as_users, as_stranger}) {
        CHECK(holds(refusal(user), "[library.antwerp] has readers of its own, mail: join the group mail (sudo adduser "
                                   "NAME mail), then log in again, or an admin adds your name there, then: shelfctl "
                                   "reload"));
        CHECK_FALSE(holds(refusal(user), "shelfd-read"));
    }
    CHECK(holds(refusal(as_stranger, "ghent"), "join the group that owns it (usually: sudo adduser NAME shelfd-read)"));

    const auto status = site.ctl({"status", "--json"}, "", as_mail);
    CHECK(holds(status.out, "antwerp"));
    CHECK_FALSE(holds(status.out, "ghent"));
    CHECK(site.ctl({"wait", "antwerp"}, "", as_mail).code == 0);
    CHECK(holds(site.ctl({"wait", "ghent"}, "", as_mail).err, "there is no library ghent"));
    CHECK(holds(site.ctl({"sync", "antwerp"}, "", as_mail).err, "but not change anything"));
    CHECK(holds(site.ctl({"status", "--json"}, "", as_users).out, "ghent"));
    CHECK(holds(site.ctl({"status", "--json"}, "", as_users).out, "antwerp"));
    CHECK(holds(site.ctl({"status"}, "", as_stranger).err, "may not use this daemon"));
    CHECK(holds(site.ctl({"status"}, "", as_stranger).err, "adds your name to readers of [library.NAME]"));

    daemon->kill();
    check();
    // Another program has removed what only the daemon can create.
    for (const auto* suffix : {"-wal", "-shm"}) {
        std::filesystem::remove(site.mirror() + suffix);
    }
    daemon = site.start_ready();
    site.ctl_done({"sync", "antwerp"});
    check();
    CHECK(daemon->stop().code == 0);
    check();
}

TEST_CASE("a reader acknowledges what it has taken over of its own library, under a name of its own")
{
    if (!is_root()) {
        return;
    }
    ReaderSite place;
    auto& site = place.site;
    place.configure("[\"mail\", \"news\"]");
    auto daemon = site.start_synced();
    const auto changes = [&](const Under& user, std::vector<std::string> more) {
        more.insert(more.begin(), {"changes", "antwerp", "--consumer", "bi"});
        return site.ctl(more, "", user);
    };
    const auto unknown = changes(as_mail, {});
    CHECK(unknown.code == 4);
    CHECK(holds(unknown.err, "consumer bi has acknowledged nothing in this mirror"));
    CHECK(changes(as_mail, {"--since", "now", "--ack"}).code == 0);
    CHECK(changes(as_mail, {"--ack"}).code == 0);

    site.service().world()->edit("lib01", "library/recipes", change_of_all_recipes(site, 2));
    site.ctl_done({"sync", "antwerp"});
    const auto read = changes(as_mail, {"--json"});
    CHECK(read.code == 0);
    CHECK(holds(read.out, R"("op":"update")"));
    CHECK(changes(as_mail, {"--json"}).out == read.out);
    CHECK(holds(site.ctl_done({"status", "antwerp"}), "antwerp consumer bi has "));
    CHECK(holds(site.ctl_done({"status", "--json"}), R"("name":"bi","position":")"));
    CHECK(holds(site.ctl_done({"metrics"}), R"(shelfd_consumer_waiting_changes{library="antwerp",consumer="bi"} )"));

    // Another reader may not say that it was taken over, and nobody of another library may speak of this one.
    const auto stolen = changes(as_member_of(9), {"--ack"});
    CHECK(stolen.code == 0);  // the same uid, so the same owner
    CHECK(holds(site.ctl_done({"status", "antwerp"}), "has acknowledged all changes"));
    Under somebody = as_news;
    somebody[1] = "--reuid=64133";
    const auto refused = changes(somebody, {"--ack"});
    CHECK(refused.code != 0);
    CHECK(holds(refused.err, "the consumer bi belongs to "));
    CHECK(changes(as_users, {"--ack"}).code != 0);
    CHECK(changes(somebody, {"--forget"}).code != 0);
    CHECK(changes(as_mail, {"--forget"}).code == 0);
    CHECK(changes(as_mail, {}).code == 4);
    CHECK(daemon->stop().code == 0);
}

TEST_CASE("a reload gives a library to other readers, takes it from those who are no longer named, and refuses nobody")
{
    if (!is_root()) {
        return;
    }
    ReaderSite place;
    auto& site = place.site;
    place.configure("");
    auto daemon = site.start_synced();
    CHECK(place.reads(as_users, "antwerp"));
    CHECK(place.passing().empty());

    place.configure("[\"mail\"]");
    CHECK(holds(site.ctl_done({"reload"}), "antwerp"));
    CHECK(place.reads(as_mail, "antwerp"));
    CHECK_FALSE(place.reads(as_users, "antwerp"));
    // The admins of control.admins read it as well.
    CHECK(place.passing() == std::vector<std::uint32_t>{mail_group, 60});
    CHECK(place.reads(as_member_of(60), "antwerp"));

    place.configure("[\"news\"]");
    site.ctl_done({"reload"});
    CHECK(place.reads(as_news, "antwerp"));
    CHECK_FALSE(place.reads(as_mail, "antwerp"));
    CHECK(place.passing() == std::vector<std::uint32_t>{9, 60});
    CHECK(holds(site.ctl({"status"}, "", as_mail).err, "may not use this daemon"));

    place.configure("[\"news\", \"shelfd-nobody\"]");
    const auto refused = site.ctl({"reload"});
    CHECK(refused.code == 78);
    CHECK(holds(refused.out + refused.err, "neither a group nor a user of this machine: sudo groupadd shelfd-nobody"));
    CHECK(place.reads(as_news, "antwerp"));

    // Somebody has taken the rights away by hand; the next reload gives them back.
    must(storage::write_access(site.directory() / "mirrors/antwerp", {7, 5, 0, {}}));
    CHECK_FALSE(place.reads(as_news, "antwerp"));
    place.configure("[\"news\"]");
    site.ctl_done({"reload"});
    CHECK(place.reads(as_news, "antwerp"));
    const auto doctor = site.ctl({"doctor", "--json"});
    CHECK(holds(doctor.out, R"("configured":["news"])"));

    // Changed while no daemon runs.
    CHECK(daemon->stop().code == 0);
    place.configure("");
    daemon = site.start_ready();
    CHECK(place.reads(as_users, "antwerp"));
    CHECK_FALSE(place.reads(as_news, "antwerp"));
    CHECK(place.passing().empty());

    // With the library its readers' right to pass goes, too.
    place.configure("[\"mail\"]");
    site.ctl_done({"reload"});
    CHECK_FALSE(place.passing().empty());
    site.ctl_done({"library", "forget", "antwerp", "--force", "--no-revoke"});
    CHECK(place.passing().empty());
    CHECK(daemon->stop().code == 0);
}

TEST_CASE("a reader who was deleted keeps no daemon from starting, and no other change from taking effect")
{
    if (!is_root()) {
        return;
    }
    ReaderSite place;
    auto& site = place.site;
    place.configure("[\"mail\"]");
    auto daemon = site.start_synced();
    CHECK(daemon->stop().code == 0);
    place.configure("[\"mail\", \"shelfd-gone\"]");
    const auto checked = site.ctl({"config", "check"});
    CHECK(checked.code == 78);
    CHECK(holds(checked.out + checked.err, "readers names \"shelfd-gone\", which is neither a group nor a user of this "
                                           "machine: sudo groupadd shelfd-gone, or correct the name"));
    daemon = site.start_ready();
    CHECK(place.reads(as_mail, "antwerp"));
    CHECK_FALSE(place.reads(as_users, "antwerp"));
    CHECK(holds(daemon->log(), "who gets no access"));
    const auto status = site.ctl({"status", "--json"});
    CHECK(holds(status.out, "`readers` of antwerp names"));
    CHECK(holds(status.out, "sudo groupadd shelfd-gone; or remove the name from readers, then: shelfctl reload"));
    site.ctl_done({"library", "pause", "antwerp"});
    site.ctl_done({"library", "resume", "antwerp"});
    CHECK(holds(site.ctl_done({"reload"}), "who gets no access"));
    CHECK(place.reads(as_mail, "antwerp"));
    const auto doctor = site.ctl({"doctor"});
    CHECK(holds(doctor.out, "`readers` of antwerp names shelfd-gone, who is not known on this machine"));

    // Nobody who is named exists: then nobody but the daemon's user and the admins reads it.
    CHECK(daemon->stop().code == 0);
    place.configure("[\"shelfd-gone\"]");
    daemon = site.start_ready();
    CHECK_FALSE(place.reads(as_mail, "antwerp"));
    CHECK_FALSE(place.reads(as_users, "antwerp"));
    CHECK(place.reads(as_member_of(60), "antwerp"));
    CHECK(place.reads(as_users, "ghent"));
    CHECK(daemon->stop().code == 0);
}

TEST_CASE("who acts stands in the log with the verb, and who asks for a pass also in its run")
{
    Site site;
    auto daemon = site.start_synced();
    // The import is an act, and no pass.
    CHECK(site.sql("SELECT count(*) FROM _runs WHERE asked_by IS NOT NULL") == "1");
    CHECK(site.sql("SELECT count(*) FROM _runs WHERE asked_by IS NOT NULL AND result = 'published'") == "0");
    site.ctl_done({"sync", "antwerp"});
    const auto me = site.sql("SELECT asked_by FROM _runs WHERE asked_by IS NOT NULL AND result = 'published' LIMIT 1");
    CHECK_FALSE(me.empty());
    CHECK(site.sql("SELECT count(*) FROM _runs WHERE asked_by IS NULL AND result = 'published'") != "0");
    site.ctl_done({"library", "pause", "antwerp"});
    site.ctl_done({"reload"});
    const auto log = daemon->log();
    const auto has_line = [&](const std::string& verb) {
        return holds(log, fmt::format(R"("user":"{}","uid":"{}")", me, geteuid())) &&
               holds(log, fmt::format(R"("verb":"{}")", verb));
    };
    for (const auto* verb : {"auth import", "sync", "library pause", "reload"}) {
        INFO(verb);
        CHECK(has_line(verb));
    }
    CHECK(daemon->stop().code == 0);
}
