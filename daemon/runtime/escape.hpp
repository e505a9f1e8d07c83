// Foreign text made harmless for a log: one line, no control over a terminal, valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace shelfd {

// For people: control characters (C0, DEL, C1) become "\x1b", bytes that are no UTF-8 "\xff"; the rest stays.
std::string escape_line(std::string_view text);

// A JSON string with its quotes; what is no UTF-8 becomes U+FFFD, one for each byte.
std::string json_string(std::string_view text);

}  // namespace shelfd
