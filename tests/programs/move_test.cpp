// A token set that leaves this machine, and comes back.
#include "site.hpp"
#include "support/catch.hpp"

using namespace shelfd;

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
