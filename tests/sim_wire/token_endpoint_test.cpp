// What django-oauth-toolkit 1.7.0 over oauthlib 3.2.2 was seen to answer, byte for byte.
#include "sim/base64.hpp"
#include "sim_wire/raw_client.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

namespace shelfd::sim {

namespace {

const std::vector<std::string> never_cached{"Cache-Control: no-store", "Pragma: no-cache"};

std::string error_json(std::string_view status_line, std::string_view body, std::vector<std::string> more = {})
{
    auto headers = never_cached;
    headers.insert(headers.end(), more.begin(), more.end());
    return expected(status_line, "application/json", body, headers);
}

std::string token_json(std::string_view access, std::string_view refresh)
{
    return fmt::format("{{\"access_token\": \"{}\", \"expires_in\": 604800, \"token_type\": \"Bearer\", "
                       "\"scope\": \"accounts library\", \"refresh_token\": \"{}\"}}",
                       access, refresh);
}

const std::string invalid_grant = error_json("400 Bad Request", R"({"error": "invalid_grant"})");
const std::string invalid_client = error_json("401 Unauthorized", R"({"error": "invalid_client"})",
                                              {"WWW-Authenticate: Bearer error=\"invalid_client\""});
const std::string unsupported = error_json("400 Bad Request", R"({"error": "unsupported_grant_type"})");
const std::string page_500 =
    expected("500 Internal Server Error", "text/html",
             "\n<!doctype html>\n<html lang=\"en\">\n<head>\n  <title>Server Error (500)</title>\n"
             "</head>\n<body>\n  <h1>Server Error (500)</h1><p></p>\n</body>\n</html>\n");

// Two libraries, each with one set of the scopes "accounts library", and what a request is made of.
struct Stand {
    explicit Stand(TokenPolicy policy = {})
    {
        ServerOptions options;
        options.world.libraries = 2;
        options.world.rows = 3;
        options.world.scope = "accounts library";
        options.world.tokens = policy;
        server = Server::start(std::move(options)).value();
        auto& library = server->world()->library("lib01");
        client_id = library.client_id;
        client_secret = library.client_secret;
        first = server->view_set("lib01");
    }

    std::string credentials() const { return fmt::format("client_id={}&client_secret={}", client_id, client_secret); }
    std::string refresh_form(std::string_view token) const
    {
        return fmt::format("grant_type=refresh_token&refresh_token={}&{}", token, credentials());
    }
    std::string post(std::string_view form, const std::vector<std::string>& headers = {}) const
    {
        return answer_to(*server, post_form("/oauth/token/", form, headers)).bytes();
    }
    std::string refresh(std::string_view token) const { return post(refresh_form(token)); }
    int status_with(std::string_view access) const
    {
        const auto path = "/api/v2/accounts/libraries/current/";
        return answer_to(*server, get(path, {bearer(access)})).status();
    }
    bool first_still_works() const
    {
        const auto now = server->view_set("lib01");
        return now.generation == 1 && now.refresh_lives && status_with(first.access_token) == 200;
    }

