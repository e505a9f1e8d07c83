// The authorization code flow, introspection and revocation.
#include "sim/base64.hpp"
#include "sim/message.hpp"
#include "sim_wire/raw_client.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

namespace shelfd::sim {

namespace {

const std::string page = "http://api.example.com/auth-code/";

struct Stand {
    Stand()
    {
        ServerOptions options;
        options.world.libraries = 1;
        options.world.rows = 1;
        options.world.scope = "accounts library";
        server = Server::start(std::move(options)).value();
        server->world()->consent = Consent::automatic;
        client_id = server->world()->library("lib01").client_id;
        client_secret = server->world()->library("lib01").client_secret;
    }

    std::string location(const std::string& query) const
    {
        const auto answer = answer_to(*server, get("/oauth/authorize/?" + query));
        INFO(answer.bytes());
        CHECK(answer.status() == 302);
        return answer.header("Location");
    }
    std::string question(const std::string& scope = "accounts+library") const
    {
        return fmt::format("response_type=code&client_id={}&scope={}&state=xyz", client_id, scope);
    }
    std::string code(const std::string& more = "") const
    {
        const auto target = location(question() + more);
        return find(parse_query(target.substr(target.find('?') + 1)), "code").value_or("");
    }
    std::string form(const std::string& code_text, const std::string& redirect_uri = page) const
    {
        return fmt::format("grant_type=authorization_code&code={}&redirect_uri={}&client_id={}&client_secret={}",
                           code_text, encode_percent(redirect_uri), client_id, client_secret);
    }
    RawAnswer redeem(const std::string& text) const { return answer_to(*server, post_form("/oauth/token/", text)); }

    std::unique_ptr<Server> server;
    std::string client_id;
    std::string client_secret;
};

}  // namespace

TEST_CASE("a code is redeemed once, within its minute, for a set of its own")
{
    const Stand stand;
    const auto code = stand.code();
    CHECK(code.size() == 30);
    const auto answer = stand.redeem(stand.form(code));
    CHECK(answer.status() == 200);
    CHECK(member(answer.body, "access_token").size() == 30);
    CHECK(member(answer.body, "scope") == "accounts library");
    CHECK(member(answer.body, "expires_in") == "604800");
    CHECK(stand.redeem(stand.form(code)).body == R"({"error": "invalid_grant"})");
    CHECK(stand.redeem(stand.form("unknown")).body == R"({"error": "invalid_grant"})");
    const auto late = stand.code();
    stand.server->world()->clock.advance(std::chrono::seconds(60));
    CHECK(stand.redeem(stand.form(late)).body == R"({"error": "invalid_grant"})");
    CHECK(stand.server->audit_report().exchanges == 1);
}

TEST_CASE("the authorization page sends the browser back with what the person decided")
{
    const Stand stand;
    CHECK(stand.location(stand.question()).starts_with(page + "?code="));
    CHECK(stand.location(stand.question()).ends_with("&state=xyz"));
    CHECK(stand.location(stand.question("kitchen")) == page + "?error=invalid_scope&state=xyz");
    stand.server->world()->consent = Consent::refused;
    CHECK(stand.location(stand.question()) == page + "?error=access_denied&state=xyz");
    stand.server->world()->consent = Consent::signed_out;
    CHECK(
        stand.location(stand.question()).starts_with("/accounts/login/?next=%2Foauth%2Fauthorize%2F%3Fresponse_type"));
}

TEST_CASE("a person may consent by the form")
{
    const Stand stand;
    stand.server->world()->consent = Consent::form;
    const auto target = "/oauth/authorize/?" + stand.question();
    const auto shown = answer_to(*stand.server, get(target));
    CHECK(shown.status() == 200);
    CHECK(shown.body.find("name=\"allow\" value=\"Authorize\"") != std::string::npos);
    const auto allowed = answer_to(*stand.server, post_form(target, "allow=Authorize"));
    CHECK(allowed.header("Location").starts_with(page + "?code="));
    const auto cancelled = answer_to(*stand.server, post_form(target, ""));
    CHECK(cancelled.header("Location") == page + "?error=access_denied&state=xyz");
}

TEST_CASE("an unknown client or address never leads back to it")
{
    const Stand stand;
    CHECK(answer_to(*stand.server, get("/oauth/authorize/?response_type=code&client_id=x")).status() == 400);
    const std::string elsewhere = "&redirect_uri=http%3A%2F%2F127.0.0.1%3A8123%2F";
    CHECK(answer_to(*stand.server, get("/oauth/authorize/?" + stand.question() + elsewhere)).status() == 400);
    stand.server->world()->library("lib01").redirect_uris = {"http://127.0.0.1:8123/"};
    const auto code = stand.code(elsewhere);
    CHECK(stand.redeem(stand.form(code)).status() == 400);
    CHECK(stand.redeem(stand.form(code, "http://127.0.0.1:8123/")).status() == 200);
}

TEST_CASE("PKCE binds a code to its verifier")
{
    const Stand stand;
    // The example of RFC 7636, appendix B.
    const std::string verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const std::string challenge =
        "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256";
    const auto code = stand.code(challenge);
    CHECK(stand.redeem(stand.form(code)).status() == 400);
    CHECK(stand.redeem(stand.form(code) + "&code_verifier=wrong").body == R"({"error": "invalid_grant"})");
    CHECK(stand.redeem(stand.form(code) + "&code_verifier=" + verifier).status() == 200);
}

TEST_CASE("introspection tells a client of its token and nobody else of anything")
{
    const Stand stand;
    const auto set = stand.server->view_set("lib01");
    const auto basic = "Authorization: Basic " + encode_base64(stand.client_id + ":" + stand.client_secret);
    const auto ask = [&](const std::string& token, const std::vector<std::string>& headers) {
        return answer_to(*stand.server, post_form("/oauth/introspect/", "token=" + token, headers));
    };
    const auto answer = ask(set.access_token, {basic});
    CHECK(answer.body == fmt::format("{{\"active\": true, \"scope\": \"accounts library\", \"exp\": {}, \"client_id\": "
                                     "\"{}\", \"username\": \"lib01\"}}",
                                     set.expires.seconds(), stand.client_id));
    CHECK(ask(set.refresh_token, {basic}).body == R"({"active": false})");
    CHECK(ask("unknown", {basic}).body == R"({"active": false})");
    CHECK(ask(set.access_token, {}).bytes() == expected("403 Forbidden", "text/html; charset=utf-8", ""));
    CHECK(ask(set.access_token, {bearer(set.access_token)}).status() == 403);
}

TEST_CASE("revocation answers 200 whatever it was given, and does what it says")
{
    const Stand stand;
    const auto set = stand.server->view_set("lib01");
    const auto revoke = [&](const std::string& token) {
        const auto text =
            fmt::format("token={}&client_id={}&client_secret={}", token, stand.client_id, stand.client_secret);
        return answer_to(*stand.server, post_form("/oauth/revoke_token/", text)).bytes();
    };
    const auto gone = expected("200 OK", "text/html; charset=utf-8", "");
    CHECK(revoke("unknown") == gone);
    CHECK(stand.server->view_set("lib01").access_lives);
    CHECK(revoke(set.refresh_token) == gone);
    CHECK_FALSE(stand.server->view_set("lib01").access_lives);
    CHECK_FALSE(stand.server->view_set("lib01").refresh_lives);
}

}  // namespace shelfd::sim
