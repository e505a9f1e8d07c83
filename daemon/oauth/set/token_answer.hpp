// Parses answers of a token endpoint: a whole token response, an OAuth error, or the tokens in a part of an answer.
#pragma once

#include "base/instant.hpp"
#include "base/secret.hpp"
#include "oauth/set/answer_objects.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::oauth {

// Upper bound of an access token's lifetime; longer values are not credible or mean "for ever".
inline constexpr Duration max_lifetime = std::chrono::hours(24 * 3650);

// A token response (RFC 6749 section 5.1). Only the access token is required.
struct TokenAnswer {
    Secret access;
    Secret refresh;                    // "" = none was sent; the old one remains valid (RFC 6749 section 6)
    std::optional<Duration> lifetime;  // expires_in, a number or a string that contains one
    std::string token_type;
    std::string scope;
    bool has_unread_refresh = false;  // a refresh token is present, but cannot be read or is ambiguous
};

// Parses a whole answer that has a usable access token; otherwise returns an empty optional. Accepts other spellings of
// member names ("accessToken"), sets within a nested object ("data", "body", or any that has both tokens), JSON within
// a string, and form encoding. If two sets of equal rank differ, neither is used.
std::optional<TokenAnswer> parse_token_answer(std::string_view body);

// Does the same for an answer that may be cut off or malformed: closed values count; either token may be missing.
TokenAnswer salvage_token_answer(std::string_view beginning, AnswerEnd ending = AnswerEnd::open);

// The error that a whole answer reports.
struct OauthError {
    std::string code;  // code of OAuth ("invalid_grant") in any case and place; "" = none, or several
    std::string said;  // the code, or else the outermost `error`; "" = neither
};
OauthError parse_oauth_error(std::string_view body);

// True if an access token can be sent in a header (RFC 6749 appendix A.12, without spaces).
bool is_token_text(std::string_view text);
// True for a valid refresh token, which is only sent in a form (RFC 6749 appendix A.17).
bool is_refresh_text(std::string_view text);

}  // namespace shelfd::oauth
