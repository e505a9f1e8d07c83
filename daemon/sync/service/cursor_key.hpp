// What can be read of the cursor that leads to the next page.
#pragma once

#include "sync/service/query.hpp"

#include <cstdint>
#include <optional>

namespace shelfd::sync {

// The whole number behind which the page that `query` asks for begins: where one of its parameters is a cursor as
// Django REST framework makes them (base64 of a query with `p`, the place), read forwards and without `o`, the number
// of rows to pass over from that place on. nothing for any other cursor, and for more than one.
std::optional<std::int64_t> cursor_key(const Query& query);

}  // namespace shelfd::sync
