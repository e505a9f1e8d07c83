// The configuration in effect, as TOML.
#pragma once

#include "config/model/model.hpp"

#include <string>

namespace shelfd::config {

enum class ShowOrigin { no, yes };

// Writes all settings of a library in its own table: shared tables and defaults are merged in. Secrets stay references.
// The text loads again to an equal configuration, except for positions. With `yes`, "# file:line" follows each value
// that was written in a file, if the configuration was loaded with origins; a value without a comment is a default.
std::string show(const Configuration& configuration, ShowOrigin origin);
// The keys of one resource, without its heading.
std::string show(const Resource& resource);
// One library with all that it inherits, also from its application.
std::string show(const Configuration& configuration, const Library& library, ShowOrigin origin);

}  // namespace shelfd::config
