// Finds the known word nearest to a mistyped one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace shelfd::config {

// Number of insertions, deletions, replacements and swaps of neighbours between the words (Damerau-Levenshtein
// distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The first of the nearest words; "" if `words` is empty.
std::string_view nearest(std::string_view word, std::span<const std::string_view> words);

// The same, but only if it is similar: at most a third of its letters differ. Otherwise "".
std::string_view nearest_alike(std::string_view word, std::span<const std::string_view> words);

}  // namespace shelfd::config
