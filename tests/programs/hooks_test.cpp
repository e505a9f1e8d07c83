// Hooks of a real daemon: what a kill loses (nothing), and what it repeats (one call at most).
#include "site.hpp"
#include "support/catch.hpp"
#include "support/scripted_server.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <thread>

#include <sys/stat.h>

using namespace shelfd;

namespace {

// A library without a token set, and a hook whose program writes "EVENT INCIDENT CAUSE" to a file for each call, and
// exits with 1 while a file named `closed` is there.
class HookSite {
public:
    HookSite()
    {
        const auto program = site.directory() / "hook";
        std::ofstream(program) << fmt::format(
            "#!/bin/sh\ncat > {0}/body\nif [ -e {0}/closed ]; then echo \"$SHELFD_EVENT $SHELFD_INCIDENT "
            "$SHELFD_CAUSE\" >> {0}/tried; echo 'it is closed' >&2; exit 1; fi\n"
            "echo \"$SHELFD_EVENT $SHELFD_INCIDENT $SHELFD_CAUSE\" >> {0}/taken\n"
            "while [ -e {0}/slow ]; do sleep 0.05; done\n",
            site.directory().path());
        std::filesystem::permissions(program, std::filesystem::perms(0755));
        std::filesystem::permissions(site.directory().path(), std::filesystem::perms(01777));
        site.write_config(site.config_text({"antwerp"}) +
                          fmt::format("\n[hooks.pager]\ncommand = [\"{}\"]\non = [\"token_lost\"]\n", program));
    }
    void put(const std::string& name) const { std::ofstream(site.directory() / name) << "\n"; }
    void drop(const std::string& name) const { std::filesystem::remove(site.directory() / name); }
    std::vector<std::string> lines(const std::string& name) const
    {
        std::vector<std::string> found;
        std::istringstream text(read_file(site.directory() / name));
        for (std::string line; std::getline(text, line);) {
            found.push_back(line);
        }
        return found;
    }

    Site site;
};

// A chat that takes every post, on a thread of its own.
class Receiver {
public:
    Receiver()
    {
        for (int i = 0; i < 50; ++i) {
            server_.play({steps::read_request(), steps::ok("ok")});
        }
        thread_ = std::thread([this] { loop_.run(); });
    }
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;
    ~Receiver()
    {
        loop_.stop();
        thread_.join();
    }
    std::string origin() const { return server_.origin(); }
    // Whole requests as they came that have `part`.
    std::vector<std::string> requests_with(const std::string& part)
    {
        std::promise<std::vector<std::string>> seen;
        asio::post(loop_, [&] { seen.set_value(server_.requests()); });
        auto all = seen.get_future().get();
        std::erase_if(all, [&part](const auto& one) { return one.find(part) == std::string::npos; });
        return all;
    }

private:
    asio::io_context loop_;
    asio::executor_work_guard<asio::io_context::executor_type> work_{loop_.get_executor()};
    ScriptedServer server_{loop_};
    std::thread thread_;
};

// What the receiver is to know, and no log.
constexpr const char* header_secret = "Bearer swordfish-4711";

void add_chat(HookSite& hooked, const Receiver& receiver, const std::string& keys)
{
    const auto secret = hooked.site.directory() / "chat_header";
    std::ofstream(secret) << header_secret << "\n";
    ::chmod(secret.c_str(), 0600);
    hooked.site.write_config(read_file(hooked.site.config_file()) +
                             fmt::format("\n[hooks.chat]\npost = \"{}/in\"\n"
                                         "headers = {{ Authorization = {{ file = \"{}\" }} }}\n{}\n",
                                         receiver.origin(), secret, keys));
}

std::string member_of(const std::string& body, const std::string& name)
{
    const auto begin = body.find("\"" + name + "\":\"") + name.size() + 4;
    return body.substr(begin, body.find('"', begin) - begin);
}

std::string incident_in(const std::string& line)
{
    const auto begin = line.find(' ') + 1;
    return line.substr(begin, line.find(' ', begin) - begin);
}

bool is_told(Site& site)
{
    return site.ctl({"hooks", "list", "--json"}).out.find("\"called\":[\"pager\"]") != std::string::npos;
}

// On disk.
bool nothing_waits(Site& site)
{
    const auto mirrors = std::filesystem::path(site.mirror()).parent_path().parent_path();
    return read_file((mirrors / ".hooks" / "alerts.json").string()).find("\"calls\":[]") != std::string::npos;
}

}  // namespace

