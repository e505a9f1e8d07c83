// What people ask the service through the daemon, with the real programs.
#include "site.hpp"
#include "support/catch.hpp"

using namespace shelfd;

TEST_CASE("an address is shown without anybody seeing the token, and an address elsewhere is not asked for")
{
    Site site;
    auto daemon = site.start_synced();
    const auto shown = site.ctl_done({"get", "antwerp", "/api/v2/library/recipes/?page_size=1"});
    INFO(shown);
    CHECK(shown.find("\n  \"results\": [\n") != std::string::npos);
    const auto elsewhere = site.ctl({"get", "antwerp", "https://127.0.0.1:1/"});
    CHECK(elsewhere.code == 64);
    CHECK(elsewhere.err.find("must begin with \"/\"") != std::string::npos);
    const auto nothing = site.ctl({"get", "antwerp", "/api/v2/nothing/"});
    CHECK(nothing.code == 1);
    CHECK(nothing.err.find("the service answered 404") != std::string::npos);
    const auto token = site.service().world()->view_set("lib01").access_token;
    CHECK(site.printed().find(token) == std::string::npos);
    CHECK(site.last_log().find(token) == std::string::npos);
}

TEST_CASE("a mirror that was just filled is equal to the service, and stays so until the service changes")
{
    Site site;
    auto daemon = site.start_synced();
    const auto equal = site.ctl_done({"verify", "antwerp", "recipes", "--sample", "10"});
    CHECK(equal.find("10 rows compared: 10 equal, 0 not") != std::string::npos);
    const auto key = site.sql("SELECT max(id) FROM recipes");
    site.service().world()->edit("lib01", "library/recipes",
                                 {.change = {*sim::parse_json(R"({"id":)" + key + R"(,"name":"Bisque"})")}});
    const auto changed = site.ctl({"verify", "antwerp", "recipes", key});
    INFO(changed.out);
    CHECK(changed.code == 1);
    CHECK(changed.out.find("service  \"Bisque\"") != std::string::npos);
    CHECK(site.ctl({"verify", "antwerp", "recipes", "999999"}).code == 64);
}

TEST_CASE("a dry run asks nothing, a table that is young enough is left alone, and the plan needs no daemon")
{
    Site site;
    auto daemon = site.start_synced();
    site.service().world()->reset_audit();
    const auto dry = site.ctl_done({"sync", "antwerp", "--dry-run"});
    INFO(dry);
    CHECK(dry.find("antwerp recipes: full: without `incremental` every pass walks the whole list") == 0);
    CHECK(dry.find("the first is GET /api/v2/library/recipes/?") != std::string::npos);
    const auto young = site.ctl_done({"sync", "antwerp", "recipes", "--if-older", "1h"});
    CHECK(young.find("recent enough") != std::string::npos);
    CHECK(site.service().world()->audit_report().total == 0);
    CHECK(site.ctl_done({"sync", "antwerp", "recipes", "--if-older", "0s"}).find("0 added") != std::string::npos);
    CHECK(site.service().world()->audit_report().total > 0);
    CHECK(daemon->stop().code == 0);
    const auto plan = site.ctl_done({"plan"});
    INFO(plan);
    CHECK(plan.find("antwerp recipes  full") != std::string::npos);
    CHECK(plan.find("earlier passes") != std::string::npos);
}

TEST_CASE("the block that probe prints works when it is pasted")
{
    Site site({.world = {.rows_of = {{"library/ingredients", 450}}}});
    auto daemon = site.start_synced();
    const auto probed = site.ctl_done({"probe", "antwerp", "/api/v2/library/ingredients/"});
    INFO(probed);
    CHECK(probed.find("#   kind: counted, 450 rows\n") != std::string::npos);
    CHECK(probed.find("a wrong token: refused") != std::string::npos);
    CHECK(probed.find("scope: the token set has accounts library") != std::string::npos);
    // Comments and all, as a person would.
    site.write_config(site.config_text({"antwerp"}) + "\n" + probed);
    site.ctl_done({"config", "check"});
    site.ctl_done({"reload"});
    site.ctl_done({"sync", "antwerp", "ingredients"});
    CHECK(site.sql("SELECT count(*) FROM ingredients") == "450");
    site.ctl_done({"sync", "antwerp", "ingredients"});
    CHECK(site.sql("SELECT mode FROM _runs WHERE resource = 'ingredients' ORDER BY started_at DESC LIMIT 1") ==
          "incremental");
    const auto nowhere = site.ctl({"probe", "antwerp", "/api/v2/nothing/"});
    CHECK(nowhere.code == 1);
    CHECK(nowhere.out.find("404") != std::string::npos);
}

