// Compares a mistyped name with the known ones, for errors that say which names there are.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd {

// Number of insertions, deletions, replacements and swaps of neighbours between the words (Damerau-Levenshtein
// distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The first of the nearest names; "" if `names` is empty. A name that consists of the same words is nearer than one of
// similar letters: "Brussels" is nearest to "Europe/Brussels".
std::string_view nearest(std::string_view name, std::span<const std::string_view> names);

// The same, but only if it is similar: it has a word in common, continues the name, or at most a third of its letters
// differ. Otherwise "".
std::string_view nearest_alike(std::string_view name, std::span<const std::string_view> names);

// "recipes, sales, outlets": similar names first, the others in their order. Of many, the first ones and "and 40 more";
// "none" if there are none.
std::string list_nearest_first(std::string_view name, std::vector<std::string> names);

}  // namespace shelfd
