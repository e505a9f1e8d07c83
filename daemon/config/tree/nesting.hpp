// How deep TOML is nested, found out before anything that calls itself reads it.
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

// Where tables, inline tables, arrays and dotted keys first nest deeper than `deepest_nesting`; nothing where they do
// not. Behind a fault of syntax it may be anything: readers of TOML stop there. Takes memory for the depth only.
std::optional<DeepPlace> find_deep_nesting(std::string_view text);

}  // namespace shelfd::config
