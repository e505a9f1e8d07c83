// What Django REST Framework 3.14 was seen to answer when it does not answer the question.
#include "sim_wire/raw_client.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

namespace shelfd::sim {

namespace {

const std::string identity = "/api/v2/accounts/libraries/current/";
const std::string recipes = "/api/v2/library/recipes/";

std::string drf(std::string_view status_line, std::string_view body, std::vector<std::string> first = {},
                std::vector<std::string> last = {})
{
    first.insert(first.end(), {"Vary: Accept", "Allow: GET, HEAD, OPTIONS"});
    first.insert(first.end(), last.begin(), last.end());
    return expected(status_line, "application/json", body, first);
}

std::string challenge(std::string_view reason)
{
    return fmt::format("WWW-Authenticate: Bearer realm=\"api\",error=\"invalid_token\",error_description=\"{}\"",
                       reason);
}

std::string unauthorized(const std::string& header)
{
    return drf("401 Unauthorized", R"({"detail":"Authentication credentials were not provided."})", {header});
}

const std::string forbidden =
    drf("403 Forbidden", R"({"detail":"You do not have permission to perform this action."})");
const std::string not_found = drf("404 Not Found", R"({"detail":"Not found."})");
const std::string page_404 =
    expected("404 Not Found", "text/html",
             "\n<!doctype html>\n<html lang=\"en\">\n<head>\n  <title>Not Found</title>\n</head>\n<body>\n"
             "  <h1>Not Found</h1><p>The requested resource was not found on this server.</p>\n</body>\n</html>\n");

struct Stand {
    Stand()
    {
        ServerOptions options;
        options.world.libraries = 2;
        options.world.rows = 12;
        server = Server::start(std::move(options)).value();
        token = server->view_set("lib01").access_token;
    }
    std::string get_with_token(const std::string& target, std::vector<std::string> headers = {}) const
    {
        headers.push_back(bearer(token));
        return answer_to(*server, get(target, headers)).bytes();
    }

