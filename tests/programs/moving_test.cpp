// The ways of shelfd-moving(7), each to its end: `shelfctl status` with nothing left to do.
#include "site.hpp"
#include "storage/filesystem.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <sys/mount.h>

using namespace shelfd;

namespace {

namespace fs = std::filesystem;

void copy_all(const std::string& from, const std::string& to)
{
    const auto ran = run_program({"/usr/bin/cp", "--archive", from, to});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
}

// Writes old bytes into the files that are there, as a restored snapshot of a disk does.
void restore_in_place(const std::string& from, const std::string& to)
{
    for (const auto& entry : fs::recursive_directory_iterator(from)) {
        if (entry.is_regular_file()) {
            const auto place = fs::path(to) / fs::relative(entry.path(), from);
            fs::create_directories(place.parent_path());
            fs::copy_file(entry.path(), place, fs::copy_options::overwrite_existing);
        }
    }
}

// A server: two disks with token journals, one of them also with mirrors.
class Server {
public:
    Server()
    {
        for (const auto* disk : {"first", "second"}) {
            make_store(disk);
        }
        use("server-1", "first", "second");
        daemon_ = site_.start_synced();
        site_.service().world()->reset_audit();
    }

    void make_store(const std::string& disk) const
    {
        fs::create_directories(place(disk) + "/tokens");
        fs::permissions(place(disk) + "/tokens", fs::perms::owner_all);
        fs::create_directories(place(disk) + "/mirrors");
        fs::permissions(place(disk) + "/mirrors", static_cast<fs::perms>(0750));
    }

    // The configuration of that machine, from the next start on.
    void use(const std::string& machine, const std::string& first, const std::string& second)
    {
        auto text = site_.config_text({"antwerp"});
        auto at = text.find("mirrors      = ");
        text.replace(at, text.find("allow_unsafe", at) - at,
                     fmt::format("mirrors = \"{0}/mirrors\"\ntokens = \"{0}/tokens\"\ntokens_copy = \"{1}/tokens\"\n"
                                 "machine_id = \"{2}\"\n",
                                 place(first), place(second), machine));
        site_.write_config(text);
    }

    std::string place(const std::string& name) const { return disk_ / name; }
    std::string mirror() const { return place("first") + "/mirrors/antwerp/antwerp.db"; }

    void start() { daemon_ = site_.start_ready(); }
    void stop() { CHECK(daemon_->stop().code == 0); }

    void expect_healthy()
    {
        site_.ctl_done({"sync", "antwerp"});
        const auto status = site_.ctl({"status"});
        INFO(status.out);
        CHECK(status.code == 0);
    }

    // A new set from the owner, who was asked by letter.
    void import_new_set()
    {
        CHECK(site_.ctl_done({"auth", "ask", "antwerp"}).find("antwerp") != std::string::npos);
        const auto set = site_.service().world()->issue_set("lib01");
        const auto text = fmt::format("access_token={}\nrefresh_token={}\n", set.access, set.refresh.value());
        site_.ctl_done({"auth", "import", "antwerp"}, text);
    }

