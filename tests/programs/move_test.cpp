// A token set that leaves this machine, and comes back.
#include "site.hpp"
#include "support/catch.hpp"

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
