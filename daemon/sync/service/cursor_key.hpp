// Reads the key in the cursor of the next page, if the cursor holds only a key.
#pragma once

#include "sync/service/query.hpp"

#include <cstdint>
#include <optional>

namespace shelfd::sync {

// Returns the integer after which the page of `query` begins. Accepts a cursor of Django REST framework (base64 of a
// query) that contains only `p`, the position; `r` (backwards) or `o` (rows to skip after the position) make it
// unusable. Empty for any other cursor, and if several parameters are cursors.
std::optional<std::int64_t> cursor_key(const Query& query);

}  // namespace shelfd::sync
