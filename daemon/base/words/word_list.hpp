// Words that blanks separate.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace shelfd {

inline std::vector<std::string> words_in(const std::string& text)
{
    std::vector<std::string> words;
    std::istringstream in(text);
    for (std::string word; in >> word;) {
        words.push_back(word);
    }
    return words;
}

}  // namespace shelfd
