// The configuration in effect, as TOML.
#pragma once

#include "config/model/model.hpp"

#include <string>

namespace shelfd::config {

enum class ShowOrigin { no, yes };

// Everything a library does stands with the library: shared tables and defaults are merged in. Secrets are references.
// The text loads again to an equal configuration, positions aside. With `yes` each value that was written somewhere is
// followed by "# file:line", as far as the configuration was loaded with its origins; without a comment it is a
// default.
std::string show(const Configuration& configuration, ShowOrigin origin);
// The keys of one resource, without its heading.
std::string show(const Resource& resource);

}  // namespace shelfd::config
