// What a daemon that runs cannot change: [storage] and [control].
#pragma once

#include "config/model/model.hpp"
#include "config/tree/fault.hpp"

#include <vector>

namespace shelfd::app {

// One fault for each key that `next` has otherwise than `now`. `next` was loaded with its origins; a key that stands
// nowhere any more is put on the first line of `main_file`.
std::vector<config::Fault> find_fixed_changes(const config::Configuration& now, const config::Configuration& next,
                                              const std::string& main_file);

}  // namespace shelfd::app