TEST_CASE("the block for a list that is configured changes nothing when it is pasted in place of the one that is there")
{
    Site site({.world = {.rows_of = {{"sales/lines", 40}}}});
    const std::string sales = R"([resource.sales]
path = "/api/v2/sales/lines/"
every = "2h"
ordering = "-id"
keep_deleted = true
late_after = "9h"
window = { from = "date__gte", to = "date__lt", field = "date", step = "90d", since = "2023-01-01" }
full = { at = ["04:30"], back = "30d" }
settle = { every = "90d" }
detail = { url_field = "url", refresh_within = "9d" }
)";
    site.write_config(site.config_text({"antwerp"}) + "\n" + sales);
    auto daemon = site.start_synced();
    const auto before = site.ctl_done({"config", "show"});
    const auto probed = site.ctl_done({"probe", "antwerp", "/api/v2/sales/lines/"});
    INFO(probed);
    site.write_config(site.config_text({"antwerp"}) + "\n" + probed);
    CHECK(site.ctl_done({"config", "show"}) == before);
}

TEST_CASE("the name that probe gives is not even that of a list which the library leaves out")
{
    Site site;
    const std::string others = "resources = [\"*\", \"-ingredients\"]\n[resource.ingredients]\npath = "
                               "\"/api/v2/library/units/\"\n[resource.units_deleted]\npath = "
                               "\"/api/v2/library/units/\"\nenabled = false\n";
    site.write_config(site.config_text({"antwerp"}) + others);
    auto daemon = site.start_synced();
    const auto probed = site.ctl_done({"probe", "antwerp", "/api/v2/library/ingredients/", "/api/v2/library/units/"});
    INFO(probed);
    CHECK(probed.find("[resource.ingredients_2]\n") != std::string::npos);
    CHECK(probed.find("[resource.units_2]\n") != std::string::npos);
    site.write_config(site.config_text({"antwerp"}) + others + "\n" + probed);
    site.ctl_done({"config", "check"});
}

TEST_CASE("the tools know lists by parent: what they cost, what is in them, and how they are configured")
{
    Site site({.world = {.rows_of = {{"inventory/outlets", 4}}}});
    const std::string outlets = "[resource.outlets]\npath = \"/api/v2/inventory/outlets/\"\nevery = \"1h\"\n";
    const std::string path = "/api/v2/inventory/outlets/{outlet_id}/stock/";
    const std::string stock = "[resource.stock]\npath = \"" + path + "\"\nevery = \"1h\"\nparent = { resource = " +
                              "\"outlets\", key = \"id\", as = \"outlet_id\" }\n";
    site.write_config(site.config_text({"antwerp"}) + "\n" + outlets + stock);
    auto daemon = site.start_synced();
    CHECK(site.sql("SELECT count(*) FROM stock") == "80");
    site.service().world()->reset_audit();
    const auto dry = site.ctl_done({"sync", "antwerp", "stock", "--dry-run"});
    INFO(dry);
    CHECK(dry.find("antwerp stock: full: 4 lists, one for each row of outlets: ") == 0);
    CHECK(dry.find("about 4 requests") != std::string::npos);
    CHECK(dry.find("the first is GET /api/v2/inventory/outlets/") != std::string::npos);
    CHECK(site.service().world()->audit_report().total == 0);
    const auto plan = site.ctl_done({"plan"});
    INFO(plan);
    CHECK(plan.find("antwerp stock    full    every 1h         4") != std::string::npos);
    const auto equal = site.ctl_done({"verify", "antwerp", "stock", "--sample", "10"});
    CHECK(equal.find("10 rows compared: 10 equal, 0 not") != std::string::npos);
    const auto key = site.sql("SELECT '[' || outlet_id || ',' || max(id) || ']' FROM stock");
    CHECK(site.ctl_done({"verify", "antwerp", "stock", key}).find("1 equal") != std::string::npos);
    const auto story = site.ctl_done({"explain", "antwerp", "stock", key});
    INFO(story);
    CHECK(story.find("list of outlet_id ") != std::string::npos);
    CHECK(site.ctl_done({"explain", "antwerp", "stock"}).find("lists: 4, one for each outlet_id") != std::string::npos);
    // One list stands for all of them.
    site.service().world()->reset_audit();
    const auto probed = site.ctl_done({"probe", "antwerp", path});
    INFO(probed);
    CHECK(site.service().world()->audit_report().total <= 12);
    CHECK(probed.find("\npath = \"" + path + "\"\n") != std::string::npos);
    CHECK(probed.find("\nparent = { resource = \"outlets\", key = \"id\", as = \"outlet_id\" }\n") !=
          std::string::npos);
    site.write_config(site.config_text({"antwerp"}) + "\n" + outlets + probed);
    site.ctl_done({"config", "check"});
    site.ctl_done({"reload"});
    site.ctl_done({"sync", "antwerp", "stock"});
    CHECK(site.sql("SELECT count(*) FROM stock") == "80");
    CHECK(site.ctl_done({"probe", "antwerp", "--configured"}).find("[resource.stock]") != std::string::npos);
}
