// The controls at /sim/, by which other processes do what tests do in C++.
#include "sim/ask.hpp"
#include "sim/files.hpp"
#include "sim/json.hpp"
#include "sim_wire/raw_client.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace shelfd::sim {

namespace {

struct Stand {
    Stand()
    {
        ServerOptions options;
        options.world.libraries = 2;
        options.world.rows = 25;
        server = Server::start(std::move(options)).value();
    }
    Result<std::string> get_control(const std::string& what) const
    {
        return ask({server->url() + what, "GET", "", ""});
    }
    Result<std::string> post(const std::string& verb, const std::string& json) const
    {
        return ask({server->url() + "/sim/" + verb, "POST", json, ""});
    }
    std::size_t recipes() const { return server->world()->row_count("lib01", "library/recipes"); }

    std::unique_ptr<Server> server;
};

}  // namespace

TEST_CASE("rows can be added, changed and deleted from outside")
{
    const Stand stand;
    CHECK(stand.post("rows", R"({"path":"library/recipes","add":3})").value() == R"({"rows":28})");
    CHECK(stand.post("rows", R"({"path":"library/recipes","delete":[1,2]})").value() == R"({"rows":26})");
    CHECK(stand.post("rows", R"({"path":"library/recipes","delete":1})").value() == R"({"rows":25})");
    CHECK(stand.post("rows", R"({"path":"library/recipes","change":[{"id":3,"name":"Näme","fresh":1e400}]})"));
    CHECK(stand.post("rows", R"({"path":"library/recipes","add":[{"id":777,"name":"mine"}]})"));
    const auto rows = stand.get_control("/sim/rows?path=library/recipes").value();
    CHECK(rows.find(R"("name":"Näme")") != std::string::npos);
    CHECK(rows.find(R"("fresh":1e400)") != std::string::npos);
    CHECK(rows.starts_with(
        fmt::format(R"([{{"id":777,"url":"{}/api/v2/library/recipes/777/","name":"mine")", stand.server->url())));
    CHECK(stand.server->world()->row_count("lib02", "library/recipes") == 25);
}

TEST_CASE("a change marks the row as modified unless it says when")
{
    const Stand stand;
    const auto modified = [&] {
        const auto rows = parse_json(stand.get_control("/sim/rows?path=library/recipes").value()).value();
        return rows.items.back().find("modified_date")->text;
    };
    const auto before = modified();
    REQUIRE(stand.post(
        "rows",
        fmt::format(R"({{"path":"library/recipes","change":[{{"id":1,"total":1,"modified_date":"{}"}}]}})", before)));
    CHECK(modified() == before);
    REQUIRE(stand.post("rows", R"({"path":"library/recipes","change":[{"id":1,"total":2}]})"));
    CHECK(modified() > before);
}

TEST_CASE("an edit after page K waits for the next walk to get there")
{
    const Stand stand;
    const auto token = stand.server->view_set("lib01").access_token;
    const auto page = [&](int number) {
        return ask({fmt::format("{}/api/v2/library/recipes/?page={}", stand.server->url(), number), "GET", "", token});
    };
    REQUIRE(page(2));
    REQUIRE(stand.post("rows", R"({"path":"library/recipes","delete":5,"after_page":2})"));
    REQUIRE(page(2));  // of the walk that was under way
    CHECK(stand.recipes() == 25);
    REQUIRE(page(1));
    CHECK(stand.recipes() == 25);
    REQUIRE(page(2));
    CHECK(stand.recipes() == 20);
    REQUIRE(page(1));
    REQUIRE(page(2));
    CHECK(stand.recipes() == 20);
}

TEST_CASE("sets are issued, expired, broken and revoked from outside")
{
    const Stand stand;
    const auto issued = stand.post("sets", R"({"library":"lib02","scope":"sales"})").value();
    CHECK(member(issued, "scope") == "sales");
    CHECK(stand.server->view_set("lib02", 1).access_token == member(issued, "access_token"));
    CHECK(stand.post("expire", R"({"library":"lib02","set":1})"));
    CHECK_FALSE(stand.server->view_set("lib02", 1).access_lives);
    CHECK(stand.server->view_set("lib02", 1).refresh_lives);
    CHECK(stand.post("drop-access-row", R"({"library":"lib02","set":1})"));
    CHECK_FALSE(stand.server->view_set("lib02", 1).refresh_lives);
    CHECK(stand.post("revoke", R"({"library":"lib02"})"));
    CHECK_FALSE(stand.server->view_set("lib02", 0).access_lives);
    CHECK(stand.server->view_set("lib01").access_lives);
}

