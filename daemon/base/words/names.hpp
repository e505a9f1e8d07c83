// Compares a mistyped name with the known ones, for errors that say which names there are; lists names in a sentence.
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

// "a, b and 4 more": at most `most` of the names, and how many there are besides. `unlisted` counts those that exist
// but are not among `names`. "" if there are none.
std::string list_some(std::span<const std::string> names, std::size_t most, std::size_t unlisted = 0);

// The same of clauses, which may hold commas: "a failed; b failed; and 4 more".
std::string list_clauses(std::span<const std::string> clauses, std::size_t most, std::size_t unlisted = 0);

}  // namespace shelfd
