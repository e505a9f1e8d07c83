// Finds the tokens of an answer whose form is not known: the last way before a set is lost that has arrived.
#pragma once

#include "oauth/set/token_answer.hpp"

#include <string_view>

namespace shelfd::oauth {

// Whether a text names an access or a refresh token with a value, in whatever form: then it may hold a set.
bool names_tokens(std::string_view body);

// The texts that follow these names, in XML, in JSON with other marks around it, in lists of names and values, in
// lines: both tokens, or neither. A name with two different values, or with one that is no token (RFC 6750 section 2.1,
// at least 16 characters), has none.
TokenAnswer scan_tokens(std::string_view body);

}  // namespace shelfd::oauth
