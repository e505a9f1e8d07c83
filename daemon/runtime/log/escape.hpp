// Foreign text made harmless for a log and a terminal: no control over it, valid UTF-8. What may not pass: controls
// (C0, DEL, C1), marks and overrides of writing direction (a name that shows another one), line and paragraph
// separators.
#pragma once

#include <string>
#include <string_view>

namespace shelfd {

// One line for people: "\n", "\t", "\x1b", "\u202e", for bytes that are no UTF-8 "\xff"; the rest stays.
std::string escape_line(std::string_view text);
// The same of several lines: line feeds and tabs stay.
std::string escape_text(std::string_view text);

// JSON that means the same, with "\u001b" in its strings. What is no UTF-8 becomes "\ufffd", one for each byte.
std::string escape_json(std::string_view json);

// A JSON string with its quotes; what is no UTF-8 becomes U+FFFD, one for each byte.
std::string json_string(std::string_view text);

}  // namespace shelfd
