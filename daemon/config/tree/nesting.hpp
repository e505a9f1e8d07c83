// Finds out how deep TOML is nested before a recursive parser reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace shelfd::config {

// A configuration needs six levels (library.NAME.resource.NAME.full.at).
inline constexpr std::size_t deepest_nesting = 32;

struct DeepPlace {
    std::uint32_t line = 1;
    std::uint32_t column = 1;  // in characters
};

// Returns where tables, inline tables, arrays and dotted keys first nest deeper than `deepest_nesting`; empty if they
// do not. After a syntax fault the result is undefined, because TOML parsers stop there. Memory grows with the depth
// only.
std::optional<DeepPlace> find_deep_nesting(std::string_view text);

}  // namespace shelfd::config
