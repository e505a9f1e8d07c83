#include "oauth/set/token_answer.hpp"

#include "base/text.hpp"
#include "base/words/digits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace shelfd::oauth {
namespace {

std::optional<Duration> lifetime_of_seconds(double seconds)
{
    if (!std::isfinite(seconds) || seconds < 1) {
        return std::nullopt;
    }
    constexpr auto most = std::chrono::duration<double>(max_lifetime).count();
    return std::chrono::seconds(static_cast<std::int64_t>(std::min(seconds, most)));
}

std::optional<Duration> lifetime_of_text(std::string_view text)
{
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return lifetime_of_seconds(seconds);
}

// Members in which services wrap their answers.
constexpr std::array<std::string_view, 13> wrappers = {"body",    "data",        "result", "results", "response",
                                                       "payload", "content",     "token",  "tokens",  "oauth",
                                                       "auth",    "credentials", "session"};

// Codes of RFC 6749 sections 4.1.2.1 and 5.2 and of RFC 8628: as `plain_name` returns them, and as written.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> known_codes = {{
    {"invalidgrant", "invalid_grant"},
    {"invalidclient", "invalid_client"},
    {"invalidrequest", "invalid_request"},
    {"invalidscope", "invalid_scope"},
    {"unauthorizedclient", "unauthorized_client"},
    {"unsupportedgranttype", "unsupported_grant_type"},
    {"servererror", "server_error"},
    {"temporarilyunavailable", "temporarily_unavailable"},
    {"slowdown", "slow_down"},
}};

// Members in which services report an error. Their values count only if they are codes of OAuth.
constexpr std::array<std::string_view, 10> error_names = {"error", "errors", "errorcode", "errortype", "code",
                                                          "type",  "name",   "reason",    "detail",    "message"};

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

// A number counts as its digits. No other value than a string or a number can be a token.
std::string_view token_in(const AnswerMember& member)
{
    const auto text = trimmed(member.value.reveal());
    return member.is_text || std::all_of(text.begin(), text.end(), is_digit) ? text : std::string_view();
}

// Services send null, false or an empty string for "none".
bool says_none(const AnswerMember& member)
{
    const auto text = trimmed(member.value.reveal());
    return text.empty() || (!member.is_text && (text == "null" || text == "false"));
}

void take_member(TokenAnswer& answer, const AnswerMember& member)
{
    const auto name = plain_name(member.name);
    if (name == "accesstoken") {
        if (const auto token = token_in(member); is_token_text(token)) {
            answer.access = Secret(std::string(token));
        }
    } else if (name == "refreshtoken") {
        if (const auto token = token_in(member); is_refresh_text(token)) {
            answer.refresh = Secret(std::string(token));
            answer.has_unread_refresh = false;
        } else if (!says_none(member)) {
            answer.has_unread_refresh = answer.refresh.empty();
        }
    } else if (name == "tokentype" && member.is_text) {
        answer.token_type = std::string(member.value.reveal());
    } else if (name == "scope" && member.is_text) {
        answer.scope = std::string(member.value.reveal());
    } else if (name == "expiresin") {
        answer.lifetime = lifetime_of_text(trimmed(member.value.reveal()));
    }
}

// The token under the first of these names that has one. Shorter texts are settings ("refresh": "daily").
template <std::size_t size>
Secret find_short(const std::array<std::string_view, size>& names, const AnswerObject& object)
{
    constexpr std::size_t shortest_token = 16;
    for (const auto name : names) {
        for (const auto& member : object.members) {
            const auto text = member.is_text ? trimmed(member.value.reveal()) : std::string_view();
            if (text.size() >= shortest_token && is_token_text(text) && plain_name(member.name) == name) {
                return Secret(std::string(text));
            }
        }
    }
    return Secret();
}

// {"access": …, "refresh": …} or {"token": …, "refresh_token": …}, as some frameworks for JSON Web Tokens name them. An
// access token under such a name counts only beside a refresh token.
void take_short_names(TokenAnswer& answer, const AnswerObject& object)
{
    constexpr std::array<std::string_view, 5> access_names = {"access", "token", "authtoken", "jwt", "idtoken"};
    constexpr std::array<std::string_view, 3> refresh_names = {"refresh", "refreshjwt", "rt"};
    if (answer.refresh.empty()) {
        answer.refresh = find_short(refresh_names, object);
        answer.has_unread_refresh = answer.has_unread_refresh && answer.refresh.empty();
    }
    if (answer.access.empty() && !answer.refresh.empty()) {
        answer.access = find_short(access_names, object);
    }
}

// Spellings of RFC 6749 override others; among members of the same name the last usable value counts.
TokenAnswer answer_of(const AnswerObject& object)
{
    constexpr std::array<std::string_view, 5> proper = {"access_token", "refresh_token", "token_type", "scope",
                                                        "expires_in"};
    TokenAnswer answer;
    for (const bool is_proper : {false, true}) {
        for (const auto& member : object.members) {
            if (is_among(proper, member.name) == is_proper) {
                take_member(answer, member);
            }
        }
    }
    take_short_names(answer, object);
    return answer;
}

