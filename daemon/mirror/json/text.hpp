// Strings with and without escapes, and numbers in the form that the service would send.
#pragma once

#include <string>
#include <string_view>

namespace shelfd::mirror {

enum class Fidelity {
    exact,     // quoting the result again gives an equal string
    replaced,  // a lone surrogate was replaced by U+FFFD, because UTF-8 cannot encode it
};

// `raw` is the content of a valid JSON string, without quotes; `out` is overwritten.
Fidelity unescape(std::string_view raw, std::string& out);

// Appends `text` as a JSON string with quotes. UTF-8 is not escaped.
void append_quoted(std::string& out, std::string_view text);
std::string quoted_json(std::string_view text);

// Returns the shortest text that parses to the same double, in the form of Python (and so of the service): 0.1, 89.0,
// 1e-07, 1e+22. The value must be finite.
std::string real_text(double value);

// Returns the double nearest to a valid JSON number: infinite above the range, zero below it.
double real_of(std::string_view number);

}  // namespace shelfd::mirror
