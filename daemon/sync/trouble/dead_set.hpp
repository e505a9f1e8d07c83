// A token set that needs a person and whose access token no longer works: nothing can be requested.
#pragma once

#include "oauth/status/token_status.hpp"

#include <string>

namespace shelfd::sync {

// Whether tables wait for a person because of the set. They say by themselves that another library is served.
bool is_dead(const oauth::TokenStatus& set);
// What a table says of it, in the words of a pass.
std::string describe_dead(const std::string& library, const oauth::TokenStatus& set);
// How long the set works unless a person acts; the longest duration if it needs nobody.
Duration time_to_live(const oauth::TokenStatus& set, Instant now);

}  // namespace shelfd::sync