    sim::AuditReport audit() { return site_.service().world()->audit_report(); }
    Site& site() { return site_; }

private:
    ScratchDirectory disk_;
    Site site_;
    std::unique_ptr<DaemonProcess> daemon_;
};

// The command of shelfd-moving(7) that begins so.
std::string command_of_page(const std::string& beginning)
{
    const auto page = read_file(std::string(SHELFD_SOURCE_DIR) + "/contrib/man/shelfd-moving.7");
    const auto at = page.find("\n" + beginning);
    REQUIRE(at != std::string::npos);
    return page.substr(at + 1, page.find('\n', at + 1) - at - 1);
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

// Typed into a shell, in a directory of its own, by a person with the usual umask.
Ran type_into_shell(Site& site, const std::string& directory, const std::string& command)
{
    const auto ctl =
        fmt::format("{} --config '{}' --socket '{}'", built_program("shelfctl"), site.config_file(), site.socket());
    const auto line = replaced(replaced(command, "sudo shelfctl", ctl), "--to NEW", "--to server-2");
    return run_program({"/bin/sh", "-c", "umask 022; cd '" + directory + "' && " + line}, clean_environment());
}

// Another file system at a directory, as long as it lives.
class NewDisk {
public:
    explicit NewDisk(std::string directory) : directory_(std::move(directory))
    {
        fs::create_directories(directory_);
        is_there_ = mount("tmpfs", directory_.c_str(), "tmpfs", MS_NODEV | MS_NOSUID, "size=16m,mode=0755") == 0;
        if (!is_there_) {
            WARN("skipped: no disk can be mounted here: " << std::strerror(errno));
        }
    }
    NewDisk(const NewDisk&) = delete;
    NewDisk& operator=(const NewDisk&) = delete;
    ~NewDisk()
    {
        if (is_there_) {
            umount2(directory_.c_str(), MNT_DETACH);
        }
    }

    bool is_there() const { return is_there_; }

private:
    std::string directory_;
    bool is_there_ = false;
};

}  // namespace

TEST_CASE("a library moves to a new server with its set and its mirror, whose change feed is another one there")
{
    Server server;
    const auto position = server.site().ctl_done({"changes", "antwerp", "--since", "now"});
    const auto moved = type_into_shell(server.site(), server.place(""), command_of_page("(umask 077; "));
    INFO(moved.err);
    REQUIRE(moved.code == 0);
    CHECK(read_file(server.place("all.sets")).find("refresh") != std::string::npos);
    CHECK((fs::status(server.place("all.sets")).permissions() & (fs::perms::group_all | fs::perms::others_all)) ==
          fs::perms::none);
    server.stop();
    server.make_store("new-first");
    server.make_store("new-second");
    copy_all(server.place("first") + "/mirrors/antwerp", server.place("new-first") + "/mirrors/antwerp");

    server.use("server-2", "new-first", "new-second");
    server.start();
    const auto taken = type_into_shell(server.site(), server.place(""), command_of_page("sudo shelfctl auth move-in"));
    INFO(taken.err);
    CHECK(taken.code == 0);
    CHECK_FALSE(fs::exists(server.place("all.sets")));
    server.expect_healthy();
    // A mirror that was copied may lack changes: nobody continues at a position from before.
    const auto since = position.substr(position.find(' ') + 1, position.find('\n') - position.find(' ') - 1);
    INFO(since);
    const bool is_told = storage::is_known(storage::mark_of_directory(server.place("new-first")));
    CHECK(server.site().ctl({"changes", "antwerp", "--since", since}).code == (is_told ? 4 : 0));
    CHECK((server.site().ctl({"status"}).out.find("it was restored from a copy, or moved") != std::string::npos) ==
          is_told);
    CHECK(server.audit().reuses_of_spent == 0);
    server.stop();

    // The old server sends nothing any more.
    server.use("server-1", "first", "second");
    server.site().service().world()->reset_audit();
    server.start();
    const auto left = server.site().ctl({"auth", "status", "antwerp"});
    CHECK(left.out.find("moved to server-2") != std::string::npos);
    CHECK(server.audit().token_posts == 0);
    server.stop();
}

TEST_CASE("with the first disk dead the journal on the second one takes over, and mirrors are filled again")
{
    Server server;
    server.stop();
    fs::remove_all(server.place("first"));
    server.make_store("first");

    server.start();
    server.expect_healthy();
    CHECK(server.audit().token_posts == 0);
    CHECK(fs::file_size(server.place("first") + "/tokens/antwerp/journal.a") ==
          fs::file_size(server.place("second") + "/tokens/antwerp/journal.b"));
    CHECK(fs::exists(server.mirror()));
    server.stop();
}

TEST_CASE("a new disk is not written to before its predecessor's notes are removed by the command of shelfd-moving(7)")
{
    Server server;
    server.stop();
    fs::remove_all(server.place("first"));
    const NewDisk disk(server.place("first"));
    if (!disk.is_there()) {
        return;
    }
    server.make_store("first");
    auto command = command_of_page("sudo sh -c 'rm -f ");
    REQUIRE(command.find("/mnt/second/tokens") != std::string::npos);
    command = replaced(replaced(command, "sudo ", ""), "/mnt/second", server.place("second"));
    const auto first_copy = server.place("first") + "/tokens/antwerp/journal.a";
    SECTION("before the start")
    {
        CHECK(type_into_shell(server.site(), server.place(""), command).code == 0);
        server.start();
    }
    SECTION("after a start that refused it")
    {
        server.start();
        const auto status = server.site().ctl({"status"});
        INFO(status.out);
        CHECK(status.code == 2);
        CHECK(status.out.find(server.place("second") + "/tokens/.places") != std::string::npos);
        CHECK_FALSE(fs::exists(first_copy));
        CHECK(type_into_shell(server.site(), server.place(""), command).code == 0);
        // The directory of all mirrors was locked out, too: the record of alerts is written from the next start on.
        server.stop();
        server.start();
    }
    server.expect_healthy();
    CHECK(server.audit().token_posts == 0);
    CHECK(fs::file_size(first_copy) == fs::file_size(server.place("second") + "/tokens/antwerp/journal.b"));
    CHECK(fs::exists(server.mirror()));
    server.stop();
}

TEST_CASE("a new disk in place of the second one gets its copy after a reload, once the note of the old one is gone")
{
    Server server;
    server.stop();
    fs::remove_all(server.place("second"));
    const NewDisk disk(server.place("second"));
    if (!disk.is_there()) {
        return;
    }
    server.make_store("second");
    const auto second_copy = server.place("second") + "/tokens/antwerp/journal.b";
    server.start();
    const auto status = server.site().ctl({"status"});
    INFO(status.out);
    CHECK(status.out.find(server.place("first") + "/tokens/.places") != std::string::npos);
    CHECK_FALSE(fs::exists(second_copy));
    fs::remove(server.place("first") + "/tokens/.places");
    server.site().ctl_done({"reload"});
    server.expect_healthy();
    CHECK(server.audit().token_posts == 0);
    CHECK(fs::file_size(second_copy) == fs::file_size(server.place("first") + "/tokens/antwerp/journal.a"));
    server.stop();
}

TEST_CASE("with both disks dead the owner is asked by letter, and nothing but a new set is needed")
{
    Server server;
    server.stop();
    for (const auto* disk : {"first", "second"}) {
        fs::remove_all(server.place(disk));
        server.make_store(disk);
    }
    server.start();
    const auto status = server.site().ctl({"status"});
    CHECK(status.code == 2);
    CHECK(status.out.find("auth import antwerp") != std::string::npos);
    server.import_new_set();
    server.expect_healthy();
    CHECK(server.audit().reuses_of_spent == 0);
    server.stop();
}

TEST_CASE("a machine that was restored to yesterday, all of it, needs a new set and keeps what it has until then")
{
    Server server;
    server.stop();
    for (const auto* disk : {"first", "second"}) {
        copy_all(server.place(disk), server.place(std::string("yesterday-") + disk));
    }
    server.start();
    server.site().service().world()->expire_access("lib01");
    server.expect_healthy();
    server.stop();
    for (const auto* disk : {"first", "second"}) {
        restore_in_place(server.place(std::string("yesterday-") + disk), server.place(disk));
    }
    server.site().service().world()->reset_audit();

    server.start();
    CHECK(server.site().ctl({"sync", "antwerp"}).code != 0);
    const auto status = server.site().ctl({"status"});
    INFO(status.out);
    CHECK(status.code == 2);
    // Nobody can tell such a restore from outside but the service: at most one spent token reaches it.
    CHECK(server.audit().reuses_of_spent <= 1);
    server.import_new_set();
    server.expect_healthy();
    server.stop();
}

TEST_CASE("a cloned server sends nothing, says so, and the server that it was cloned from goes on")
{
    Server server;
    server.stop();
    for (const auto* disk : {"first", "second"}) {
        copy_all(server.place(disk), server.place(std::string("clone-") + disk));
    }
    server.use("server-2", "clone-first", "clone-second");
    server.site().service().world()->expire_access("lib01");
    server.start();
    CHECK(server.site().ctl({"sync", "antwerp"}).code == 2);
    const auto status = server.site().ctl({"status"});
    CHECK(status.code == 2);
    CHECK(status.out.find("auth adopt antwerp") != std::string::npos);
    CHECK(server.audit().token_posts == 0);
    server.stop();

    server.use("server-1", "first", "second");
    server.start();
    server.expect_healthy();
    CHECK(server.audit().token_posts == 1);
    CHECK(server.audit().reuses_of_spent == 0);
    server.stop();
}
