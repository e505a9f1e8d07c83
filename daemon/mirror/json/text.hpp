// JSON's small change: strings with and without their escapes, numbers in the text the service would send.
#pragma once

#include <string>
#include <string_view>

namespace shelfd::mirror {

enum class Fidelity {
    exact,     // quoting the result again gives an equal JSON string
    replaced,  // a lone surrogate has no UTF-8; U+FFFD stands for it
};

// Takes what stands between the quotes of a valid JSON string; `out` is overwritten.
Fidelity unescape(std::string_view raw, std::string& out);

// Appends `text` as a JSON string, quotes included. UTF-8 stays as it is.
void append_quoted(std::string& out, std::string_view text);
std::string quoted_json(std::string_view text);

// The shortest text that reads back as the same double, in the form Python (and so the service) writes it: 0.1, 89.0,
// 1e-07, 1e+22. The value must be finite.
std::string real_text(double value);

// The double nearest to a valid JSON number: infinite beyond the range, zero below it.
double real_of(std::string_view number);

}  // namespace shelfd::mirror
