// Names in `readers` that nobody on this machine has. They are no fault of a load: the daemon starts without them.
#pragma once

#include "config/model/model.hpp"
#include "config/tree/fault.hpp"

#include <functional>
#include <vector>

namespace shelfd::config {

// Asks the name service again for each reader that is not known, which blocks. A fault for each of those that `counts`
// and are still not known, at its position if `configuration` was loaded with origins, else at its library.
std::vector<Fault> find_unknown_readers(
    const Configuration& configuration,
    const std::function<bool(const Library&, const Account&)>& counts = [](const auto&, const auto&) { return true; });

}  // namespace shelfd::config
