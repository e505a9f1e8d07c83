// A path or a name as one word of a command that a person pastes into a shell.
#pragma once

#include <string>
#include <string_view>

namespace shelfd {

// Unchanged if the shells of POSIX take it as it is, otherwise in single quotes: my dir → 'my dir', it's → 'it'\''s'.
std::string shell_word(std::string_view word);

// Several of them, with blanks between.
template <typename Words>
std::string shell_words(const Words& words)
{
    std::string line;
    for (const auto& word : words) {
        line += (line.empty() ? "" : " ") + shell_word(word);
    }
    return line;
}

}  // namespace shelfd
