// A token set while passes go on, while the daemon stops, and after it has.
#include "site.hpp"
#include "support/catch.hpp"

#include <chrono>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

// Pages come one by one, slowly enough for something to happen between them.
void slow_down_pages(Site& site, std::chrono::milliseconds delay)
{
    sim::Fault slow;
    slow.path = recipes_path;
    slow.times = std::nullopt;
    slow.delay = delay;
    site.service().world()->faults.add(slow);
}

std::uint64_t pages_served(Site& site, std::size_t generation = 0, int status = 200)
{
    return site.service().world()->audit_report().count("GET", recipes_path, "lib01", generation, status);
}

std::uint64_t token_posts(Site& site)
{
    return site.service().world()->audit_report().token_posts;
}

// The answer of the token endpoint takes that long; the set is rotated before.
void slow_down_token_answer(Site& site, std::chrono::milliseconds delay)
{
    sim::Fault slow;
    slow.path = "/oauth/token/";
    slow.delay_after = delay;
    site.service().world()->faults.add(slow);
}

std::size_t generation(Site& site)
{
    return site.service().world()->view_set("lib01").generation;
}

}  // namespace

TEST_CASE("an access token that dies in mid-pass is refreshed by exactly one POST, and the pass goes on")
{
    Site site({.world = {.rows_of = {{"library/recipes", 1000}}}});
    auto daemon = site.start_synced();
    const auto before = generation(site);
    site.service().world()->reset_audit();
    slow_down_pages(site, 40ms);

    const auto pass = site.begin_ctl({"sync", "antwerp", "recipes"});
    daemon->await("three pages have come", [&] { return pages_served(site, before) >= 3; });
    site.service().world()->expire_access("lib01");
    const auto ended = pass->wait();
    INFO(pass->output());
    CHECK(ended == 0);

    CHECK(token_posts(site) == 1);
    CHECK(generation(site) == before + 1);
    CHECK(pages_served(site, before + 1) > 0);
    // Ten pages and the closing look at the first: none was asked for twice but those that were under way, and refused.
    CHECK(pages_served(site) == 11);
    CHECK(pages_served(site, before, 401) >= 1);
    CHECK(pages_served(site, before, 401) <= 8);
    CHECK(site.service().world()->audit_report().reuses_of_spent == 0);
    CHECK(site.sql("SELECT count(*) FROM recipes") == "1000");
    CHECK(site.sql("SELECT state FROM freshness WHERE resource = 'recipes'") == "fresh");
}

TEST_CASE("a stop in mid-pass is orderly, said to the service manager, and leaves the mirror as it was")
{
    Site site({.world = {.rows_of = {{"library/recipes", 1000}}}});
    auto daemon = site.start_synced();
    sim::Edit edit;
    edit.change = {sim::Json::object({{"id", 1}, {"name", "after"}}),
                   sim::Json::object({{"id", 1000}, {"name", "after"}})};
    site.service().world()->edit("lib01", "library/recipes", edit);
    site.service().world()->reset_audit();
    slow_down_pages(site, 40ms);
    site.ctl_done({"sync", "antwerp", "--background"});
    daemon->await("three pages have come", [&] { return pages_served(site) >= 3; });

    const auto began = std::chrono::steady_clock::now();
    CHECK(daemon->stop().code == 0);
    CHECK(std::chrono::steady_clock::now() - began < slowness * 5s);
    CHECK(daemon->told("STOPPING=1"));
    CHECK(site.sql("SELECT count(*) FROM recipes") == "1000");
    CHECK(site.sql("SELECT count(*) FROM recipes WHERE name = 'after'") == "0");

    site.service().world()->faults.clear();
    auto again = site.start_ready();
    site.ctl_done({"sync", "antwerp"});
    CHECK(site.sql("SELECT count(*) FROM recipes WHERE name = 'after'") == "2");
}

