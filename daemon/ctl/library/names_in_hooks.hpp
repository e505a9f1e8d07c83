// Hooks name libraries, by their present names or by one former name of each, in any file of the configuration.
#pragma once

#include "ctl/library/configuration_files.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

// All names by which a hook may call that library now.
std::vector<std::string> names_in_hooks(const config::Configuration& configuration, const config::Library& library);

// Changes stay in memory, see ConfigurationFiles. Errors: as of config/edit/hook_edit.hpp, and of `edit_file`.
Result<void> rename_in_hooks(ConfigurationFiles& files, const std::vector<std::string>& from, const std::string& to);
Result<void> remove_from_hooks(ConfigurationFiles& files, const std::vector<std::string>& names);

}  // namespace shelfd::ctl
