// Undoes what may be around an answer: quotes and escapes, percent-encoding, base64, HTML entities, UTF-16,
// the content codings gzip and deflate.
#pragma once

#include "base/secret.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace shelfd::oauth {

// The most bytes of an answer, also once unpacked, that are searched for a set.
inline constexpr std::size_t longest_reading = 256u << 10;

// Returns the readings of an answer: itself first, then what it says if one encoding is undone, and so on, at most
// eight levels deep. Accepts any bytes. Longer answers than a token endpoint sends have only one reading: as they are.
std::vector<Secret> readings_of(std::string_view body);

}  // namespace shelfd::oauth
