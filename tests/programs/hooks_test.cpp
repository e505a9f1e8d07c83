// Hooks of a real daemon: what a kill loses (nothing), and what it repeats (one call at most).
#include "site.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

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
        std::filesystem::permissions(site.directory().path(), std::filesystem::perms(0777));
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

std::string incident_in(const std::string& line)
{
    const auto begin = line.find(' ') + 1;
    return line.substr(begin, line.find(' ', begin) - begin);
}

bool is_told(Site& site)
{
    return site.ctl({"hooks", "list", "--json"}).out.find("\"told\":[\"pager\"]") != std::string::npos;
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
    CHECK(site.ctl_done({"silence", "antwerp", "off"}) == "antwerp is not silenced any more\n");
    CHECK(site.ctl({"silence", "antwerp", "soon"}).code == 64);
}
