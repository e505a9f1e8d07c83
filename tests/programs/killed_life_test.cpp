// kill -9 at the system calls of a rename, a removal, a pause and an addition: what is left is whole.
#include "app/stores/library_removal.hpp"
#include "site.hpp"
#include "support/catch.hpp"
#include "support/long_form.hpp"
#include "traced_run.hpp"

#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <iostream>

using namespace shelfd;
namespace fs = std::filesystem;

namespace {

bool can_trace()
{
    const auto why = slowness > 1 ? "a sanitized program cannot be traced" : why_no_tracing();
    if (!why.empty()) {
        WARN("skipped: " << why);
    }
    return why.empty();
}

// Runs something under strace, undisturbed or killed at a call.
using TracedAct = std::function<TracedRun(const std::string& injection)>;

struct Sweep {
    std::string name;
    TracedAct act;
    std::function<void()> check;     // after each kill: whole, and nothing was lost
    std::function<void()> put_back;  // as it was before the act
    std::string begins_with;         // part of the first call that is killed at
    std::string ends_with = "";      // part of the last one; "" = the end of the process
};

// Every call in the long form, some of each twelve otherwise.
void kill_everywhere(const Sweep& sweep)
{
    const auto reference = sweep.act("");
    REQUIRE(reference.status.signal == 0);
    sweep.check();
    sweep.put_back();
    const auto place = [&](const std::string& part, std::size_t from) {
        for (auto i = from; i < reference.calls.size(); ++i) {
            if (reference.calls[i].text.find(part) != std::string::npos) {
                return i;
            }
        }
        return reference.calls.size();
    };
    const auto begin = place(sweep.begins_with, 0);
    REQUIRE(begin < reference.calls.size());
    auto end = reference.calls.size();
    for (auto at = place(sweep.ends_with, begin); !sweep.ends_with.empty() && at < reference.calls.size();
         at = place(sweep.ends_with, at + 1)) {
        end = at + 1;
    }
    std::size_t killed = 0;
    const std::size_t step = is_long_form() ? 1 : std::max<std::size_t>(1, (end - begin) / 24);
    for (auto at = begin; at < end; at += step) {
        const auto& call = reference.calls[at];
        const auto run = sweep.act(fmt::format("{}:signal=KILL:when={}", call.name, call.number));
        INFO(sweep.name << ": killed at " << call.text);
        killed += run.status.signal == SIGKILL ? 1 : 0;
        sweep.check();
        sweep.put_back();
    }
    std::cout << fmt::format("{}: killed at {} of {} system calls\n", sweep.name, killed, end - begin) << std::flush;
    CHECK(killed > 0);
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

TracedRun run_once(Site& site, const std::string& injection)
{
    const auto trace = site.directory() / "trace";
    TracedRun run;
    run.status = site.start({"--once"}, tracing_line(trace, injection))->wait();
    run.calls = read_trace(trace);
    return run;
}

TracedRun run_ctl(Site& site, const std::vector<std::string>& words, const std::string& injection)
{
    const auto trace = site.directory() / "trace";
    const auto ran = site.ctl(words, "", tracing_line(trace, injection));
    TracedRun run;
    run.calls = read_trace(trace);
    // strace ends as what it traced did; a shell's number stands for the signal where it could not.
    const bool is_killed = ran.code == -1 || ran.code == 128 + SIGKILL;
    run.status = is_killed ? ExitStatus{-1, SIGKILL} : ExitStatus{ran.code, 0};
    return run;
}

app::StorePlaces places_of(const Site& site)
{
    app::StorePlaces places;
    places.storage.mirrors = site.directory() / "mirrors";
    places.storage.tokens = site.directory() / "tokens";
    return places;
}

void move_if_there(const std::string& from, const std::string& to)
{
    if (fs::exists(from)) {
        fs::rename(from, to);
    }
}

// The files keep their inodes: a copy of a token store is recognised as one.
void rename_back(Site& site)
{
    const auto at = [&site](const char* path) { return site.directory() / path; };
    for (const auto* folder : {"tokens", "copy", "mirrors"}) {
        const auto now = site.directory() / folder;
        if (fs::exists(now + "/antwerpen") && fs::exists(now + "/antwerp")) {
            fs::remove_all(now + "/antwerp");
        }
        move_if_there(now + "/antwerpen", now + "/antwerp");
        fs::remove(now + "/antwerp/former_names");
    }
    for (const auto& entry : fs::directory_iterator(at("mirrors/antwerp"))) {
        const auto name = entry.path().filename().string();
        move_if_there(entry.path().string(), at("mirrors/antwerp/") + replaced(name, "antwerpen", "antwerp"));
    }
    move_if_there(at("mirrors/.requests/antwerpen"), at("mirrors/.requests/antwerp"));
}

}  // namespace

TEST_CASE("killed at any system call of a rename, the next start ends it whole, with the set and every row")
{
    if (!can_trace()) {
        return;
    }
    Site site;
    fs::create_directory(site.directory() / "copy");
    fs::permissions(site.directory() / "copy", fs::perms::owner_all);
    site.write_config(replaced(read_file(site.config_file()), "allow_unsafe",
                               "tokens_copy = \"" + site.directory() / "copy" + "\"\nallow_unsafe"));
    CHECK(site.start_synced()->stop().code == 0);
    const auto runs = site.sql("SELECT count(*) FROM _runs");
    site.write_config(
        replaced(read_file(site.config_file()), "[library.antwerp]", "[library.antwerpen]\nformerly = \"antwerp\""));
    site.service().world()->reset_audit();
    const auto check = [&] {
        CHECK(site.start({"--once"})->wait().code == 0);
        CHECK(site.sql("SELECT count(*) FROM recipes", "antwerpen") == "100");
        CHECK(std::stoi(site.sql("SELECT count(*) FROM _runs", "antwerpen")) >= std::stoi(runs));
        CHECK(site.sql("SELECT value FROM _meta WHERE key = 'library'", "antwerpen") == "antwerpen");
        for (const auto* gone : {"tokens/antwerp", "copy/antwerp", "mirrors/antwerp", "mirrors/.requests/antwerp"}) {
            INFO(gone);
            CHECK_FALSE(fs::exists(site.directory() / gone));
        }
        // One set, never presented to the token endpoint, and it still works: the run above has used it.
        CHECK(site.service().audit_report().token_posts == 0);
        CHECK(site.service().view_set("lib01").access_lives);
    };
    kill_everywhere({.name = "a rename",
                     .act = [&](const std::string& injection) { return run_once(site, injection); },
                     .check = check,
                     .put_back = [&] { rename_back(site); },
                     .begins_with = "former_names",
                     .ends_with = "antwerpen/journal.a"});
}

TEST_CASE("killed at any system call of a removal, the next start removes the rest, and no empty library begins")
{
    if (!can_trace()) {
        return;
    }
    Site site({.libraries = {"antwerp", "bruges"}});
    CHECK(site.start_synced()->stop().code == 0);
    const auto kept = site.directory() / "kept";
    const auto copy = [](const std::string& from, const std::string& to) {
        fs::create_directories(to);
        fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    };
    for (const auto* part : {"tokens/antwerp", "mirrors/antwerp"}) {
        copy(site.directory() / part, kept + "/" + part);
    }
    // The note that a removal was asked for, as the daemon writes it before the first file goes.
    const auto order = [&site] { must(app::order_removal(places_of(site), "antwerp")); };
    order();
    const auto check = [&] {
        site.start({"--once"})->wait();
        CHECK_FALSE(fs::exists(site.directory() / "tokens/antwerp"));
        CHECK_FALSE(fs::exists(site.directory() / "mirrors/antwerp"));
        // It is still configured: the note stays, and says so.
        CHECK(fs::exists(site.directory() / "mirrors/.forgotten/antwerp"));
        CHECK(site.last_log().find("antwerp is not running: it was forgotten") != std::string::npos);
        CHECK(site.sql("SELECT count(*) FROM recipes", "bruges") == "100");
    };
    const auto put_back = [&] {
        for (const auto* part : {"tokens/antwerp", "mirrors/antwerp"}) {
            copy(kept + "/" + part, site.directory() / part);
        }
        fs::permissions(site.directory() / "tokens/antwerp", fs::perms::owner_all);
        order();
    };
    kill_everywhere({.name = "a removal",
                     .act = [&](const std::string& injection) { return run_once(site, injection); },
                     .check = check,
                     .put_back = put_back,
                     .begins_with = ".forgotten",
                     .ends_with = "mirrors/antwerp"});
    site.write_config(site.config_text({"bruges"}));
    auto daemon = site.start_ready();
    CHECK_FALSE(fs::exists(site.directory() / "mirrors/.forgotten/antwerp"));
}

TEST_CASE("killed at any system call of the removal of the only library, the next start removes the rest and serves")
{
    if (!can_trace()) {
        return;
    }
    Site site;
    CHECK(site.start_synced()->stop().code == 0);
    const auto kept = site.directory() / "kept";
    const auto copy = [](const std::string& from, const std::string& to) {
        fs::create_directories(to);
        fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    };
    const auto config = read_file(site.config_file());
    copy(site.directory() / "tokens/antwerp", kept);
    const auto put_back = [&] {
        copy(kept, site.directory() / "tokens/antwerp");
        fs::permissions(site.directory() / "tokens/antwerp", fs::perms::owner_all);
        site.write_config(config);
        must(app::order_removal(places_of(site), "antwerp"));
    };
    put_back();
    const auto check = [&] {
        // It does not end, so nothing starts it again and again; the status names the cure.
        auto daemon = site.start_ready();
        CHECK_FALSE(fs::exists(site.directory() / "tokens/antwerp"));
        const auto status = site.ctl({"status"});
        CHECK(status.code == 2);
        CHECK(status.out.find("it was forgotten: remove [library.antwerp] from " + site.config_file() +
                              ", then: shelfctl reload") != std::string::npos);
        site.write_config(site.config_text({}));
        site.ctl_done({"reload"});
        CHECK_FALSE(fs::exists(site.directory() / "mirrors/.forgotten/antwerp"));
        CHECK(daemon->stop().code == 0);
    };
    kill_everywhere({.name = "a removal of the only library",
                     .act = [&](const std::string& injection) { return run_once(site, injection); },
                     .check = check,
                     .put_back = put_back,
                     .begins_with = ".forgotten",
                     .ends_with = "tokens/antwerp"});
    // Without a daemon that stays, either: the exit code is that of a person who is needed, not of a bug.
    CHECK(site.start({"--once"})->wait().code == 2);
}

TEST_CASE("shelfctl killed at any system call leaves a configuration that is valid, and the verb can be repeated")
{
    if (!can_trace()) {
        return;
    }
    Site site;
    auto daemon = site.start_synced();
    site.service().world()->reset_audit();
    const auto state = [&](const std::string& library) {
        const auto ran = site.ctl({"auth", "status", library});
        INFO(ran.out << ran.err);
        return ran.code;
    };
    SECTION("a rename")
    {
        kill_everywhere({.name = "shelfctl library rename",
                         .act =
                             [&](const std::string& injection) {
                                 return run_ctl(site, {"library", "rename", "antwerp", "antwerpen"}, injection);
                             },
                         .check =
                             [&] {
                                 CHECK(site.ctl({"config", "check"}).code == 0);
                                 site.ctl_done({"library", "rename", "antwerp", "antwerpen"});
                                 CHECK(state("antwerpen") == 0);
                                 CHECK(site.sql("SELECT count(*) FROM recipes", "antwerpen") == "100");
                             },
                         .put_back =
                             [&] {
                                 site.ctl_done({"library", "rename", "antwerpen", "antwerp"});
                             },
                         .begins_with = ".new"});
    }
    SECTION("a pause")
    {
        kill_everywhere({.name = "shelfctl library pause",
                         .act =
                             [&](const std::string& injection) {
                                 return run_ctl(site, {"library", "pause", "antwerp"}, injection);
                             },
                         .check =
                             [&] {
                                 CHECK(site.ctl({"config", "check"}).code == 0);
                                 site.ctl_done({"library", "pause", "antwerp"});
                                 CHECK(site.sql("SELECT state FROM freshness") == "paused");
                             },
                         .put_back =
                             [&] {
                                 site.ctl_done({"library", "resume", "antwerp"});
                             },
                         .begins_with = ".new"});
        CHECK(state("antwerp") == 0);
    }
    SECTION("an addition")
    {
        const auto customer = site.service().world()->library("lib02");
        write_file(site.directory() / "secrets/partner", customer.client_secret);
        site.write_config(
            read_file(site.config_file()) +
            fmt::format("[application.partner]\nclient_id = \"{}\"\nclient_secret = {{ file = \"{}\" }}\n",
                        customer.client_id, site.directory() / "secrets/partner"));
        kill_everywhere({.name = "shelfctl library add",
                         .act =
                             [&](const std::string& injection) {
                                 return run_ctl(site, {"library", "add", "ghent", "--no-set"}, injection);
                             },
                         .check =
                             [&] {
                                 CHECK(site.ctl({"config", "check"}).code == 0);
                                 const auto again = site.ctl({"library", "add", "ghent", "--no-set"});
                                 CHECK((again.code == 0 || again.err.find("configured already") != std::string::npos));
                                 site.ctl_done({"reload"});
                                 CHECK(site.ctl({"status", "ghent"}).out.find("ghent") != std::string::npos);
                             },
                         .put_back =
                             [&] {
                                 site.ctl_done({"library", "forget", "ghent", "--force"});
                             },
                         .begins_with = ".new"});
    }
    SECTION("a forget")
    {
        const auto config = read_file(site.config_file());
        kill_everywhere({.name = "shelfctl library forget",
                         .act =
                             [&](const std::string& injection) {
                                 return run_ctl(site, {"library", "forget", "antwerp", "--force"}, injection);
                             },
                         .check =
                             [&] {
                                 CHECK(site.ctl({"config", "check"}).code == 0);
                                 const auto again = site.ctl({"library", "forget", "antwerp", "--force"});
                                 CHECK((again.code == 0 || again.err.find("there is no library") != std::string::npos));
                                 CHECK_FALSE(fs::exists(site.directory() / "tokens/antwerp"));
                                 CHECK_FALSE(fs::exists(site.directory() / "mirrors/antwerp"));
                                 CHECK_FALSE(fs::exists(site.directory() / "mirrors/.forgotten/antwerp"));
                                 CHECK(read_file(site.config_file()).find("[library.antwerp]") == std::string::npos);
                             },
                         .put_back =
                             [&] {
                                 site.write_config(config);
                                 site.ctl_done({"reload"});
                                 site.import_set();
                                 site.ctl_done({"wait", "--timeout", "5m"});
                             },
                         .begins_with = "connect("});
    }
    CHECK(site.service().audit_report().reuses_of_spent == 0);
}
