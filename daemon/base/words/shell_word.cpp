#include "base/words/shell_word.hpp"

#include <algorithm>

namespace shelfd {
namespace {

// "~" is not among them: at the beginning it stands for a home directory.
bool is_plain(char c)
{
    constexpr std::string_view marks = "_@%+=:,./-";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_word(std::string_view word)
{
    // "a=b" in front of a command would set a variable.
    if (!word.empty() && word.front() != '=' && std::all_of(word.begin(), word.end(), is_plain)) {
        return std::string(word);
    }
    std::string quoted = "'";
    for (const char c : word) {
        quoted += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return quoted + "'";
}

}  // namespace shelfd
