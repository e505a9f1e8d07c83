// What comes back: answers of the token endpoint, of the canary, and what people paste.
#include "oauth/endpoint/answer_class.hpp"
#include "oauth/endpoint/canary.hpp"
#include "oauth/endpoint/identity_page.hpp"
#include "oauth/endpoint/token_endpoint.hpp"
#include "oauth/set/pasted_set.hpp"
#include "support/catch.hpp"
#include "support/identity_pages.hpp"

#include <algorithm>
#include <random>

namespace shelfd::oauth {
namespace {

const std::string whole = R"({"access_token": "aaa", "expires_in": 604800, "token_type": "Bearer", )"
                          R"("scope": "accounts library", "refresh_token": "rrr"})";

TEST_CASE("every answer of the token endpoint has its class")
{
    struct Row {
        const char* name;
        int status;
        bool complete;
        std::string body;
        AnswerClass answer;
    };
    const std::vector<Row> rows = {
        {"a whole set", 200, true, whole, AnswerClass::granted},
        {"created", 201, true, whole, AnswerClass::granted},
        {"no refresh token", 200, true, R"({"access_token": "aaa"})", AnswerClass::granted},
        {"unknown members", 200, true, R"({"x": [1, {"y": null}], "access_token": "aaa"})", AnswerClass::granted},
        {"empty", 200, true, "", AnswerClass::unclear},
        {"empty object", 200, true, "{}", AnswerClass::unclear},
        {"empty token", 200, true, R"({"access_token": "", "refresh_token": "r"})", AnswerClass::salvaged},
        {"token with a line break", 200, true, R"({"access_token": "a\nb"})", AnswerClass::unclear},
        {"token that is a number", 200, true, R"({"access_token": 7})", AnswerClass::granted},
        {"token that is a truth", 200, true, R"({"access_token": true})", AnswerClass::unclear},
        {"token with space around it", 200, true, R"({"access_token": " a\n"})", AnswerClass::granted},
        {"a refresh token that nobody can read", 200, true, R"({"access_token": "a", "refresh_token": {"v": "r"}})",
         AnswerClass::unclear},
        {"HTML", 200, true, "<html>", AnswerClass::unclear},
        {"array", 200, true, "[" + whole + "]", AnswerClass::granted},
        {"array of two", 200, true, "[" + whole + R"(,{"access_token": "b", "refresh_token": "s"}])",
         AnswerClass::unclear},
        {"below data", 200, true, R"({"status": "ok", "data": )" + whole + "}", AnswerClass::granted},
        {"below body, as a text", 200, true, R"({"statusCode": 200, "body": "{\"access_token\":\"a\"}"})",
         AnswerClass::granted},
        {"as a form", 200, true, "access_token=aaa&refresh_token=rrr&expires_in=3600", AnswerClass::granted},
        {"as a form, cut", 200, false, "access_token=aaa&refresh_token=rrr", AnswerClass::unclear},
        {"as a form, cut behind the token", 200, false, "refresh_token=rrr&access_token=aa", AnswerClass::salvaged},
        {"camel case", 200, true, R"({"accessToken": "a", "refreshToken": "r"})", AnswerClass::granted},
        {"a set beside an error", 200, true, R"({"error": "server_error", "access_token": "a", "refresh_token": "r"})",
         AnswerClass::salvaged},
        {"an error that is none, beside a set", 200, true,
         R"({"error": null, "error_code": "0", "access_token": "a", "refresh_token": "r"})", AnswerClass::granted},
        {"a form without tokens", 200, true, "status=ok", AnswerClass::unclear},
        {"a byte order mark before it", 200, true, "\xef\xbb\xbf" + whole, AnswerClass::granted},
        {"a byte order mark before a refusal", 400, true, "\xef\xbb\xbf{\"error\": \"invalid_grant\"}",
         AnswerClass::denied},
        {"a byte order mark before an answer that is cut", 200, false,
         "\xef\xbb\xbf" + whole.substr(0, whole.size() - 1), AnswerClass::salvaged},
        {"a scope that is no UTF-8", 200, true,
         "{\"access_token\": \"a\", \"scope\": \"\xff\", "
         "\"refresh_token\": \"r\"}",
         AnswerClass::salvaged},
        {"whole body, but HTTP says cut", 200, false, whole, AnswerClass::salvaged},
        {"cut behind the access token", 200, false, R"({"access_token": "aaa", "refr)", AnswerClass::unclear},
        {"cut in the refresh token", 200, false, R"({"refresh_token": "rr)", AnswerClass::unclear},
        {"refresh token alone", 200, false, R"({"refresh_token": "rrr", "acc)", AnswerClass::salvaged},
        {"nothing at all", 0, false, "", AnswerClass::unclear},
        {"bytes without a status, as a crash leaves them", 0, false, whole, AnswerClass::salvaged},
        {"invalid_grant", 400, true, R"({"error": "invalid_grant"})", AnswerClass::denied},
        {"invalid_grant as old oauthlib says it", 401, true, R"({"error": "invalid_grant"})", AnswerClass::denied},
        {"invalid_client", 401, true, R"({"error": "invalid_client"})", AnswerClass::configuration},
        {"invalid_client with 200", 200, true, R"({"error": "invalid_client"})", AnswerClass::configuration},
        {"invalid_request", 400, true, R"({"error": "invalid_request"})", AnswerClass::configuration},
        {"invalid_scope", 400, true, R"({"error": "invalid_scope"})", AnswerClass::configuration},
        {"unauthorized_client", 400, true, R"({"error": "unauthorized_client"})", AnswerClass::configuration},
        {"unsupported_grant_type", 400, true, R"({"error": "unsupported_grant_type"})", AnswerClass::configuration},
        {"server_error with 400", 400, true, R"({"error": "server_error"})", AnswerClass::server_error},
        {"temporarily_unavailable with 400", 400, true, R"({"error": "temporarily_unavailable"})",
         AnswerClass::server_error},
        {"slow_down", 400, true, R"({"error": "slow_down"})", AnswerClass::throttled},
        {"an error nobody knows", 400, true, R"({"error": "teapot"})", AnswerClass::unclear},
        {"an error with capitals", 400, true, R"({"error": "INVALID_GRANT"})", AnswerClass::denied},
        {"an error as an object", 400, true, R"({"error": {"code": "invalid_grant"}})", AnswerClass::denied},
        {"an error with another name", 400, true, R"({"error_code": "invalid_client"})", AnswerClass::configuration},
        {"an error as a detail", 401, true, R"({"detail": "invalid_grant"})", AnswerClass::denied},
        {"an error in a list", 400, true, R"({"errors": [{"code": "invalidGrant"}]})", AnswerClass::denied},
        {"an error below data", 200, true, R"({"data": {"error": "invalid_grant"}})", AnswerClass::denied},
        {"an error as a form", 400, true, "error=invalid_grant&error_description=x", AnswerClass::denied},
        {"two errors that differ", 400, true, R"({"code": "invalid_grant", "type": "invalid_request"})",
         AnswerClass::unclear},
        {"a sentence that quotes an error", 400, true, R"({"detail": "no invalid_grant today"})", AnswerClass::unclear},
        {"an error in another place", 400, true, R"({"request": {"type": "invalid_grant"}})", AnswerClass::unclear},
        {"an error of the API, not of OAuth", 401, true,
         R"({"detail": "Authentication credentials were not provided."})", AnswerClass::unclear},
        {"400 of something in between", 400, true, "<html>", AnswerClass::unclear},
        {"401 without a word", 401, true, "", AnswerClass::unclear},
        {"403", 403, true, "<html>", AnswerClass::unclear},
        {"403 of a gateway in JSON", 403, true, R"({"error": "Forbidden"})", AnswerClass::unclear},
        {"404", 404, true, "<html>", AnswerClass::unclear},
        {"405", 405, true, "", AnswerClass::unclear},
        {"301", 301, true, "", AnswerClass::unclear},
        {"307", 307, true, "", AnswerClass::unclear},
        {"451", 451, true, "", AnswerClass::unclear},
        {"408", 408, true, "", AnswerClass::unclear},
        {"429", 429, true, "{}", AnswerClass::throttled},
        {"500", 500, true, "<html>", AnswerClass::server_error},
        {"500 that says invalid_grant", 500, true, R"({"error": "invalid_grant"})", AnswerClass::denied},
        {"502", 502, true, "<html>", AnswerClass::server_error},
        {"503", 503, true, "", AnswerClass::server_error},
        {"504", 504, true, "", AnswerClass::server_error},
        {"500 that echoes the request", 500, true, R"({"refresh_token": "rrr"})", AnswerClass::server_error},
        {"400 cut short", 400, false, R"({"error": "inv)", AnswerClass::unclear},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const auto landed = classify({row.status, row.complete, row.body, Duration(0)});
        REQUIRE(to_string(landed.answer) == std::string(to_string(row.answer)));
        REQUIRE_FALSE(landed.reason.empty());
    }
}

TEST_CASE("what is unclear says why: no answer, a refusal that anybody may have made, or an answer nobody can read")
{
    struct Row {
        const char* name;
        int status;
        bool complete;
        std::string body;
        Ambiguity ambiguity;
    };
    const std::vector<Row> rows = {
        {"nothing", 0, false, "", Ambiguity::no_answer},
        {"empty", 200, true, " \n", Ambiguity::no_answer},
        {"a page", 200, true, "<html>refresh in a minute</html>", Ambiguity::no_answer},
        {"a cut set", 200, false, R"({"access_to)", Ambiguity::no_answer},
        {"408", 408, true, "", Ambiguity::no_answer},
        {"403 page", 403, true, "<html>", Ambiguity::refusal},
        {"redirect", 302, true, "", Ambiguity::refusal},
        {"404 in JSON", 404, true, R"({"detail": "Not found."})", Ambiguity::refusal},
        {"JSON without tokens", 200, true, R"({"rt": "x"})", Ambiguity::unreadable},
        {"XML", 200, true, "<answer><refresh_token>x</refresh_token></answer>", Ambiguity::unread_set},
        {"text", 200, true, "OK", Ambiguity::unreadable},
        {"two sets", 200, true,
         R"({"a": {"access_token": "1", "refresh_token": "2"}, )"
         R"("b": {"access_token": "3", "refresh_token": "4"}})",
         Ambiguity::unread_set},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const auto landed = classify({row.status, row.complete, row.body, Duration(0)});
        REQUIRE(to_string(landed.answer) == std::string("unclear"));
        REQUIRE(static_cast<int>(landed.ambiguity) == static_cast<int>(row.ambiguity));
        REQUIRE(landed.tokens.refresh.empty());
    }
}

TEST_CASE("a set is read in every dress, the same from the answer and from what a crash left of it")
{
    struct Row {
        const char* name;
        std::string body;
    };
    const std::vector<Row> rows = {
        {"as RFC 6749 has it", whole},
        {"below body", R"({"statusCode": 200, "headers": {"x": "y"}, "body": )" + whole + "}"},
        {"below any name", R"({"new": )" + whole + R"(, "user": {"id": 7}})"},
        {"two levels down", R"({"response": {"data": )" + whole + "}}"},
        {"in a list", "[" + whole + "]"},
        {"in a list below data", R"({"data": [)" + whole + "]}"},
        {"as a text", R"({"body": "{\"access_token\": \"aaa\", \"refresh_token\":\"rrr\", \"expires_in\":604800}"})"},
        {"form", "access_token=aaa&token_type=Bearer&expires_in=604800&refresh_token=rrr\r\n"},
        {"form with escapes", "access_token=%61aa&refresh_token=r%72r&expires_in=604800"},
        {"camel case", R"({"accessToken": "aaa", "refreshToken": "rrr", "expiresIn": "604800"})"},
        {"capital case", R"({"AccessToken": "aaa", "RefreshToken": "rrr", "ExpiresIn": 604800.0})"},
        {"parted", R"({"access_token": "aaa", "expires_in": 604800, "data": {"refresh_token": "rrr"}})"},
        {"a refresh token alone somewhere",
         R"({"access_token": "aaa", "expires_in": 604800, "x": {"refresh_token": "rrr"}})"},
        {"twice, the first time as null", R"({"access_token": null, "refresh_token": null, )" + whole.substr(1)},
        {"twice, the last time as null", whole.substr(0, whole.size() - 1) + R"(, "refresh_token": null})"},
        {"an older set below it", R"({"old": {"access_token": "o", "refresh_token": "p"}, )" + whole.substr(1)},
        {"an older set beside data", R"({"old": {"access_token": "o", "refresh_token": "p"}, "data": )" + whole + "}"},
        {"space around", R"({"access_token": " aaa ", "refresh_token": "rrr\n", "expires_in": " 604800 "})"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        for (const int status : {200, 0}) {  // 0: a crash before the answer was closed
            if (status == 0 && (row.name == std::string("form") || row.name == std::string("form with escapes"))) {
                continue;  // the end of its last value is not known then
            }
            const auto landed = classify({status, status != 0, row.body, Duration(0)});
            if (status == 0 && row.name == std::string("a refresh token alone somewhere")) {
                REQUIRE(landed.tokens.refresh.empty());  // a better one may have been cut off
                continue;
            }
            REQUIRE((landed.answer == AnswerClass::granted || landed.answer == AnswerClass::salvaged));
            REQUIRE(landed.tokens.access.reveal() == "aaa");
            REQUIRE(landed.tokens.refresh.reveal() == "rrr");
            REQUIRE(landed.tokens.lifetime == std::optional<Duration>(std::chrono::seconds(604800)));
        }
    }
}

TEST_CASE("the short names of frameworks for JSON Web Tokens count where nothing else is a token")
{
    struct Row {
        const char* name;
        std::string body;
        std::string access;
        std::string refresh;
    };
    const std::vector<Row> rows = {
        {"both", R"({"access": "aaaaaaaa.bbbbbbb", "refresh": "rrrrrrrr.sssssss"})", "aaaaaaaa.bbbbbbb",
         "rrrrrrrr.sssssss"},
        {"below tokens", R"({"user": 7, "tokens": {"refresh": "rrrrrrrr.sssssss", "access": "aaaaaaaa.bbbbbbb"}})",
         "aaaaaaaa.bbbbbbb", "rrrrrrrr.sssssss"},
        {"a short name beside a proper one", R"({"access_token": "aaa", "refresh": "rrrrrrrr.sssssss"})", "aaa",
         "rrrrrrrr.sssssss"},
        {"proper names win",
         R"({"refresh_token": "r", "access_token": "a", "access": "aaaaaaaa.bbbbbbb", "refresh": "rrrrrrrr.sssssss"})",
         "a", "r"},
        {"settings", R"({"access_token": "aaa", "refresh": "daily", "access": "read"})", "aaa", ""},
        {"a right, not a token", R"({"access": "read_write_and_delete"})", "", ""},
        {"a sentence", R"({"access_token": "aaa", "refresh": "every day at six o'clock"})", "aaa", ""},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const auto answer = salvage_token_answer(row.body, AnswerEnd::closed);
        CHECK(answer.access.reveal() == row.access);
        CHECK(answer.refresh.reveal() == row.refresh);
    }
    CHECK(parse_token_answer(rows[0].body));
}

TEST_CASE("a wait that a refusal asks for is kept, whatever its status")
{
    for (const int status : {403, 429, 503}) {
        INFO(status);
        REQUIRE(classify({status, true, "<html>", std::chrono::seconds(90)}).retry_after == std::chrono::seconds(90));
    }
}

TEST_CASE("a refresh token may hold a space, and what is none is not passed over")
{
    const auto answer = parse_token_answer(R"({"access_token": "a", "refresh_token": "r s"})");
    REQUIRE(answer);
    REQUIRE(answer->refresh.reveal() == "r s");
    REQUIRE_FALSE(parse_token_answer(R"({"access_token": "a", "refresh_token": "r\u00e9"})"));
    REQUIRE_FALSE(parse_token_answer("access_token=a&refresh_token=r%00s"));
    const auto form = parse_token_answer("access_token=a&refresh_token=r+s");
    REQUIRE(form);
    REQUIRE(form->refresh.reveal() == "r+s");
}

TEST_CASE("what an error code says is printed only as far as it looks like one")
{
    const auto landed = classify({400, true, R"({"error": "Evil\n<b>aaa"})", Duration(0)});
    REQUIRE(landed.reason ==
            "HTTP 400, ?vil??b?aaa without an OAuth error, from the service or a proxy in front of it");
}

TEST_CASE("lifetimes are read in every spelling, and nonsense is left out")
{
    struct Row {
        const char* text;
        std::optional<Duration> lifetime;
    };
    using std::chrono::seconds;
    const std::vector<Row> rows = {
        {"604800", seconds(604800)},
        {"\"604800\"", seconds(604800)},
        {"3600.5", seconds(3600)},
        {"1e3", seconds(1000)},
        {"0", std::nullopt},
        {"-5", std::nullopt},
        {"null", std::nullopt},
        {"\"soon\"", std::nullopt},
        {"1e300", std::chrono::hours(24 * 3650)},
        {"[1]", std::nullopt},
        {"true", std::nullopt},
    };
    for (const auto& row : rows) {
        INFO(row.text);
        const auto answer = parse_token_answer(R"({"access_token": "a", "expires_in": )" + std::string(row.text) + "}");
        REQUIRE(answer);
        REQUIRE(answer->lifetime == row.lifetime);
    }
}

TEST_CASE("of an answer cut anywhere, a token is saved exactly when its text is closed")
{
    for (std::size_t length = 0; length <= whole.size(); ++length) {
        const auto part = whole.substr(0, length);
        const auto saved = salvage_token_answer(part);
        INFO(part);
        const auto has_access = part.find(R"("aaa")") != std::string::npos;
        const auto has_refresh = part.find(R"("rrr")") != std::string::npos;
        REQUIRE(saved.access.reveal() == (has_access ? "aaa" : ""));
        REQUIRE(saved.refresh.reveal() == (has_refresh ? "rrr" : ""));
        const auto has_lifetime = part.find("604800,") != std::string::npos;
        REQUIRE(saved.lifetime.has_value() == has_lifetime);
    }
}

TEST_CASE("salvage takes escapes, spaces and foreign members in its stride")
{
    const auto saved = salvage_token_answer("\n { \"x\" : [1,{}, [2]] , \"n\":null,\"a\\\"b\":\"c\\\\\" , "
                                            "\"access_token\" :\"a\\u0041\\/\",\"refresh_token\":\"r\" ");
    REQUIRE(saved.access.reveal() == "aA/");
    REQUIRE(saved.refresh.reveal() == "r");
}

TEST_CASE("salvage steps over what it cannot use: nested texts, texts that are none, a byte order mark")
{
    struct Row {
        const char* name;
        std::string beginning;
        const char* refresh;
    };
    const std::vector<Row> rows = {
        {"an object with a text", R"({"user":{"id":1,"name":"x"},"refresh_token":"r")", "r"},
        {"a list of texts", R"({"roles":["a","b\"]","{"],"refresh_token":"r")", "r"},
        {"nested tokens are none of ours", R"({"old":{"refresh_token":"o"},"refresh_token":"r")", "r"},
        {"cut inside the nested text", R"({"user":{"name":"x, \"refresh_token\": \"o\")", ""},
        {"cut behind the nested text", R"({"user":{"refresh_token":"o")", ""},
        {"a value that is no UTF-8", "{\"scope\":\"l\xff\xfe\",\"refresh_token\":\"r\"", "r"},
        {"a value with a line break", "{\"scope\":\"a\nb\",\"refresh_token\":\"r\"", "r"},
        {"a name that is no UTF-8", "{\"\xc3\":\"x\",\"refresh_token\":\"r\"", "r"},
        {"a token that is no UTF-8", "{\"refresh_token\":\"r\xff\",\"access_token\":\"a\"", ""},
        {"a byte order mark", "\xef\xbb\xbf{\"refresh_token\":\"r\"", "r"},
        {"a text behind a number is no JSON", R"({"n":1"refresh_token":"o","refresh_token":"r")", ""},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        REQUIRE(salvage_token_answer(row.beginning).refresh.reveal() == row.refresh);
    }
}

TEST_CASE("salvage of any bytes ends")
{
    std::mt19937 random(11);
    constexpr std::string_view letters = "{}[]\",:\\u00a access_token\"refresh_token\":1 data&=%";
    for (int round = 0; round < 20'000; ++round) {
        std::string text = round % 2 == 0 ? "{" : "";
        for (auto left = random() % 60; left > 0; --left) {
            text += random() % 20 == 0 ? static_cast<char>(random()) : letters[random() % letters.size()];
        }
        const auto saved = salvage_token_answer(text);
        REQUIRE((saved.access.empty() || is_token_text(saved.access.reveal())));
    }
}

TEST_CASE("a set without the scope for the page that was asked is refused with that page, as what it is")
{
    const auto complaint = [](const CanarySpec& spec) {
        http::Response response;
        response.status = 403;
        response.body = R"({"detail":"no"})";
        const auto checked = check_reading(read_canary(spec, Result<http::Response>(std::move(response)), Instant()));
        REQUIRE_FALSE(checked);
        CHECK(checked.error().kind() == ErrorKind::needs_person);
        return checked.error().text();
    };
    CHECK(complaint({"https://api.example.com/me", "id", "42"}) ==
          "the set works, but it needs more scopes (HTTP 403 at https://api.example.com/me: the token may not request "
          "this page, which names the library); nothing was changed");
    CHECK(complaint({"https://api.example.com/suppliers/", "", ""}) ==
          "the set works, but it needs more scopes (HTTP 403 at https://api.example.com/suppliers/: the token may not "
          "request this list); nothing was changed");
}

TEST_CASE("the canary's answer is read for what it proves")
{
    CanarySpec spec{"https://api.example.com/me", "id", "42"};
    const auto answer = [&spec](int status, std::string body, std::vector<http::Header> headers = {}) {
        http::Response response;
        response.status = status;
        response.body = std::move(body);
        response.headers = std::move(headers);
        return read_canary(spec, response, Instant()).answer;
    };
    const auto challenge = [](const char* text) { return std::vector<http::Header>{{"www-authenticate", text}}; };
    REQUIRE(answer(200, R"({"id": 42})") == CanaryAnswer::ours);
    REQUIRE(answer(200, R"({"id": "42"})") == CanaryAnswer::ours);
    REQUIRE(answer(200, R"({"id": 7})") == CanaryAnswer::wrong_library);
    const auto deep = std::string(100, '[') + std::string(100, ']');
    REQUIRE(answer(200, R"({"id": 42, "tree": )" + deep + "}") == CanaryAnswer::ours);
    REQUIRE(answer(200, R"({"id": null})") == CanaryAnswer::unreachable);
    REQUIRE(answer(200, R"({"name": "x"})") == CanaryAnswer::unreachable);
    REQUIRE(answer(200, "<html>") == CanaryAnswer::unreachable);
    REQUIRE(answer(204, "") == CanaryAnswer::unreachable);
    REQUIRE(
        answer(401, "{}",
               challenge(
                   R"(Bearer realm="api",error="invalid_token",error_description="The access token has expired.")")) ==
        CanaryAnswer::refused);
    REQUIRE(
        answer(401, "{}",
               challenge(
                   R"(Bearer realm="api",error="invalid_token",error_description="The access token is invalid.")")) ==
        CanaryAnswer::refused_as_invalid);
    REQUIRE(answer(401, "{}", challenge("bearer error=\"invalid_token\"")) == CanaryAnswer::refused);
    REQUIRE(answer(401, "{}", challenge("Basic realm=x")) == CanaryAnswer::unreachable);
    REQUIRE(answer(401, "{}") == CanaryAnswer::unreachable);
    REQUIRE(answer(403, R"({"detail":"no"})") == CanaryAnswer::forbidden);
    REQUIRE(answer(403, R"({"detail":"no"})", {{"Retry-After", "30"}}) == CanaryAnswer::throttled);
    REQUIRE(answer(403, "<html>", {{"X-RateLimit-Remaining", "0"}}) == CanaryAnswer::throttled);
    REQUIRE(answer(403, "<html>") == CanaryAnswer::unreachable);
    REQUIRE(answer(429, "{}") == CanaryAnswer::throttled);
    REQUIRE(answer(503, "", {{"Retry-After", "soon"}}) == CanaryAnswer::throttled);
    REQUIRE(answer(503, "", {{"X-Retry-After", "5"}}) == CanaryAnswer::throttled);
    REQUIRE(answer(503, "") == CanaryAnswer::unreachable);
    REQUIRE(answer(302, "") == CanaryAnswer::unreachable);
    REQUIRE(answer(401, "{}", {{"WWW-Authenticate", "Basic realm=x"}, {"WWW-Authenticate", "Bearer realm=y"}}) ==
            CanaryAnswer::refused);
    spec = {"https://api.example.com/me", "library.id", ""};
    REQUIRE(answer(200, R"({"library": {"id": 5}})") == CanaryAnswer::ours);
    spec = {"https://api.example.com/list", "", ""};
    REQUIRE(answer(200, "[]") == CanaryAnswer::ours);
}

TEST_CASE("a member that identity names with dots is read from the objects that it names, and the name beside it")
{
    for (const auto& row : identity_pages) {
        INFO(row.name);
        http::Response response;
        response.status = 200;
        response.body = row.body;
        const auto reading = read_canary({"https://api.example.com/me", row.field, ""}, response, Instant());
        CHECK(reading.library_id == row.id);
        CHECK(reading.library_name == row.title);
        CHECK(read_identity_page(row.body, row.field).names_library == (*row.id != '\0'));
    }
    CHECK(read_identity_page(R"({"id": 42, "owner": {"uuid": "b-7"}})", "id").user_field == "owner.uuid");
    CHECK(read_identity_page(R"({"id": 42})", "id").user_field.empty());
    CHECK(read_identity_page(R"({"user": {"id": 7}})", "id").user_field.empty());
    CHECK_FALSE(read_identity_page("<html>", "id").names_library);
}

TEST_CASE("an id that two libraries may share as it is read, or that no library has, is none")
{
    const CanarySpec spec{"https://api.example.com/me", "id", "", "identity.path"};
    const auto reading = [&spec](const std::string& id) {
        http::Response response;
        response.status = 200;
        response.body = "{\"id\":" + id + "}";
        return read_canary(spec, response, Instant());
    };
    CHECK(reading("18446744073709551615").library_id == "18446744073709551615");
    CHECK(reading("-7").library_id == "-7");
    const auto longest = std::string(200, 'x');
    CHECK(reading('"' + longest + '"').library_id == longest);
    for (const auto& id : {std::string("18446744073709551616"), std::string("18446744073709551617"), std::string("4.2"),
                           std::string("1e3"), '"' + longest + "x\"", std::string("null")}) {
        CAPTURE(id);
        const auto none = reading(id);
        CHECK(none.answer == CanaryAnswer::unreachable);
        CHECK(none.misconfigured);
        CHECK(none.library_id.empty());
        CHECK(none.text.find("check identity.field") != std::string::npos);
        CHECK(none.text.size() < 250);
    }
}

TEST_CASE("a canary that the service does not know is a fault of the configuration, and anything that passes is none")
{
    const CanarySpec spec{"https://api.example.com/me", "id", "42", "identity.path"};
    const auto reading = [&spec](int status) {
        http::Response response;
        response.status = status;
        return read_canary(spec, response, Instant());
    };
    for (const int status : {301, 302, 308, 400, 404, 405, 406, 410}) {
        INFO(status);
        REQUIRE(reading(status).misconfigured);
        REQUIRE(reading(status).answer == CanaryAnswer::unreachable);
    }
    for (const int status : {200, 204, 401, 403, 408, 425, 429, 500, 502, 503}) {
        INFO(status);
        REQUIRE_FALSE(reading(status).misconfigured);
    }
    auto with_headers = spec;
    with_headers.headers = {{"X-Tenant", "7"}};
    const auto request = make_canary_request(with_headers, std::nullopt, {}, {});
    REQUIRE(request.headers.size() == 1);
    REQUIRE(request.headers[0].name == "X-Tenant");
    REQUIRE(reading(301).text == "HTTP 301 at https://api.example.com/me: check identity.path (often the slash at its "
                                 "end)");
    REQUIRE(reading(503).text == "the service answered 503");
    http::Response page;
    page.status = 200;
    page.body = "<title>Maintenance</title>";
    REQUIRE(read_canary(spec, page, Instant()).text ==
            "the service answered 200 with something that is not JSON: \"<title>Maintenance</title>\"");
    REQUIRE(reading(404).text == "HTTP 404 at https://api.example.com/me: check identity.path");
}

TEST_CASE("the refresh request is a form with a length, sent once, and never asks for a scope")
{
    TokenEndpoint endpoint;
    endpoint.base_url = "https://api.example.com";
    endpoint.client_id = "id 1";
    auto request = make_refresh_request(endpoint, Secret("r+r/="), Secret("s&c"));
    REQUIRE(request.url == "https://api.example.com/oauth/token/");
    REQUIRE(request.method == http::Method::post);
    REQUIRE(request.connection == http::Connection::one_shot);
    REQUIRE(request.body.reveal() ==
            "grant_type=refresh_token&refresh_token=r%2Br%2F%3D&client_id=id%201&client_secret=s%26c");
    REQUIRE_FALSE(request.basic);
    endpoint.auth = ClientAuth::basic;
    request = make_refresh_request(endpoint, Secret("r"), Secret("s:c"));
    REQUIRE(request.body.reveal() == "grant_type=refresh_token&refresh_token=r");
    REQUIRE(request.basic->first == "id%201");
    REQUIRE(request.basic->second.reveal() == "s%3Ac");
}

TEST_CASE("an answer that tells what became of a token is taken as it comes, whatever its headers say of it")
{
    TokenEndpoint endpoint;
    const Secret token("t");
    const Secret secret("s");
    CHECK(make_refresh_request(endpoint, token, secret).coding == http::Coding::as_sent);
    CHECK(make_code_request(endpoint, {}, secret).coding == http::Coding::as_sent);
    CHECK(make_revocation_request(endpoint, token, "refresh_token", secret).coding == http::Coding::as_sent);
}

TEST_CASE("good pastes are taken in every usual form")
{
    const std::vector<std::string> rows = {
        R"({"access_token": "aaa", "refresh_token": "rrr"})",
        "\xef\xbb\xbf  {\"refresh_token\": \"rrr\",\r\n \"access_token\": \"aaa\", \"expires_in\": 5}\n\n",
        "access_token=aaa\nrefresh_token=rrr\n",
        "# from the owner\r\n\r\n  access_token = \"aaa\"\r\nrefresh_token: 'rrr'\r\n",
        "\"access_token\": aaa\nrefresh_token=rrr\nscope=accounts library\nexpires_in=604800\ntoken_type=Bearer",
    };
    for (const auto& row : rows) {
        INFO(row);
        const auto set = parse_paste(row);
        REQUIRE(set);
        REQUIRE(set->access.reveal() == "aaa");
        REQUIRE(set->refresh.reveal() == "rrr");
    }
    const auto access_only = parse_paste("access_token=aaa");
    REQUIRE(access_only);
    REQUIRE(access_only->refresh.empty());
}

TEST_CASE("each bad paste gets its sentence, which never quotes the paste")
{
    struct Row {
        const char* name;
        std::string text;
        const char* says;
    };
    const std::vector<Row> rows = {
        {"nothing", " \n", "no input was given"},
        {"ten megabytes", std::string(10u << 20, 'x'), "10485760 bytes"},
        {"cut JSON", R"({"access_token": "secret", "refresh_)", "cut off"},
        {"JSON with a tail", R"({"access_token": "secret"} x)", "cut off, or has more"},
        {"other JSON", R"({"token": "secret"})", "not a JSON object with an access_token"},
        {"broken JSON", "{secret", "not a JSON object with an access_token"},
        {"the service's refusal", R"({"error": "invalid_grant"})", "refusal"},
        {"a bare token", "secret", "line 1 is not of the form"},
        {"refresh token alone", "refresh_token=secret", "no access_token"},
        {"empty token", "access_token=\nrefresh_token=secret", "line 1: access_token is empty"},
        {"token with a space", "access_token=secret x", "line 1: access_token is empty or contains a space"},
        {"given twice", "access_token=secret\naccess_token=secret2", "line 2 repeats access_token"},
        {"unknown name", "access_token=secret\npassword=secret", "line 2 has a name"},
        {"the same twice", "access_token=secret\nrefresh_token=secret", "are the same"},
        {"HTML", "<html><body>secret</body></html>", "line 1 is not of the form"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const auto set = parse_paste(row.text);
        REQUIRE_FALSE(set);
        REQUIRE(set.error().kind() == ErrorKind::usage);
        REQUIRE(set.error().text().find(row.says) != std::string::npos);
        REQUIRE(set.error().text().find("secret") == std::string::npos);
    }
}

}  // namespace
}  // namespace shelfd::oauth
