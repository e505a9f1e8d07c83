// The known word nearest to a mistyped one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace shelfd::config {

// Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The first of the nearest; "" when there are no words.
std::string_view nearest(std::string_view word, std::span<const std::string_view> words);

// The same, where it can have been meant: at most a third of its letters are others. "" when none can.
std::string_view nearest_alike(std::string_view word, std::span<const std::string_view> words);

}  // namespace shelfd::config
