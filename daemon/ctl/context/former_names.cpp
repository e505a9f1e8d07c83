#include "ctl/context/former_names.hpp"

#include <algorithm>

namespace shelfd::ctl {

bool is_former_name(const config::Configuration& configuration, const std::string& name)
{
    return std::any_of(configuration.libraries.begin(), configuration.libraries.end(),
                       [&](const auto& library) { return library.formerly == name; });
}

}  // namespace shelfd::ctl
