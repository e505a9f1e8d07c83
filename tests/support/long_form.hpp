// Whether tests that have a long form run it: SHELFD_LONG=1 in the environment, as `contrib/test --long` sets.
#pragma once

#include <cstdlib>
#include <string>

namespace shelfd {

inline bool is_long_form()
{
    const char* wanted = std::getenv("SHELFD_LONG");
    return wanted != nullptr && std::string(wanted) == "1";
}

}  // namespace shelfd
