// Settings that a running daemon cannot change: [storage] and, without control.listen, [control].
#pragma once

#include "config/model/model.hpp"
#include "config/tree/fault.hpp"

#include <vector>

namespace shelfd::app {

// One fault for each key that differs between `now` and `next`. `next` must be loaded with its origins; a removed key
// is reported for the first line of `main_file`.
std::vector<config::Fault> find_fixed_changes(const config::Configuration& now, const config::Configuration& next,
                                              const std::string& main_file);

}  // namespace shelfd::app
