// A token set that leaves this machine, and comes back.
#include "site.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace shelfd;

TEST_CASE("every page that writes a moved set into a file keeps it from others")
{
    for (const std::string page : {"man/shelfd-moving.7", "man/shelfctl.1", "man/shelfd.8", "man/shelfd-troubles.7",
                                   "SECURITY.md", "NEWS.md", "container/compose.yaml"}) {
        const auto text = read_file(std::string(SHELFD_SOURCE_DIR) + "/contrib/" + page);
        std::size_t at = 0;
        while ((at = text.find("move-out", at)) != std::string::npos) {
            const auto begin = text.rfind('\n', at) + 1;
            const auto line = text.substr(begin, text.find('\n', at) - begin);
            CAPTURE(page, line);
            CHECK((line.find('>') == std::string::npos || line.find("(umask 077; ") != std::string::npos));
            at += 8;
        }
    }
}

TEST_CASE("a set that was moved out is not used by this daemon, restarted or not, until it is moved in again, sealed")
{
    Site site;
    auto daemon = site.start_synced();
    const auto document = site.ctl_done({"auth", "move-out", "antwerp", "--to", "shelf2"});
    site.service().world()->reset_audit();
    daemon->stop();
    daemon = site.start_ready();
    const auto status = site.ctl({"auth", "status", "antwerp"});
    CHECK(status.code == 2);
    CHECK(status.out.find("the set was moved to shelf2") != std::string::npos);
    CHECK(site.ctl({"sync", "antwerp"}).code == 2);
    CHECK(site.ctl({"auth", "token", "antwerp"}).code == 2);
    CHECK(site.service().world()->audit_report().token_posts == 0);

    CHECK(site.ctl({"auth", "move-in", "antwerp"}, site.token_response()).code == 64);
    site.ctl_done({"auth", "move-in", "antwerp"}, document);
    CHECK(site.service().world()->audit_report().token_posts == 1);
    CHECK(site.ctl({"auth", "status"}).code == 0);
    site.ctl_done({"sync", "antwerp"});
    // The document is dead now, and nothing tries it.
    const auto again = site.ctl({"auth", "move-in", "antwerp"}, document);
    CHECK(again.code == 64);
    CHECK(again.err.find("has a set that can be refreshed") != std::string::npos);
    CHECK(site.service().world()->audit_report().reuses_of_spent == 0);
}

namespace {

const std::vector<std::string> towns = {"antwerp", "ghent", "brugge"};

std::string without_secrets(Site& site, std::string text)
{
    for (const auto& town : towns) {
        const auto set = site.token_response(town);
        for (const auto& name : {"access_token\":\"", "refresh_token\":\""}) {
            const auto begin = set.find(name) + std::string(name).size();
            CHECK(text.find(set.substr(begin, set.find('"', begin) - begin)) == std::string::npos);
        }
    }
    return text;
}

// Through a shell that opens standard output otherwise.
std::vector<std::string> with_output(const std::string& redirection)
{
    return {"/bin/sh", "-c", "exec \"$@\" " + redirection, "sh"};
}

std::size_t lines(const std::string& text)
{
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("a whole server moves in two commands: what fails is named, the rest goes, and both may be repeated")
{
    Site site({.libraries = towns});
    const auto whole = site.config_text(towns);
    auto daemon = site.start_synced();
    // Such a set is of no use elsewhere.
    site.ctl_done({"auth", "forget", "brugge", "--force"});
    site.ctl_done({"auth", "import", "brugge", "--access-only"}, site.token_response("brugge"));
    const auto out = site.ctl({"auth", "move-out", "--all", "--to", "shelf2"});
    CHECK(out.code == 64);
    CHECK(out.err.find("brugge: not moved, brugge has no set that another machine could use") != std::string::npos);
    CHECK(lines(out.out) == 2);
    CHECK(out.out.find("{\"library\": \"antwerp\"") == 0);
    CHECK(out.out.find("\n{\"library\": \"ghent\"") != std::string::npos);
    without_secrets(site, out.err);

    // Whatever became of the first output.
    daemon->kill();
    daemon = site.start_ready();
    const auto again = site.ctl({"auth", "move-out", "--all", "--to", "shelf2"});
    CHECK(lines(again.out) == 2);
    CHECK(again.err.find("antwerp: was moved to this destination before; its set is printed again") !=
          std::string::npos);
    CHECK(site.ctl({"auth", "move-out", "--all", "--to", "shelf3"}).out.empty());

    site.service().world()->reset_audit();
    site.write_config(site.config_text({"antwerp", "brugge"}));
    site.ctl_done({"reload"});
    const auto in = site.ctl({"auth", "move-in", "--all"}, again.out + "{\"library\": \"brug");
    CHECK(in.code == 64);
    CHECK(in.out.find("antwerp: token set accepted and sealed") == 0);
    CHECK(in.err.find("ghent: not moved in, no library has this name here: add [library.ghent]") != std::string::npos);
    CHECK(in.err.find("line 3 was not written by shelfctl auth move-out") != std::string::npos);
    without_secrets(site, in.out + in.err);

    site.write_config(whole);
    site.ctl_done({"reload"});
    const auto rest = site.ctl({"auth", "move-in", "--all", "--json"}, again.out);
    CHECK(rest.code == 0);
    CHECK(rest.out.find("{\"library\":\"antwerp\",\"skipped\":") == 0);
    CHECK(rest.out.find("{\"library\":\"ghent\",\"ok\":true") != std::string::npos);
    const auto audit = site.service().world()->audit_report();
    CHECK(audit.token_posts == 2);
    CHECK(audit.reuses_of_spent == 0);
    for (const auto* town : {"antwerp", "ghent"}) {
        CHECK(site.ctl({"auth", "status", town}).code == 0);
    }
    site.ctl_done({"sync", "ghent"});
}

TEST_CASE("no set is marked as moved before an output that cannot keep it; one whose output broke off is printed again")
{
    Site site({.libraries = {"antwerp", "ghent"}});
    auto daemon = site.start_synced();
    const std::vector<std::string> move = {"auth", "move-out", "--all", "--to", "shelf2"};
    for (const auto* output : {">/dev/full", ">&-", ">/dev/null", "</dev/null >&0"}) {
        INFO(output);
        const auto refused = site.ctl(move, "", with_output(output));
        CHECK(refused.code == 74);
        CHECK(refused.err.find("no set was moved") != std::string::npos);
        CHECK(site.ctl({"auth", "move-out", "antwerp"}, "", with_output(output)).code == 74);
    }
    CHECK(site.ctl({"auth", "status"}).code == 0);
    // A limit that is met on the way: the files of this shell may have some bytes more.
    const auto file = site.directory() / "all.sets";
    const auto limited = site.ctl(move, "", {"/bin/sh", "-c", "ulimit -f 1; exec \"$@\" >" + file, "sh"});
    CHECK(limited.code == 74);
    CHECK(limited.err.find("ulimit -f") != std::string::npos);
    CHECK(site.ctl({"auth", "status"}).code == 0);
    // A reader that goes away after the first set.
    site.ctl(move, "", {"/bin/sh", "-c", "\"$@\" | head -c 10 >/dev/null", "sh"});
    const auto again = site.ctl_done(move);
    CHECK(lines(again) == 2);
    site.ctl_done({"auth", "move-in", "--all"}, again);
    CHECK(site.ctl({"auth", "status"}).code == 0);
    CHECK(site.service().world()->audit_report().reuses_of_spent == 0);
}
