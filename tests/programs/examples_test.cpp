// The examples that come with it, as they are written, against the simulator.
#include "site.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

using namespace shelfd;

namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to)
{
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

// The example, with the addresses and credentials of the site, and its directories instead of the system's.
std::string adapted(Site& site, const std::string& example, const std::string& library, const std::string& customer)
{
    auto text = read_file(std::string(SHELFD_SOURCE_DIR) + "/config/" + example);
    const auto known = site.service().world()->library(customer);
    write_file(site.directory() / "secrets/example", known.client_secret);
    replace_all(text, "https://api.example.com", site.service().url());
    replace_all(text, "/etc/shelfd/secrets/partner", site.directory() / "secrets/example");
    replace_all(text, "/etc/shelfd/secrets/demo", site.directory() / "secrets/example");
    replace_all(text, "\"shelfd-partner\"", '"' + known.client_id + '"');
    replace_all(text, "\"shelfd-demo\"", '"' + known.client_id + '"');
    REQUIRE(text.find("[library." + library + "]") != std::string::npos);
    return fmt::format("[storage]\nmirrors = \"{0}\"\ntokens = \"{1}\"\nallow_unsafe = true\n[control]\nsocket = "
                       "\"{2}\"\n{3}",
                       site.directory() / "mirrors", site.directory() / "tokens", site.socket(), text);
}

}  // namespace

TEST_CASE("the complete example fills every table that it names, details and all, and keeps out what it excludes")
{
    Site site({.world = {.rows = 20, .rows_of = {{"sales/lines", 450}}}});
    auto text = adapted(site, "kitchen.toml", "antwerp", "lib01");
    // The first load asks once for each window, and at the example's limit the days of all these years take long.
    replace_all(text, "step = \"1d\"", "step = \"90d\"");
    REQUIRE(text.find("step = \"90d\"") != std::string::npos);
    site.write_config(text);
    auto daemon = site.start_synced();
    daemon->await("every recipe's details are there",
                  [&] { return site.sql("SELECT count(*) FROM recipes_detail") == "20"; });
    for (const auto* table : {"recipes", "recipes_detail", "ingredients", "units", "outlets", "stock", "suppliers",
                              "orders", "sales", "users"}) {
        INFO(table);
        CHECK(site.sql(fmt::format("SELECT count(*) > 0 FROM {}", table)) == "1");
    }
    CHECK(site.sql("SELECT count(*) FROM sales") == "450");
    CHECK(site.sql("SELECT count(*) > 10 FROM _slices WHERE resource = 'sales' AND proven_as_of IS NOT NULL") == "1");
    CHECK(site.sql("SELECT complete_from IS NOT NULL AND complete_to IS NOT NULL FROM freshness WHERE resource = "
                   "'sales'") == "1");
    CHECK(site.sql("SELECT group_concat(DISTINCT mode) FROM _runs WHERE resource = 'sales'") == "window");
    CHECK(site.sql("SELECT count(DISTINCT s.outlet_id) = (SELECT count(*) FROM outlets) FROM stock s JOIN outlets o ON "
                   "o.id = s.outlet_id") == "1");
    CHECK(site.sql("SELECT count(*) FROM pragma_table_info('users') WHERE name = 'email'") == "0");
    CHECK(site.sql("SELECT count(*) FROM users WHERE profile LIKE '%phone%'") == "0");
    const auto refused = site.ctl({"sync", "antwerp", "recipes_detail"});
    CHECK(refused.code == 64);
    CHECK(refused.err.find("shelfctl sync antwerp recipes") != std::string::npos);
    site.ctl_done({"wait", "antwerp", "recipes_detail"});
    const auto plan = site.ctl_done({"plan"});
    INFO(plan);
    CHECK(plan.find("100 allowed: sufficient") != std::string::npos);
}

TEST_CASE("the minimal example mirrors its one list")
{
    Site site({.world = {.rows = 20}, .libraries = {"demo"}});
    site.write_config(adapted(site, "minimal.toml", "demo", "lib02"));
    auto daemon = site.start_synced();
    CHECK(site.sql("SELECT count(*) FROM recipes", "demo") == "20");
}