// Rank of an object, lower is better: the outermost object, then objects named like wrappers, then objects that hold a
// whole set, then, in a complete answer only, objects with a refresh token (in a cut one a better object may be
// missing). Empty optional if the object does not count.
std::optional<unsigned> rank_of(const AnswerObject& object, const TokenAnswer& answer, AnswerEnd ending)
{
    if (object.depth == 0) {
        return 0;
    }
    if (is_among(wrappers, plain_name(object.name))) {
        return object.depth;
    }
    if (!answer.access.empty() && !answer.refresh.empty()) {
        return 10 + object.depth;
    }
    return ending == AnswerEnd::closed && !answer.refresh.empty() ? std::optional(20 + object.depth) : std::nullopt;
}

struct Ranked {
    unsigned rank = 0;
    TokenAnswer answer;
};

// The best ranked object that has the token, and whether another one of its rank has a different token.
struct Choice {
    const Ranked* found = nullptr;
    bool differ = false;
};
Choice find_one(const std::vector<Ranked>& all, Secret TokenAnswer::*token)
{
    auto [found, differ] = Choice();
    for (const auto& one : all) {
        if ((one.answer.*token).empty() || (found != nullptr && found->rank < one.rank)) {
            continue;
        }
        if (found != nullptr && found->rank == one.rank && !(found->answer.*token).equals(one.answer.*token)) {
            differ = true;
        }
        found = &one;
    }
    return {found, differ};
}

void take_rest(TokenAnswer& answer, const TokenAnswer& from)
{
    answer.lifetime = answer.lifetime ? answer.lifetime : from.lifetime;
    answer.token_type = answer.token_type.empty() ? from.token_type : answer.token_type;
    answer.scope = answer.scope.empty() ? from.scope : answer.scope;
}

TokenAnswer choose(const std::vector<AnswerObject>& objects, AnswerEnd ending)
{
    std::vector<Ranked> all;
    TokenAnswer chosen;
    for (const auto& object : objects) {
        auto answer = answer_of(object);
        // {"refresh_token": {"value": …}}: a refresh token is present, but this form is not parsed.
        const bool is_a_token = plain_name(object.name) == "refreshtoken";
        chosen.has_unread_refresh = chosen.has_unread_refresh || answer.has_unread_refresh || is_a_token;
        if (const auto rank = rank_of(object, answer, ending)) {
            all.push_back({*rank, std::move(answer)});
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; });
    const auto refresh = find_one(all, &TokenAnswer::refresh);
    if (refresh.differ) {
        chosen.has_unread_refresh = true;
        return chosen;
    }
    auto access = find_one(all, &TokenAnswer::access);
    if (refresh.found != nullptr) {
        const bool is_pair = !refresh.found->answer.access.empty();
        access = is_pair ? refresh : access;
        chosen.refresh = refresh.found->answer.refresh.clone();
        chosen.has_unread_refresh = false;
    }
    if (access.found != nullptr && !access.differ) {
        chosen.access = access.found->answer.access.clone();
        take_rest(chosen, access.found->answer);
    }
    for (const auto& one : all) {
        take_rest(chosen, one.answer);
    }
    return chosen;
}

std::string known_code(std::string_view text)
{
    const auto plain = plain_name(text);
    const auto is_it = [&plain](const auto& code) { return code.first == plain; };
    const auto found = std::find_if(known_codes.begin(), known_codes.end(), is_it);
    return found == known_codes.end() ? "" : std::string(found->second);
}

}  // namespace

bool is_token_text(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

bool is_refresh_text(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

std::optional<TokenAnswer> parse_token_answer(std::string_view body)
{
    if (!is_whole_answer(body)) {
        return std::nullopt;
    }
    auto answer = choose(read_answer_objects(body, AnswerEnd::closed), AnswerEnd::closed);
    if (answer.access.empty() || answer.has_unread_refresh) {
        return std::nullopt;
    }
    return answer;
}

TokenAnswer salvage_token_answer(std::string_view beginning, AnswerEnd ending)
{
    return choose(read_answer_objects(beginning, ending), ending);
}

OauthError parse_oauth_error(std::string_view body)
{
    const auto objects =
        is_whole_answer(body) ? read_answer_objects(body, AnswerEnd::closed) : std::vector<AnswerObject>();
    OauthError error;
    std::set<std::string> codes;
    for (const auto& object : objects) {
        const auto holder = plain_name(object.name);
        const bool may_say = object.depth == 0 || is_among(wrappers, holder) || is_among(error_names, holder);
        for (const auto& member : object.members) {
            if (!may_say || !member.is_text || !is_among(error_names, plain_name(member.name))) {
                continue;
            }
            const auto code = known_code(member.value.reveal());
            const bool is_proper = object.depth == 0 && member.name == "error";
            if (is_proper && !code.empty()) {
                return {code, code};
            }
            error.said = is_proper ? std::string(member.value.reveal()) : error.said;
            codes.insert(code);
        }
    }
    codes.erase("");
    if (codes.size() == 1) {  // several codes are ambiguous
        error.code = error.said = *codes.begin();
    }
    return error;
}

}  // namespace shelfd::oauth