    std::unique_ptr<Server> server;
    std::string client_id;
    std::string client_secret;
    SetView first;
};

}  // namespace

TEST_CASE("a refresh answers with a whole new set")
{
    const Stand stand;
    const auto answer = stand.refresh(stand.first.refresh_token);
    const auto now = stand.server->view_set("lib01");
    CHECK(answer ==
          expected("200 OK", "application/json", token_json(now.access_token, now.refresh_token), never_cached));
    CHECK(now.generation == 2);
    CHECK(now.access_token.size() == 30);
    CHECK(now.refresh_token.size() == 30);
    CHECK(now.access_token != stand.first.access_token);
    CHECK(now.refresh_token != stand.first.refresh_token);
}

TEST_CASE("a refresh takes the credentials by HTTP Basic, and by the body when the header is wrong")
{
    const Stand stand;
    const auto basic = [&](std::string_view secret) {
        return "Authorization: Basic " + encode_base64(fmt::format("{}:{}", stand.client_id, secret));
    };
    const auto form = "grant_type=refresh_token&refresh_token=" + stand.first.refresh_token;
    CHECK(stand.post(form, {basic("wrong")}) == invalid_client);
    CHECK(stand.post(form, {basic(stand.client_secret)}).starts_with("HTTP/1.1 200 OK\r\n"));
    const auto second = stand.server->view_set("lib01");
    CHECK(stand.post(stand.refresh_form(second.refresh_token), {basic("wrong")}).starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_CASE("what spends no token is refused as the service refuses it")
{
    const Stand stand;
    const auto token = stand.first.refresh_token;
    const auto other = stand.server->view_set("lib02");
    struct Case {
        const char* name;
        std::string form;
        std::string answer;
    };
    const auto missing_token = error_json(
        "400 Bad Request", R"({"error": "invalid_request", "error_description": "Missing refresh token parameter."})");
    const auto unauthorized = error_json("400 Bad Request", R"({"error": "unauthorized_client"})");
    const std::vector<Case> rows{
        {"unknown refresh token", stand.refresh_form("nobody-has-this"), invalid_grant},
        {"empty refresh token", stand.refresh_form(""), invalid_grant},
        {"refresh token of another client", stand.refresh_form(other.refresh_token), invalid_grant},
        {"access token instead of a refresh token", stand.refresh_form(stand.first.access_token), invalid_grant},
        {"wrong secret",
         fmt::format("grant_type=refresh_token&refresh_token={}&client_id={}&client_secret=x", token, stand.client_id),
         invalid_client},
        {"unknown client", fmt::format("grant_type=refresh_token&refresh_token={}&client_id=x&client_secret=x", token),
         invalid_client},
        {"no client", "grant_type=refresh_token&refresh_token=" + token, invalid_client},
        {"refresh_token missing", "grant_type=refresh_token&" + stand.credentials(), missing_token},
        {"grant_type missing", fmt::format("refresh_token={}&{}", token, stand.credentials()), unsupported},
        {"grant password", "grant_type=password&username=a&password=b&" + stand.credentials(), unauthorized},
        {"grant client_credentials", "grant_type=client_credentials&" + stand.credentials(), unauthorized},
        {"wider scope", stand.refresh_form(token) + "&scope=accounts+library+sales",
         error_json("400 Bad Request", R"({"error": "invalid_scope"})")},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        CHECK(stand.post(row.form) == row.answer);
        CHECK(stand.first_still_works());
    }
}

TEST_CASE("requests of another shape never reach the grant")
{
    const Stand stand;
    const auto form = stand.refresh_form(stand.first.refresh_token);
    const auto type = std::string("Content-Type: application/x-www-form-urlencoded");
    const auto chunked =
        fmt::format("POST /oauth/token/ HTTP/1.1\r\nHost: a\r\n{}\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "{:x}\r\n{}\r\n0\r\n\r\n",
                    type, form.size(), form);
    struct Case {
        const char* name;
        std::string request;
        std::string answer;
    };
    const std::vector<Case> rows{
        {"JSON body",
         request("POST", "/oauth/token/", {"Content-Type: application/json"}, "{\"grant_type\":\"refresh_token\"}"),
         unsupported},
        {"chunked body", chunked, unsupported},
        {"parameters in the query", post_form("/oauth/token/?" + form, ""), page_500},
        {"no slash at the end", post_form("/oauth/token", form),
         expected("301 Moved Permanently", "text/html; charset=utf-8", "", {"Location: /oauth/token/"})},
        {"GET", get("/oauth/token/"),
         expected("405 Method Not Allowed", "text/html; charset=utf-8", "", {"Allow: POST, OPTIONS"})},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        CHECK(answer_to(*stand.server, row.request).bytes() == row.answer);
        CHECK(stand.first_still_works());
    }
    CHECK(page_500.ends_with("</html>\n"));
    CHECK(page_500.find("Content-Length: 145\r\n") != std::string::npos);
}

TEST_CASE("a refresh kills the old access token at once, with the words for an invalid one")
{
    const Stand stand;
    CHECK(stand.status_with(stand.first.access_token) == 200);
    stand.refresh(stand.first.refresh_token);
    const auto answer =
        answer_to(*stand.server, get("/api/v2/accounts/libraries/current/", {bearer(stand.first.access_token)}));
    CHECK(answer.status() == 401);
    CHECK(answer.header("WWW-Authenticate") == "Bearer realm=\"api\",error=\"invalid_token\","
                                               "error_description=\"The access token is invalid.\"");
    CHECK(stand.status_with(stand.server->view_set("lib01").access_token) == 200);
}

TEST_CASE("a spent refresh token is refused and leaves the new set alone")
{
    const Stand stand;
    stand.refresh(stand.first.refresh_token);
    CHECK(stand.refresh(stand.first.refresh_token) == invalid_grant);
    const auto now = stand.server->view_set("lib01");
    CHECK(now.generation == 2);
    CHECK(now.refresh_lives);
    CHECK(stand.status_with(now.access_token) == 200);
    CHECK(stand.server->audit_report().reuses_of_spent == 1);
}

TEST_CASE("with family revocation a spent refresh token takes the whole chain down")
{
    const Stand stand(TokenPolicy{.family_revocation = true});
    stand.refresh(stand.first.refresh_token);
    CHECK(stand.refresh(stand.first.refresh_token) == invalid_grant);
    const auto now = stand.server->view_set("lib01");
    CHECK_FALSE(now.refresh_lives);
    CHECK(stand.status_with(now.access_token) == 401);
    CHECK(stand.refresh(now.refresh_token) == invalid_grant);
}

TEST_CASE("within the grace a spent refresh token answers with the very same set, after it no more")
{
    const Stand stand(TokenPolicy{.grace = std::chrono::seconds(120)});
    const auto once = stand.refresh(stand.first.refresh_token);
    stand.server->world()->clock.advance(std::chrono::seconds(60));
    CHECK(stand.refresh(stand.first.refresh_token) == once);
    stand.server->world()->clock.advance(std::chrono::seconds(61));
    CHECK(stand.refresh(stand.first.refresh_token) == invalid_grant);
    CHECK(stand.server->view_set("lib01").generation == 2);
}

TEST_CASE("without rotation the answer names no refresh token and the old one stays good")
{
    const Stand stand(TokenPolicy{.rotation = false});
    for (int turn = 0; turn < 2; ++turn) {
        const auto answer = stand.refresh(stand.first.refresh_token);
        CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
        CHECK(answer.find("refresh_token") == std::string::npos);
    }
    CHECK(stand.server->view_set("lib01").generation == 3);
    CHECK(stand.status_with(stand.first.access_token) == 401);
}

TEST_CASE("a narrower scope makes a set that cannot be widened again")
{
    const Stand stand;
    CHECK(stand.post(stand.refresh_form(stand.first.refresh_token) + "&scope=library").starts_with("HTTP/1.1 200"));
    const auto now = stand.server->view_set("lib01");
    CHECK(now.scope == "library");
    CHECK(stand.status_with(now.access_token) == 403);
    CHECK(stand.post(stand.refresh_form(now.refresh_token) + "&scope=accounts+library") ==
          error_json("400 Bad Request", R"({"error": "invalid_scope"})"));
}

TEST_CASE("a set whose access token row was deleted alone answers 500 for good")
{
    const Stand stand;
    stand.server->world()->drop_access_row("lib01");
    CHECK(stand.status_with(stand.first.access_token) == 401);
    for (int turn = 0; turn < 3; ++turn) {
        CHECK(stand.refresh(stand.first.refresh_token) == page_500);
    }
    CHECK(stand.server->audit_report().refreshes == 0);
}

TEST_CASE("a set can be refreshed after its access token expired, and by a deactivated user")
{
    const Stand stand;
    stand.server->world()->clock.advance(std::chrono::hours(24 * 8));
    CHECK(stand.status_with(stand.first.access_token) == 401);
    stand.server->world()->set("lib01").active = false;
    CHECK(stand.refresh(stand.first.refresh_token).starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(stand.status_with(stand.server->view_set("lib01").access_token) == 403);
}

TEST_CASE("a second set of the same library is a chain of its own")
{
    const Stand stand;
    const auto second = stand.server->world()->issue_set("lib01", "accounts library");
    stand.refresh(stand.first.refresh_token);
    CHECK(stand.status_with(second.access) == 200);
    CHECK(stand.refresh(*second.refresh).starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(stand.server->view_set("lib01", 0).generation == 2);
    CHECK(stand.server->view_set("lib01", 1).generation == 2);
}

TEST_CASE("a revoked set is refused like a spent one")
{
    const Stand stand;
    stand.server->world()->revoke_set("lib01");
    CHECK(stand.refresh(stand.first.refresh_token) == invalid_grant);
    CHECK(stand.status_with(stand.first.access_token) == 401);
}

}  // namespace shelfd::sim
