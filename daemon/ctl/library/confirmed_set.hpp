// What `library add` writes of a set that a person has to confirm, and what the confirmation makes of it.
#pragma once

#include "ctl/library/configuration_files.hpp"

#include <string>

namespace shelfd::ctl {

// An id as a value of TOML: a number only if TOML reads the same digits from it.
std::string toml_of_id(const std::string& id);

// Whether the library is paused because nobody has confirmed yet whose data its set opens.
Result<bool> waits_for_confirmation(const ConfigurationFiles& files, const std::string& library);
// It waits no longer; from now on a set of another library than `id` is refused. "" = nobody can know. Errors: config.
Result<void> confirm_set(ConfigurationFiles& files, const std::string& library, const std::string& id);

}  // namespace shelfd::ctl
