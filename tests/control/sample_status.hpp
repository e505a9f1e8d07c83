// A daemon with two libraries in the states a test asks for.
#pragma once

#include "control/model/status.hpp"

#include <string>
#include <vector>

namespace shelfd::control {

inline constexpr Instant sample_now = Instant::from_seconds(1'704'520'800);  // 2024-01-06T06:00:00Z

ResourceStatus sample_resource(std::string name, State state);
LibraryStatus sample_library(std::string name, std::vector<ResourceStatus> resources);
Status sample_status(std::vector<LibraryStatus> libraries);
// antwerp with recipes and stock, ghent with recipes; all fresh.
Status fresh_status();

}  // namespace shelfd::control