    std::unique_ptr<Server> server;
    std::string token;
};

}  // namespace

TEST_CASE("the identity endpoint names the library of the token")
{
    const Stand stand;
    CHECK(stand.get_with_token(identity) == drf("200 OK", R"({"id":42,"name":"Kitchen Antwerp"})"));
}

TEST_CASE("three kinds of 401 have one body and differ in WWW-Authenticate alone")
{
    const Stand stand;
    const auto absent = unauthorized("WWW-Authenticate: Bearer realm=\"api\"");
    const auto ask = [&](const std::vector<std::string>& headers) {
        return answer_to(*stand.server, get(identity, headers)).bytes();
    };
    CHECK(ask({}) == absent);
    CHECK(ask({"Authorization: Token " + stand.token}) == absent);
    CHECK(ask({bearer(stand.token), bearer(stand.token)}) == absent);
    CHECK(ask({bearer("unknown")}) == unauthorized(challenge("The access token is invalid.")));
    stand.server->world()->expire_access("lib01");
    CHECK(ask({bearer(stand.token)}) == unauthorized(challenge("The access token has expired.")));
    stand.server->world()->drop_access_row("lib01");
    CHECK(ask({bearer(stand.token)}) == unauthorized(challenge("The access token is invalid.")));
}

TEST_CASE("the scheme may be in lower case and the token in the query")
{
    const Stand stand;
    CHECK(answer_to(*stand.server, get(identity, {"Authorization: bearer " + stand.token})).status() == 200);
    CHECK(answer_to(*stand.server, get(identity + "?access_token=" + stand.token)).status() == 200);
}

TEST_CASE("a missing scope, a missing permission and an inactive user look alike")
{
    const Stand stand;
    const auto narrow = stand.server->world()->issue_set("lib01", "sales");
    CHECK(answer_to(*stand.server, get(recipes, {bearer(narrow.access)})).bytes() == forbidden);
    stand.server->world()->set("lib01").denied = {"library/recipes"};
    CHECK(stand.get_with_token(recipes) == forbidden);
    CHECK(answer_to(*stand.server, get(identity, {bearer(stand.token)})).status() == 200);
    stand.server->world()->set("lib01").active = false;
    CHECK(stand.get_with_token(identity) == forbidden);
}

TEST_CASE("rows and paths that are not there are told apart by the body")
{
    const Stand stand;
    const auto other = stand.server->view_set("lib02").access_token;
    CHECK(stand.get_with_token(recipes + "999/") == not_found);
    CHECK(stand.get_with_token(recipes + "abc/") == not_found);
    CHECK(answer_to(*stand.server, get(recipes + "1/", {bearer(other)})).bytes() == not_found);
    CHECK(stand.get_with_token(recipes + "1/").starts_with("HTTP/1.1 200 OK"));
    CHECK(stand.get_with_token("/api/v2/library/nothing/") == page_404);
    CHECK(stand.get_with_token("/elsewhere") == page_404);
    CHECK(page_404.find("Content-Length: 179\r\n") != std::string::npos);
}

TEST_CASE("writes, missing slashes and unwanted media types are refused")
{
    const Stand stand;
    const auto written = answer_to(*stand.server, request("POST", recipes, {bearer(stand.token)}, "{}"));
    CHECK(written.bytes() == drf("405 Method Not Allowed", R"({"detail":"Method \"POST\" not allowed."})"));
    CHECK(stand.get_with_token("/api/v2/library/recipes?page_size=2") ==
          expected("301 Moved Permanently", "text/html; charset=utf-8", "",
                   {"Location: /api/v2/library/recipes/?page_size=2"}));
    CHECK(stand.get_with_token(recipes, {"Accept: application/xml"}) ==
          drf("406 Not Acceptable", R"({"detail":"Could not satisfy the request Accept header."})"));
}

TEST_CASE("a web browser gets a page, everybody else JSON")
{
    const Stand stand;
    const auto type_for = [&](const std::string& accept) {
        const auto headers = std::vector<std::string>{bearer(stand.token), "Accept: " + accept};
        return answer_to(*stand.server, get(recipes, headers)).header("Content-Type");
    };
    CHECK(type_for("text/html,application/xhtml+xml,*/*;q=0.8") == "text/html; charset=utf-8");
    CHECK(type_for("text/html, application/json") == "application/json");
    CHECK(type_for("*/*") == "application/json");
    CHECK(type_for("application/*") == "application/json");
}

TEST_CASE("beyond the limit a user is throttled, in seconds or by a date")
{
    const Stand stand;
    stand.server->world()->clock.freeze();
    stand.server->world()->throttle = {.limit = 2};
    CHECK(stand.get_with_token(identity).starts_with("HTTP/1.1 200"));
    CHECK(stand.get_with_token(identity).starts_with("HTTP/1.1 200"));
    CHECK(stand.get_with_token(identity) ==
          drf("429 Too Many Requests", R"({"detail":"Request was throttled. Expected available in 60 seconds."})", {},
              {"Retry-After: 60"}));
    const auto other = stand.server->view_set("lib02").access_token;
    CHECK(answer_to(*stand.server, get(identity, {bearer(other)})).status() == 200);
    stand.server->world()->throttle.retry_after = RetryAfter::http_date;
    const auto dated = answer_to(*stand.server, get(identity, {bearer(stand.token)}));
    const auto until = Instant::from_http_date(dated.header("Retry-After"));
    REQUIRE(until);
    const auto left = *until - stand.server->world()->now();
    CHECK(left > std::chrono::seconds(50));
    CHECK(left <= std::chrono::seconds(62));
    stand.server->world()->clock.advance(std::chrono::seconds(61));
    CHECK(stand.get_with_token(identity).starts_with("HTTP/1.1 200"));
    CHECK(stand.server->audit_report().throttled == 2);
}

TEST_CASE("the rate limit is told in each spelling of the field")
{
    const Stand stand;
    stand.server->world()->clock.freeze();
    struct Case {
        const char* name;
        RateHeaders headers;
        std::string remaining_header;
        std::string remaining;
    };
    const std::vector<Case> rows{{"X-RateLimit", RateHeaders::x_ratelimit, "X-RateLimit-Remaining", "99"},
                                 {"RateLimit", RateHeaders::ratelimit, "RateLimit-Remaining", "98"},
                                 {"combined", RateHeaders::combined, "RateLimit", "limit=100, remaining=97, reset=60"}};
    for (const auto& row : rows) {
        INFO(row.name);
        stand.server->world()->throttle = {.limit = 100, .headers = row.headers};
        const auto answer = answer_to(*stand.server, get(identity, {bearer(stand.token)}));
        CHECK(answer.header(row.remaining_header) == row.remaining);
    }
}

}  // namespace shelfd::sim
