// Words by which shelfctl recognises the daemon's notices about request limits of one user.
#pragma once

#include <string_view>

namespace shelfd {

// Libraries of one user have limits of their own.
inline constexpr std::string_view separate_limits = "have separate limits";
// Nobody knows the user of a library, because identity.user_field does not fit.
inline constexpr std::string_view no_shared_limit = "shares no request limit with libraries of the same user";

inline bool is_limit_notice(std::string_view text)
{
    return text.find(separate_limits) != std::string_view::npos || text.find(no_shared_limit) != std::string_view::npos;
}

}  // namespace shelfd