TEST_CASE("a personal token follows its user to another library")
{
    const Stand stand;
    const auto token = stand.server->view_set("lib01").access_token;
    REQUIRE(stand.post("access", R"({"library":"lib01","acts_on":"lib02"})"));
    const auto answer = ask({stand.server->url() + "/api/v2/accounts/libraries/current/", "GET", "", token});
    CHECK(answer.value() == R"({"id":43,"name":"Kitchen Bruges"})");
}

TEST_CASE("policy, throttle, lists and clock are changed from outside")
{
    const Stand stand;
    REQUIRE(stand.post("policy", R"({"grace":120,"family_revocation":true,"expires_in":60,"consent":"automatic"})"));
    CHECK(stand.server->world()->tokens.policy.grace == std::chrono::seconds(120));
    CHECK(stand.server->world()->tokens.policy.family_revocation);
    CHECK(stand.server->world()->tokens.policy.expires_in == std::chrono::seconds(60));
    CHECK(stand.server->world()->consent == Consent::automatic);
    REQUIRE(stand.post("throttle", R"({"limit":5,"headers":"combined","retry_after":"date"})"));
    CHECK(stand.server->world()->throttle.limit == 5U);
    REQUIRE(stand.post("throttle", R"({"limit":null})"));
    CHECK_FALSE(stand.server->world()->throttle.limit);
    REQUIRE(stand.post("lists",
                       R"({"path":"library/recipes","envelope":"cursor","ignores":["filters"],"count_offset":-2})"));
    CHECK(stand.server->world()->quirks("library/recipes").envelope == Envelope::cursor);
    CHECK(stand.server->world()->quirks("library/recipes").count_offset == -2);
    REQUIRE(stand.post("clock", R"({"advance":700000})"));
    CHECK_FALSE(stand.server->view_set("lib01").access_lives);
}

TEST_CASE("the audit tells of the service and not of the controls")
{
    const Stand stand;
    const auto token = stand.server->view_set("lib01").access_token;
    REQUIRE(ask({stand.server->url() + "/api/v2/library/recipes/", "GET", "", token}));
    REQUIRE(stand.get_control("/sim/libraries"));
    const auto audit = stand.get_control("/sim/audit").value();
    CHECK(member(audit, "total") == "1");
    CHECK(pick_field(audit, "requests.0.path").value() == "/api/v2/library/recipes/");
    CHECK(pick_field(audit, "requests.0.generation").value() == "1");
    CHECK(pick_field(audit, "busiest_minute.lib01").value() == "1");
    REQUIRE(stand.post("reset-audit", "{}"));
    CHECK(member(stand.get_control("/sim/audit").value(), "total") == "0");
}

TEST_CASE("every secret ever issued is told")
{
    const Stand stand;
    const auto issued = stand.post("sets", "{}").value();
    const auto secrets = stand.get_control("/sim/secrets").value();
    auto& library = stand.server->world()->library("lib02");
    for (const auto& secret : {member(issued, "access_token"), member(issued, "refresh_token"), library.client_secret,
                               stand.server->view_set("lib02").refresh_token}) {
        CHECK(secrets.find("\"" + secret + "\"") != std::string::npos);
    }
}

TEST_CASE("controls that cannot be are refused with a reason")
{
    const Stand stand;
    for (const auto& [verb, json] : {std::pair("rows", R"({"path":"no/list","add":1})"),
                                     std::pair("expire", R"({"library":"lib99"})"), std::pair("expire", R"({"set":9})"),
                                     std::pair("expire", R"({"lib":"lib01"})"), std::pair("faults", R"({"pth":"/"})"),
                                     std::pair("policy", R"({"consent":"perhaps"})"), std::pair("rows", "{")}) {
        INFO(verb << " " << json);
        const auto answer = stand.post(verb, json);
        REQUIRE_FALSE(answer);
        CHECK(answer.error().status == 400);
    }
    CHECK(stand.get_control("/sim/nothing").error().status == 404);
}

TEST_CASE("credentials are left for other programs, secrets for their owner alone")
{
    const Stand stand;
    const TempDirectory temporary;
    const std::filesystem::path directory = temporary.path();
    {
        auto world = stand.server->world();
        REQUIRE(write_credentials(*world, stand.server->url(), directory));
    }
    const auto library = directory / "lib02";
    CHECK(read_file(library / "library_id").value() == "43\n");
    CHECK(read_file(directory / "url").value() == stand.server->url() + "\n");
    const auto token = read_file(library / "token.json").value();
    CHECK(member(token, "access_token") == stand.server->view_set("lib02").access_token);
    CHECK(member(token, "refresh_token") == stand.server->view_set("lib02").refresh_token);
    for (const char* secret : {"client_secret", "token.json"}) {
        CHECK(std::filesystem::status(library / secret).permissions() ==
              (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    }
}

}  // namespace shelfd::sim
