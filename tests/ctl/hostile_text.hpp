// Text as somebody would send it who wants to rule another person's terminal, and how to see that it did not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::ctl {

struct HostilePart {
    const char* name;
    std::string text;
};

// Each of them between letters, so that what is left of it can be found.
inline const std::vector<HostilePart>& hostile_parts()
{
    static const std::vector<HostilePart> parts = {
        {"clears the screen", "\x1b[2J"},
        {"sets the title and answers", "\x1b]0;x\x07\x1b[21t"},
        {"goes back", "\b\b\r"},
        {"a form feed and a vertical tab", "\f\v"},
        {"DEL", "\x7f"},
        {"C1: control sequence introducer", "\xc2\x9b"
                                            "2J"},
        {"C1: next line", "\xc2\x85"},
        {"a C1 byte that is no UTF-8", "\x9b"
                                       "2J"},
        {"an override of direction", "\u202e"},
        {"an isolate", "\u2066x\u2069"},
        {"direction marks", "\u200e\u200f\u061c"},
        {"separators", "\u2028\u2029"},
        {"an overlong escape", "\xc0\x9b\xe0\x80\x9b"},
        {"half a character", "\xe2\x80"},
        {"a surrogate", "\xed\xa0\x80"},
        {"beyond Unicode", "\xf4\x90\x80\x80\xff"},
    };
    return parts;
}

// All of them that may stand in JSON, where C0 comes as an escape.
inline std::string hostile_text()
{
    std::string text;
    for (const auto& part : hostile_parts()) {
        text += "<" + part.text + ">";
    }
    return text;
}

// The first thing in what a terminal was given that it would obey, as bytes in hexadecimal; "" = there is none. Line
// feeds are as they should be, and so are `ours`, taken away before.
std::string what_a_terminal_would_obey(std::string output, const std::vector<std::string>& ours = {});

}  // namespace shelfd::ctl