TEST_CASE("a call that was not accepted before kill -9 is made afterwards, once")
{
    HookSite hooked;
    hooked.put("closed");
    auto& site = hooked.site;
    auto daemon = site.start_ready();
    daemon->await("a call", [&] { return !hooked.lines("tried").empty(); });
    daemon->kill();
    const auto tried = hooked.lines("tried");
    hooked.drop("closed");
    daemon = site.start_ready();
    daemon->await("the call again", [&] { return !hooked.lines("taken").empty(); });
    CHECK(hooked.lines("taken").front() == tried.front());
    CHECK(tried.front().starts_with("opened "));
    CHECK(tried.front().ends_with(" token_lost"));
    CHECK(read_file(site.directory() / "body").find("\"libraries\":[\"antwerp\"]") != std::string::npos);
    // Another start tells nothing new: its first look is over when its incidents can be listed.
    daemon->await("its record", [&] { return nothing_waits(site); });
    daemon->kill();
    daemon = site.start_ready();
    daemon->await("a look", [&] { return is_told(site); });
    CHECK(hooked.lines("taken").size() == 1);
}

TEST_CASE("a call that kill -9 cuts off is repeated at most once, with its incident")
{
    HookSite hooked;
    hooked.put("slow");
    auto& site = hooked.site;
    auto daemon = site.start_ready();
    daemon->await("a call", [&] { return !hooked.lines("taken").empty(); });
    daemon->kill();
    hooked.drop("slow");
    daemon = site.start_ready();
    daemon->await("the call again", [&] { return hooked.lines("taken").size() >= 2; });
    daemon->await("its record", [&] { return nothing_waits(site); });
    daemon->kill();
    daemon = site.start_ready();
    daemon->await("a look", [&] { return is_told(site); });
    const auto taken = hooked.lines("taken");
    REQUIRE(taken.size() == 2);
    CHECK(incident_in(taken[0]) == incident_in(taken[1]));
}

TEST_CASE("a hook that hangs keeps no pass waiting")
{
    HookSite hooked;
    hooked.put("slow");
    auto& site = hooked.site;
    const auto daemon = site.start_ready();
    daemon->await("a call", [&] { return !hooked.lines("taken").empty(); });
    site.import_set();
    site.ctl_done({"sync", "antwerp", "recipes"});
    CHECK(site.sql("SELECT count(*) > 0 FROM recipes") == "1");
    CHECK(site.ctl_done({"hooks", "list", "--json"}).find("\"waiting\":1") != std::string::npos);
}

TEST_CASE("hooks are listed, tested and silenced by a person")
{
    HookSite hooked;
    auto& site = hooked.site;
    const auto daemon = site.start_ready();
    CHECK(site.ctl_done({"silence", "antwerp", "2h"}).find("antwerp is silenced until ") == 0);
    CHECK(site.ctl_done({"hooks", "test", "pager"}) == "hook pager has accepted the test\n");
    const auto taken = hooked.lines("taken");
    CHECK(std::count(taken.begin(), taken.end(), "test test test") == 1);
    CHECK(site.ctl_done({"hooks", "list"}).find("antwerp is silenced until ") != std::string::npos);
    hooked.put("closed");
    const auto refused = site.ctl({"hooks", "test", "pager"});
    CHECK(refused.code == 1);
    CHECK(refused.err.find("exited with 1: it is closed") != std::string::npos);
    CHECK(site.ctl({"hooks", "test", "nobody"}).code == 64);
    CHECK(site.ctl_done({"silence", "antwerp", "off"}) == "antwerp is no longer silenced\n");
    CHECK(site.ctl({"silence", "antwerp", "soon"}).code == 64);
    // A reload takes other hooks, and says which.
    site.write_config(read_file(site.config_file()) + "\n[hooks.second]\ncommand = [\"/bin/true\"]\n");
    CHECK(site.ctl_done({"reload"}).find("hook second added") != std::string::npos);
    CHECK(site.ctl_done({"hooks", "test", "second"}) == "hook second has accepted the test\n");
}

