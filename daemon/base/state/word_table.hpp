// Words of an enumeration, in the order of its values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace shelfd {

template <typename Value, std::size_t size>
std::optional<Value> find_word(const std::array<const char*, size>& words, std::string_view word)
{
    const auto* const found = std::find(words.begin(), words.end(), word);
    return found == words.end() ? std::nullopt : std::optional(static_cast<Value>(found - words.begin()));
}

}  // namespace shelfd
