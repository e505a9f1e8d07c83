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

// Takes each of `names` out of `libraries` of every [hooks.NAME], together with one comma; a text without them stays as
// it is. Errors: config, with what to change by hand: it is the only one of a hook, which would then be called for all
// libraries, or it is not written as a plain text in quotes. Pure.
Result<std::string> remove_from_hooks(const std::string& text, const std::string& file,
                                      const std::vector<std::string>& names);

}  // namespace shelfd::config
