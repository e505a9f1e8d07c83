// The limit of open files of this process.
#pragma once

#include "base/result.hpp"

#include <cstddef>

namespace shelfd::app {

// Raises the limit as far as root allows: started by hand, a process has 1,024, too few for some hundred libraries.
void raise_open_files();

// For a configuration with so many libraries in place of one with `before`. Error storage: there are more, and this
// process may not open as many files as they need; with what to do.
Result<void> check_open_files(std::size_t libraries, std::size_t before);

}  // namespace shelfd::app
