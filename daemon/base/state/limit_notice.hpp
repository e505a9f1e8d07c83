// Words by which shelfctl recognises what the daemon says of request limits.
#pragma once

#include <string_view>

namespace shelfd {

// Libraries of one user have limits of their own.
inline constexpr std::string_view separate_limits = "have separate limits";
// Nobody knows the user of a library, because identity.user_field does not fit.
inline constexpr std::string_view no_shared_limit = "shares no request limit with libraries of the same user";

// The beginning of the reason of a table whose pass waits.
inline constexpr std::string_view waits_for_limit_words = "the pass has been waiting for the request limit";

inline bool is_limit_notice(std::string_view text)
{
    return text.find(separate_limits) != std::string_view::npos || text.find(no_shared_limit) != std::string_view::npos;
}

}  // namespace shelfd
