// A set that has arrived is found, whatever dress and status the answer has; or a person hears where it is.
#include "oauth/keeper_rig.hpp"
#include "support/catch.hpp"

#include <utility>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

std::string token_in(const std::string& body, const char* beginning)
{
    const auto at = body.find(beginning);
    return body.substr(at, body.find('"', at) - at);
}

std::string in_json_string(const std::string& body)
{
    std::string escaped = "\"";
    for (const char c : body) {
        escaped += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return escaped + '"';
}

std::string in_base64(const std::string& body)
{
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < body.size(); i += 3) {
        std::uint32_t bits = 0;
        for (std::size_t j = i; j < i + 3; ++j) {
            bits = bits << 8 | (j < body.size() ? static_cast<unsigned char>(body[j]) : 0u);
        }
        for (std::size_t j = 0; j < 4; ++j) {
            out += i + j > body.size() ? '=' : alphabet[bits >> (18 - 6 * j) & 63];
        }
    }
    return out;
}

std::string in_utf16(const std::string& body)
{
    std::string out = "\xff\xfe";
    for (const char c : body) {
        out += c;
        out += '\0';
    }
    return out;
}

// One stored block of RFC 1951.
std::string deflated(const std::string& body)
{
    const auto size = static_cast<unsigned>(body.size());
    std::string out = "\x01";
    for (const auto number : {size, ~size}) {
        out += static_cast<char>(number & 255);
        out += static_cast<char>(number >> 8 & 255);
    }
    return out + body;
}

std::string without_names(const std::string& body)
{
    return token_in(body, "access-") + "\n" + token_in(body, "refresh-") + "\n";
}

using Reword = std::string (*)(const std::string&);

struct Dress {
    const char* name;
    int status;
    Reword reword;
};

// The answers to refreshes that the service granted, reworded while `wanted` says so.
void dress_grants(KeeperRig& rig, const bool& wanted, const Dress& dress)
{
    rig.client.handle([&rig, &wanted, dress](const http::SeenRequest& request) {
        auto answer = rig.service.answer(request);
        const bool is_grant = request.method == http::Method::post && answer.response && answer.response->status == 200;
        if (!wanted || !is_grant) {
            return answer;
        }
        auto body = dress.reword(answer.response->body);
        if (dress.status == 302 && body.starts_with('/')) {
            return http::Answer::of(302, "", {{"Location", std::move(body)}});
        }
        return http::Answer::of(dress.status, std::move(body));
    });
}

std::string plain(const std::string& body)
{
    return body;
}

TEST_CASE(
    "a set is taken from the first answer, whatever its status and its dress, and the spent token is not sent again")
{
    const auto dress = GENERATE(values<Dress>({
        {"500", 500, plain},
        {"502", 502, plain},
        {"400", 400, plain},
        {"403", 403, plain},
        {"404", 404, plain},
        {"408", 408, plain},
        {"429", 429, plain},
        {"302", 302, plain},
        {"302 whose target holds it", 302,
         [](const std::string& body) {
             return "/done/#access_token=" + token_in(body, "access-") + "&refresh_token=" + token_in(body, "refresh-");
         }},
        {"200 beside an error that is none of the token", 200,
         [](const std::string& body) { return R"({"message": "invalid_scope", )" + body.substr(1); }},
        {"400 beside an error", 400,
         [](const std::string& body) { return R"({"error": "invalid_request", )" + body.substr(1); }},
        {"JSON in JSON", 200, in_json_string},
        {"JSON in JSON in JSON", 200, [](const std::string& body) { return in_json_string(in_json_string(body)); }},
        {"JSON in JSON with 500", 500, in_json_string},
        {"strings four deep", 200,
         [](const std::string& body) {
             auto out = body;
             for (int i = 0; i < 4; ++i) {
                 out = R"({"body": )" + in_json_string(out) + "}";
             }
             return out;
         }},
        {"single quotes", 200,
         [](const std::string& body) {
             auto out = body;
             for (auto& c : out) {
                 c = c == '"' ? '\'' : c;
             }
             return out;
         }},
        {"objects with short names", 200,
         [](const std::string& body) {
             return R"({"access": {"token": ")" + token_in(body, "access-") + R"("}, "refresh": {"token": ")" +
                    token_in(body, "refresh-") + R"("}})";
         }},
        {"token and refresh_token", 200,
         [](const std::string& body) {
             return R"({"token": ")" + token_in(body, "access-") + R"(", "refresh_token": ")" +
                    token_in(body, "refresh-") + R"("})";
         }},
        {"base64", 200, in_base64},
        {"base64 below a member", 200,
         [](const std::string& body) { return R"({"isBase64Encoded": true, "body": ")" + in_base64(body) + "\"}"; }},
        {"UTF-16", 200, in_utf16},
        {"deflate", 200, deflated},
        {"zlib", 200, [](const std::string& body) { return "\x78\x01" + deflated(body) + "sum?"; }},
        {"zlib, cut behind the set", 200, [](const std::string& body) { return "\x78\x01" + deflated(body); }},
        {"base64 of deflate", 200, [](const std::string& body) { return in_base64(deflated(body)); }},
        {"entities", 200,
         [](const std::string& body) {
             std::string out;
             for (const char c : body) {
                 out += c == '"' ? "&quot;" : std::string(1, c);
             }
             return "<pre>" + out + "</pre>";
         }},
    }));
    INFO(dress.name);
    KeeperRig rig;
    rig.start();
    rig.give_set();
    bool is_dressed = true;
    dress_grants(rig, is_dressed, dress);
    rig.clock.advance_by(84h + 30s);
    REQUIRE(rig.service.posts == 1);
    REQUIRE(rig.service.reuses == 0);
    CHECK(rig.keeper().status().state == TokenState::good);
    CHECK(rig.access_text() == rig.service.access());
    is_dressed = false;
    rig.kill();
    rig.start();
    rig.clock.advance_by(84h);
    CHECK(rig.service.reuses == 0);
    CHECK(rig.service.rotations == 2);
    CHECK(rig.keeper().status().state == TokenState::good);
    CHECK(rig.access_text() == rig.service.access());
}

