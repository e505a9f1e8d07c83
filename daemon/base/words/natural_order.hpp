// The order in which people expect numbered names.
#pragma once

#include <string_view>

namespace shelfd {

// "library9" before "library10", and whatever the case of letters.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace shelfd
