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