TEST_CASE("an alert reaches a program and an address, its end is paired, and a secret header is in no log")
{
    Receiver receiver;
    HookSite hooked;
    add_chat(hooked, receiver, "on = [\"token_lost\"]");
    auto& site = hooked.site;
    const auto daemon = site.start_ready();
    daemon->await("both calls",
                  [&] { return !hooked.lines("taken").empty() && !receiver.requests_with("opened").empty(); });
    const auto opened = receiver.requests_with("\"event\":\"opened\"");
    REQUIRE(opened.size() == 1);
    CHECK(opened.front().find(std::string("Authorization: ") + header_secret) != std::string::npos);
    CHECK(member_of(opened.front(), "cause") == "token_lost");
    CHECK(member_of(opened.front(), "severity") == "ticket");
    CHECK(member_of(opened.front(), "who") == "owner");
    CHECK(member_of(opened.front(), "do").find("shelfctl auth import antwerp") != std::string::npos);
    site.import_set();
    daemon->await("the end", [&] {
        return hooked.lines("taken").size() == 2 && !receiver.requests_with("\"event\":\"recovered\"").empty();
    });
    const auto recovered = receiver.requests_with("\"event\":\"recovered\"");
    CHECK(member_of(recovered.front(), "incident") == member_of(opened.front(), "incident"));
    CHECK(hooked.lines("taken")[1].starts_with("recovered "));
    CHECK(incident_in(hooked.lines("taken")[0]) == incident_in(hooked.lines("taken")[1]));
    CHECK(daemon->log().find("swordfish") == std::string::npos);
    CHECK(site.ctl_done({"hooks", "list", "--json"}).find("swordfish") == std::string::npos);
    CHECK(site.ctl_done({"status", "--json"}).find("swordfish") == std::string::npos);
    CHECK(site.ctl_done({"config", "show"}).find("swordfish") == std::string::npos);
}

TEST_CASE("a consumer is called once for a round, with counts and positions, over kill -9 too")
{
    Receiver receiver;
    HookSite hooked;
    add_chat(hooked, receiver, "on_publish = [\"*\"]");
    auto& site = hooked.site;
    auto daemon = site.start_synced();
    daemon->await("the first load", [&] { return receiver.requests_with("published").size() == 1; });
    const auto first = receiver.requests_with("published").front();
    CHECK(member_of(first, "library") == "antwerp");
    CHECK(member_of(first, "mirror") == site.mirror());
    daemon->await("its record", [&] { return nothing_waits(site); });
    site.service().world()->edit("lib01", "library/recipes", change_of_all_recipes(site, 2));
    site.ctl_done({"sync", "antwerp", "recipes"});
    daemon->kill();  // perhaps before anybody looked
    daemon = site.start_ready();
    daemon->await("the round", [&] { return receiver.requests_with("published").size() == 2; });
    const auto second = receiver.requests_with("published").back();
    CHECK(member_of(second, "position_before") == member_of(first, "position"));
    CHECK(member_of(second, "position") != member_of(first, "position"));
    CHECK(second.find(fmt::format("\"changed\":{}", site.sql("SELECT count(*) FROM recipes"))) != std::string::npos);
    // The position is one that `changes` takes.
    const auto lines = site.ctl_done({"changes", "antwerp", "--since", member_of(second, "position_before")});
    CHECK(std::count(lines.begin(), lines.end(), '\n') > 1);
}
