// Finds the tokens of an answer whose form is not known: the last way before a set is lost that has arrived.
#pragma once

#include "oauth/set/token_answer.hpp"

#include <string_view>

namespace shelfd::oauth {

// Which names count: "access_token" and "refresh_token" in any spelling, or also "access", "refresh" and the like,
// under which other texts have settings.
enum class TokenNames { proper, shorter };

// The texts that follow these names, in XML, in JSON with other marks around it, in lists of names and values, in
// lines: both tokens, or neither. A name with two different values, or with one that is no token (RFC 6750 section 2.1,
// at least 16 characters), has none.
TokenAnswer scan_tokens(std::string_view body, TokenNames names = TokenNames::proper);

// The following ignore `presented`, the refresh token that was sent: error pages repeat it, or a part of it.

// True if a text names an access or a refresh token with a value, in whatever form: then it may hold a set.
bool names_tokens(std::string_view body, std::string_view presented = {});
// True if it names a refresh token with a value that can be one.
bool names_new_refresh(std::string_view body, std::string_view presented);
// True if it holds, under whatever names, what can be an access and a refresh token, or bytes that are no text.
bool may_hold_tokens(std::string_view body, std::string_view presented);
// True if the text is the presented token or a part of it.
bool is_echo(std::string_view text, std::string_view presented);

}  // namespace shelfd::oauth
