// Changes to the text of a configuration file that concern one library; everything else stays as a person wrote it:
// comments, order, blank lines.
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::config {

// Every function returns the new text, and compares what both texts mean: it changes what was asked for and nothing
// else, or it is an error of kind config that says what to change by hand (a table written inline, with dotted keys or
// the like). `file` is for messages. Pure.

// Sets a key of [library.NAME] to a value that is TOML, such as `"antwerp"` or `true`.
Result<std::string> set_library_key(const std::string& text, const std::string& file, const std::string& library,
                                    const std::string& key, const std::string& toml);
// Removes a key; a key that is absent is no error. The line before it goes, too, if it is `comment`.
Result<std::string> remove_library_key(const std::string& text, const std::string& file, const std::string& library,
                                       const std::string& key, std::string_view comment = "");
// Renames [library.FROM] and the tables below it.
Result<std::string> rename_library(const std::string& text, const std::string& file, const std::string& from,
                                   const std::string& to);
// Removes [library.NAME], the tables below it, and the comment directly before it.
Result<std::string> remove_library(const std::string& text, const std::string& file, const std::string& library);

// Whether [library.NAME] is in this text; false if the text is no TOML.
bool has_library(const std::string& text, const std::string& library);
// Whether this text says anything at all, apart from comments.
bool says_nothing(const std::string& text);

}  // namespace shelfd::config
