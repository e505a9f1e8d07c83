// A token store that was copied or restored by the usual programs, on a real file system.
#include "site.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

#include "storage/file_mark.hpp"

#include <filesystem>
#include <functional>

#include <fcntl.h>
#include <unistd.h>

using namespace shelfd;

namespace {

namespace fs = std::filesystem;

void run(const std::vector<std::string>& argv)
{
    const auto ran = run_program(argv);
    INFO(argv.front() << ": " << ran.err);
    REQUIRE(ran.code == 0);
}

struct Tool {
    const char* name;
    const char* program;
    // From one directory to another, which is not there.
    std::function<void(const std::string& from, const std::string& to)> copy;
};

void copy_by_tar(const std::string& from, const std::string& to, const std::string& archive)
{
    run({"/usr/bin/tar", "--create", "--file", archive, "--directory", from, "."});
    fs::create_directory(to);
    run({"/usr/bin/tar", "--extract", "--preserve-permissions", "--file", archive, "--directory", to});
}

const std::vector<Tool>& tools()
{
    static const std::vector<Tool> all = {
        {"cp", "/usr/bin/cp",
         [](const auto& from, const auto& to) {
             run({"/usr/bin/cp", "--archive", from, to});
         }},
        {"tar", "/usr/bin/tar", [](const auto& from, const auto& to) { copy_by_tar(from, to, to + ".tar"); }},
        {"rsync", "/usr/bin/rsync",
         [](const auto& from, const auto& to) {
             run({"/usr/bin/rsync", "--archive", from + "/", to + "/"});
         }},
    };
    return all;
}

// A site with a copy of the journals in another directory, on a file system whose files can be told from copies of
// them.
class CopiedSite {
public:
    CopiedSite() : tokens_(disk_ / "tokens"), copy_(disk_ / "copy")
    {
        for (const auto& place : {tokens_, copy_}) {
            fs::create_directory(place);
            fs::permissions(place, fs::perms::owner_all);
        }
        configure();
        CHECK(site_.start_synced()->stop().code == 0);
    }

    // Whether a copy can be told at all where the test runs.
    bool is_worth_a_test() const
    {
        const int file = ::open((tokens_ + "/antwerp/journal.a").c_str(), O_RDONLY | O_CLOEXEC);
        const auto mark = storage::mark_of(file);
        ::close(file);
        if (mark.birth == 0) {
            WARN("skipped: the file system of the build does not keep the time of birth of its files");
        }
        return mark.birth != 0;
    }

    Site& site() { return site_; }
    std::string& tokens() { return tokens_; }
    std::string& copy() { return copy_; }
    std::string place(const std::string& name) const { return disk_ / name; }

    void configure()
    {
        auto text = site_.config_text({"antwerp"});
        const auto at = text.find("tokens       = ");
        text.replace(at, text.find('\n', at) - at, "tokens = \"" + tokens_ + "\"\ntokens_copy = \"" + copy_ + "\"");
        site_.write_config(text);
    }
    std::uint64_t posts() { return site_.service().world()->audit_report().token_posts; }

    // The service wants a refresh, and the daemon sends none before it is told to; then it goes on.
    void expect_a_copy(const std::string& what)
    {
        configure();
        site_.service().world()->expire_access("lib01");
        site_.service().world()->reset_audit();
        auto daemon = site_.start_ready();
        CHECK(site_.ctl({"sync", "antwerp"}).code == 2);
        const auto status = site_.ctl({"auth", "status", "antwerp"});
        CHECK(status.out.find("(" + what + ")") != std::string::npos);
        CHECK(status.out.find("shelfctl auth adopt antwerp") != std::string::npos);
        CHECK(daemon->stop().code == 0);
        daemon = site_.start_ready();  // it says so at every start
        CHECK(site_.ctl({"sync", "antwerp"}).code == 2);
        CHECK(posts() == 0);
        site_.ctl_done({"auth", "adopt", "antwerp"});
        sync();
        CHECK(posts() == 1);
        CHECK(daemon->stop().code == 0);
        expect_none();
    }

    void expect_none()
    {
        configure();
        site_.service().world()->expire_access("lib01");
        site_.service().world()->reset_audit();
        auto daemon = site_.start_ready();
        sync();
        CHECK(site_.ctl({"auth", "status"}).code == 0);
        CHECK(posts() == 1);
        CHECK(site_.service().world()->audit_report().reuses_of_spent == 0);
        CHECK(daemon->stop().code == 0);
    }

private:
    // A second refresh because of a 401 within a minute waits for a person who asks once more.
    void sync()
    {
        if (site_.ctl({"sync", "antwerp"}).code != 0) {
            site_.ctl_done({"sync", "antwerp"});
        }
    }

