// The version of the reading of items.
#pragma once

#include <cstdint>

namespace shelfd::mirror {

// Raised when the same text must become other rows than before. Part of each item's hash.
inline constexpr std::uint64_t decoding_version = 1;

}  // namespace shelfd::mirror
