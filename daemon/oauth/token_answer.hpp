// Reading what a token endpoint sends: a whole answer, an OAuth error, or what can be saved of a part of an answer.
#pragma once

#include "base/instant.hpp"
#include "base/secret.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::oauth {

// Of an access token, by the service's word: what is more was meant otherwise, or is as good as for ever.
inline constexpr Duration longest_lifetime = std::chrono::hours(24 * 3650);

// RFC 6749 section 5.1, read leniently: only the access token must be there.
struct TokenAnswer {
    Secret access;
    Secret refresh;                    // "" = none was sent: the old one stays good (RFC 6749 section 6)
    std::optional<Duration> lifetime;  // expires_in, a number or a text of one
    std::string token_type;
    std::string scope;
};

// A complete JSON object with a usable access token (printable ASCII without spaces); nothing for anything else.
std::optional<TokenAnswer> parse_token_answer(std::string_view body);

// The `error` of a complete JSON object (RFC 6749 section 5.2); "" when there is none.
std::string parse_oauth_error(std::string_view body);

// What can be told for certain from the beginning of an answer: members of the outermost object whose text is closed.
// The access token may be missing, too.
TokenAnswer salvage_token_answer(std::string_view beginning);

// Whether a token can go into a header and a form: RFC 6749 appendix A.12, without spaces.
bool is_token_text(std::string_view text);

}  // namespace shelfd::oauth
