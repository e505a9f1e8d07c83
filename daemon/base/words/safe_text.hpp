// Makes foreign text safe for a log and a terminal: valid UTF-8 without control over either. Escapes controls (C0, DEL,
// C1), marks and overrides of writing direction (they can make one name look like another), line and paragraph
// separators.
#pragma once

#include <string>
#include <string_view>

namespace shelfd {

// One line for people: "\n", "\t", "\x1b", "\u202e", "\xff" for bytes that are not UTF-8; other text is unchanged.
std::string escape_line(std::string_view text);
// The same for several lines: line feeds and tabs are kept.
std::string escape_text(std::string_view text);

// JSON with the same meaning, with "\u001b" in its strings. Each byte that is not UTF-8 becomes "\ufffd".
std::string escape_json(std::string_view json);

// A JSON string with its quotes. Each byte that is not UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);

}  // namespace shelfd