TEST_CASE("a stop while a refresh is in flight waits for the new set and makes it durable")
{
    Site site;
    auto daemon = site.start_synced();
    const auto before = generation(site);
    site.service().world()->expire_access("lib01");
    site.service().world()->reset_audit();
    slow_down_token_answer(site, 700ms);
    site.ctl_done({"sync", "antwerp", "--background"});
    daemon->await("the set is rotated, its answer on the way", [&] { return generation(site) > before; });

    CHECK(daemon->stop().code == 0);
    CHECK(daemon->told("STOPPING=1"));
    CHECK(daemon->told("EXTEND_TIMEOUT_USEC="));
    CHECK(token_posts(site) == 1);

    // The set that came last is in the journal: nothing is spent to go on.
    auto again = site.start_ready();
    site.ctl_done({"sync", "antwerp"});
    CHECK(token_posts(site) == 1);
    CHECK(pages_served(site, before + 1) > 0);
    CHECK(site.service().world()->audit_report().reuses_of_spent == 0);
}

TEST_CASE("a restart spends no refresh token, however often")
{
    Site site;
    site.start_synced()->stop();
    site.service().world()->reset_audit();
    for (int start = 0; start < 3; ++start) {
        auto daemon = site.start_ready();
        site.ctl_done({"sync", "antwerp"});
        if (start == 1) {
            daemon->kill();
        } else {
            CHECK(daemon->stop().code == 0);
        }
    }
    CHECK(token_posts(site) == 0);
}

TEST_CASE("an imported set is sealed: the pasted copy is dead before the import is reported done")
{
    Site site;
    auto daemon = site.start_ready();
    const auto pasted = site.service().world()->view_set("lib01");
    const auto said = site.ctl_done({"auth", "import", "antwerp"}, paste_of(pasted));
    INFO(said);
    CHECK(generation(site) == 2);
    CHECK(site.service().world()->view_set("lib01").refresh_token != pasted.refresh_token);
    CHECK(site.ctl({"auth", "status"}).code == 0);

    // Handed in once more, by somebody who kept it: refused, and the good set goes on.
    const auto refused = site.ctl({"auth", "import", "antwerp"}, paste_of(pasted));
    INFO(refused.out << refused.err);
    CHECK(refused.code != 0);
    site.ctl_done({"wait", "--timeout", "1m"});
    site.ctl_done({"sync", "antwerp"});
}

TEST_CASE("a refresh whose answer is lost with the connection is named as such, and made good by one more POST")
{
    Site site({.world = {.tokens = {.grace = 120s}}});
    auto daemon = site.start_synced();
    const auto before = generation(site);
    site.service().world()->expire_access("lib01");
    site.service().world()->reset_audit();
    sim::Fault cut;
    cut.path = "/oauth/token/";
    cut.cut = sim::Cut::after_acting;
    site.service().world()->faults.add(cut);
    const auto synced = site.ctl({"sync", "antwerp"});
    INFO(synced.out << synced.err);
    // The access token has expired, so no canary can tell: the same refresh token is presented once more, and the pass,
    // which has waited, goes on without a person.
    CHECK(synced.code == 0);
    INFO(daemon->log());
    CHECK(daemon->log().find(R"("outcome":"unclear")") != std::string::npos);
    CHECK(pages_served(site, before + 1) > 0);
    CHECK(generation(site) == before + 1);
    CHECK(token_posts(site) == 2);
    site.ctl_done({"sync", "antwerp"});
    CHECK(token_posts(site) == 2);
}

TEST_CASE("a refresh whose answer states a wrong length is taken whole: one POST, and nothing is in doubt")
{
    struct Row {
        const char* name;
        const char* length;  // stands after the right one, or beside chunks
        bool chunked;
    };
    for (const auto& row : {Row{"too short", "9", false}, Row{"too long", "4096", false}, Row{"negative", "-1", false},
                            Row{"no number", "many", false}, Row{"negative, chunked", "-1", true}}) {
        INFO(row.name);
        Site site;
        auto daemon = site.start_synced();
        const auto before = generation(site);
        site.service().world()->expire_access("lib01");
        site.service().world()->reset_audit();
        sim::Fault wrong;
        wrong.path = "/oauth/token/";
        wrong.headers = {{"Content-Length", row.length}};
        wrong.chunked = row.chunked;
        site.service().world()->faults.add(wrong);
        const auto synced = site.ctl({"sync", "antwerp"});
        INFO(synced.out << synced.err << daemon->log());
        CHECK(synced.code == 0);
        CHECK(site.service().world()->faults.pending() == 0);
        CHECK(generation(site) == before + 1);
        CHECK(token_posts(site) == 1);
        CHECK(daemon->log().find(R"("outcome":"unclear")") == std::string::npos);
    }
}