    ScratchDirectory disk_;
    Site site_;
    std::string tokens_;
    std::string copy_;
};

}  // namespace

TEST_CASE("a copy of both stores, however it was made, sends nothing before somebody says that it was meant")
{
    CopiedSite copied;
    if (!copied.is_worth_a_test()) {
        return;
    }
    for (const auto& tool : tools()) {
        if (!fs::exists(tool.program)) {
            WARN("left out: there is no " << tool.program);
            continue;
        }
        INFO(tool.name);
        tool.copy(copied.tokens(), copied.place(std::string("tokens-") + tool.name));
        tool.copy(copied.copy(), copied.place(std::string("copy-") + tool.name));
        copied.tokens() = copied.place(std::string("tokens-") + tool.name);
        copied.copy() = copied.place(std::string("copy-") + tool.name);
        copied.expect_a_copy("journal.a and journal.b");
    }
}

TEST_CASE(
    "a backup that was restored over the store, or in place of one copy of it, sends nothing before it is adopted")
{
    CopiedSite copied;
    if (!copied.is_worth_a_test()) {
        return;
    }
    const auto& tokens = copied.tokens();
    const auto& copy = copied.copy();
    {
        INFO("both, over what is there");
        run({"/usr/bin/tar", "--create", "--file", copied.place("a.tar"), "--directory", tokens, "."});
        run({"/usr/bin/tar", "--create", "--file", copied.place("b.tar"), "--directory", copy, "."});
        run({"/usr/bin/tar", "--extract", "--file", copied.place("a.tar"), "--directory", tokens});
        run({"/usr/bin/tar", "--extract", "--file", copied.place("b.tar"), "--directory", copy});
        copied.expect_a_copy("journal.a and journal.b");
    }
    {
        INFO("one, and the other one is as it was");
        run({"/usr/bin/cp", "--archive", copy, copied.place("old")});
        fs::remove_all(copy);
        run({"/usr/bin/cp", "--archive", copied.place("old"), copy});
        copied.expect_a_copy("journal.b");
    }
    {
        INFO("one, and the other one is gone");
        run({"/usr/bin/cp", "--archive", tokens, copied.place("older")});
        fs::remove_all(tokens + "/antwerp");
        fs::remove_all(copy + "/antwerp");
        fs::copy(copied.place("older") + "/antwerp", tokens + "/antwerp", fs::copy_options::recursive);
        copied.expect_a_copy("journal.a");
    }
}

TEST_CASE("old bytes written into the same files are told by the generation that was seen last")
{
    const bool is_mirror_old = GENERATE(false, true);
    INFO((is_mirror_old ? "with the mirror" : "without the mirror"));
    CopiedSite copied;
    const auto mirrors = copied.site().directory() / "mirrors";
    run({"/usr/bin/cp", "--archive", mirrors, mirrors + "-old"});
    for (const auto& place : {copied.tokens(), copied.copy()}) {
        run({"/usr/bin/cp", "--archive", place, place + "-old"});
    }
    copied.expect_none();  // refreshes
    for (const std::string file : {"tokens/antwerp/journal.a", "copy/antwerp/journal.b"}) {
        auto old = file;
        run({"/usr/bin/cp", copied.place(old.replace(file.find('/'), 1, "-old/")), copied.place(file)});
    }
    if (is_mirror_old) {
        run({"/usr/bin/cp", "--archive", mirrors + "-old/.", mirrors});
    }
    copied.site().service().world()->expire_access("lib01");
    copied.site().service().world()->reset_audit();
    auto daemon = copied.site().start_ready();
    CHECK(copied.site().ctl({"sync", "antwerp"}).code == 2);
    const auto status = copied.site().ctl({"auth", "status", "antwerp"});
    CHECK(status.out.find("an old journal was restored") != std::string::npos);
    CHECK(copied.posts() == 0);
    CHECK(daemon->stop().code == 0);
}

TEST_CASE("a store that was renamed, touched, or lost one of its copies is no copy of itself")
{
    CopiedSite copied;
    copied.expect_none();
    fs::rename(copied.tokens(), copied.place("renamed"));
    copied.tokens() = copied.place("renamed");
    copied.expect_none();
    run({"/usr/bin/touch", "--date=2020-01-01", copied.tokens() + "/antwerp/journal.a"});
    run({"/usr/bin/chmod", "-R", "u+rwX", copied.tokens()});
    fs::create_hard_link(copied.tokens() + "/antwerp/journal.a", copied.place("link"));
    copied.expect_none();
    fs::remove_all(copied.copy() + "/antwerp");
    copied.expect_none();
}
