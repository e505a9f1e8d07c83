// Changes to the text of a configuration file that concern hooks; everything else stays as a person wrote it.
#pragma once

#include "base/result.hpp"

#include <string>
#include <vector>

namespace shelfd::config {

// In `libraries` of every [hooks.NAME], each of the names `from` becomes `to`; a text without them stays as it is.
// Error config: a name is not written as a plain text in quotes, with what to change by hand. `file` is for messages.
// Pure.
Result<std::string> rename_in_hooks(const std::string& text, const std::string& file,
                                    const std::vector<std::string>& from, const std::string& to);

}  // namespace shelfd::config