TEST_CASE("an answer that may hold a set that nobody can read: the spent token rests, and a person hears where it is")
{
    const auto dress = GENERATE(values<Dress>({
        {"two lines without names", 200, without_names},
        {"unknown names", 200,
         [](const std::string& body) {
             return R"({"a": ")" + token_in(body, "access-") + R"(", "b": ")" + token_in(body, "refresh-") + R"("})";
         }},
        {"compressed", 200,
         [](const std::string& body) {
             std::string out = "\x1f\x8b\x08";
             for (const char c : body) {
                 out += static_cast<char>(c * 37 + 11);
             }
             return out;
         }},
        {"encrypted", 200,
         [](const std::string& body) {
             auto out = in_base64(body);
             for (auto& c : out) {
                 c = c >= 'a' && c < 'z' ? static_cast<char>(c + 1) : c;
             }
             return out;
         }},
        {"a refusal that names another refresh token", 500,
         [](const std::string& body) { return R"({"refresh_token": ")" + token_in(body, "refresh-") + R"("})"; }},
        {"a refusal with a code, likewise", 400,
         [](const std::string& body) {
             return R"({"error": "invalid_scope", "refresh_token": ")" + token_in(body, "refresh-") + R"("})";
         }},
    }));
    INFO(dress.name);
    KeeperRig rig;
    rig.places = "/tokens/antwerp/journal.a and /copy/antwerp/journal.b";
    rig.start();
    rig.give_set();
    const bool is_dressed = true;
    dress_grants(rig, is_dressed, dress);
    rig.clock.advance_by(84h + 1h);
    REQUIRE(rig.service.posts == 1);
    REQUIRE(rig.service.reuses == 0);
    const auto status = rig.keeper().status();
    CHECK(status.needs_person);
    CHECK(status.reason.find(rig.places) != std::string::npos);
    CHECK(rig.log_has("kept_in=" + rig.places));
    rig.kill();
    rig.start();
    rig.clock.advance_by(100h);
    CHECK(rig.service.reuses == 0);
    CHECK(rig.keeper().status().reason.find(rig.places) != std::string::npos);
}

TEST_CASE("an error page that repeats the token that was sent holds no set")
{
    struct Row {
        int status;
        std::string before, after;
    };
    const auto row = GENERATE(values<Row>({
        {500, R"({"refresh_token": ")", R"("})"},
        {500, R"({"access_token": "access-0000-xyzabcdefghij", "refresh_token": ")", R"("})"},
        {400, R"({"request": {"refresh_token": ")", R"(", "grant_type": "refresh_token"}})"},
        {502, "<pre>grant_type=refresh_token&refresh_token=", "&client_id=client</pre>"},
        {403, "refresh_token: ", "\n"},
    }));
    INFO(row.status << row.before);
    KeeperRig rig;
    rig.service.grace = 1h;
    rig.start();
    rig.give_set();
    const auto sent = rig.service.refresh();
    const bool acts = GENERATE(false, true);
    rig.service.faults.push_back({acts, http::Answer::of(row.status, row.before + sent + row.after)});
    rig.clock.advance_by(84h);
    CHECK(rig.keeper().status().generation == (acts ? 2 : 1));
    rig.clock.advance_by(10min);
    CHECK(rig.service.rotations == 1);
    CHECK(rig.keeper().status().state == TokenState::good);
    CHECK(rig.access_text() == rig.service.access());
}

TEST_CASE("a set in a refusal that proves to be none costs nothing: the one before it is in force again")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto access = rig.service.access();
    const auto status = GENERATE(500, 400, 404);
    rig.service.faults.push_back(
        {false, http::Answer::of(status, R"({"access_token": "access-9999-abcdefghijklmnop", )"
                                         R"("refresh_token": "refresh-9999-abcdefghijklmnop"})")});
    rig.clock.advance_by(84h);
    REQUIRE(rig.service.posts == 1);
    const bool dies = GENERATE(false, true);
    if (dies) {
        rig.kill();
        rig.start();
    }
    const auto generation = rig.keeper().status().generation;
    REQUIRE(generation == 2);
    const auto token = rig.run(rig.keeper().reject(generation, ""));
    rig.clock.advance_by(10min);
    CHECK_FALSE(rig.keeper().status().needs_person);
    CHECK(rig.keeper().status().access_usable);
    CHECK(rig.access_text() == rig.service.access());
}

TEST_CASE("a denial that names another refresh token says where its answer is kept")
{
    KeeperRig rig;
    rig.places = "/tokens/antwerp/journal.a and /copy/antwerp/journal.b";
    rig.start();
    rig.give_set();
    rig.service.faults.push_back(
        {true,
         http::Answer::of(400, R"({"error": "invalid_grant", "refresh_token": "refresh-9999-abcdefghijklmnop"})")});
    rig.clock.advance_by(84h);
    const auto status = rig.keeper().status();
    CHECK(status.needs_person);
    CHECK(status.reason.find(rig.places) != std::string::npos);
}

}  // namespace
}  // namespace shelfd::oauth
