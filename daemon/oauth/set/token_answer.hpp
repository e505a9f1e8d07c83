// Reading what a token endpoint sends: a whole answer, an OAuth error, or what can be saved of a part of an answer.
#pragma once

#include "base/instant.hpp"
#include "base/secret.hpp"
#include "oauth/set/answer_objects.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::oauth {

// Of an access token, by the service's word: what is more was meant otherwise, or is as good as for ever.
inline constexpr Duration max_lifetime = std::chrono::hours(24 * 3650);

// RFC 6749 section 5.1, read leniently: only the access token must be there.
struct TokenAnswer {
    Secret access;
    Secret refresh;                    // "" = none was sent: the old one stays good (RFC 6749 section 6)
    std::optional<Duration> lifetime;  // expires_in, a number or a text of one
    std::string token_type;
    std::string scope;
    bool has_unread_refresh = false;  // there is a refresh token in it, and it is not clear which one is meant
};

// A whole answer with a usable access token (printable ASCII without spaces); empty optional for anything else. The
// members may have other spellings ("accessToken"), lie in an object of the outermost one ("data", "body", any that
// holds both tokens), in a text that is JSON, or be form-encoded. Where several sets differ, none is taken.
std::optional<TokenAnswer> parse_token_answer(std::string_view body);

// The same from an answer whose end may be missing or broken: what is closed counts, and either token may be missing.
TokenAnswer salvage_token_answer(std::string_view beginning, AnswerEnd ending = AnswerEnd::open);

// What a whole answer says is wrong.
struct OauthError {
    std::string code;  // a code of OAuth ("invalid_grant"), whatever its case and its place; "" = none, or not clear
    std::string said;  // the code, or else the outermost `error`; "" = there is neither
};
OauthError parse_oauth_error(std::string_view body);

// Whether an access token can go into a header: RFC 6749 appendix A.12, without spaces.
bool is_token_text(std::string_view text);
// Whether it is a refresh token, which only goes into a form: RFC 6749 appendix A.17.
bool is_refresh_text(std::string_view text);

}  // namespace shelfd::oauth
