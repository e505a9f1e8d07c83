// How a run of everything once ends.
#pragma once

#include "app/library/library_unit.hpp"
#include "base/state/exit_code.hpp"
#include "control/model/status.hpp"

#include <memory>
#include <vector>

namespace shelfd::app {

// As for `shelfctl status`, but: bug if a library had one, storage if a token journal cannot be opened, and at least
// failed if a list could not be proven complete.
ExitCode exit_code_of_run(const control::Status& status, const std::vector<std::shared_ptr<LibraryUnit>>& units);

}  // namespace shelfd::app
