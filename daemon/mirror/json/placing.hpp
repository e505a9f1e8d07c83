// Determines to which slice the items of a page belong, and adds the member that states it.
#pragma once

#include "base/result.hpp"
#include "mirror/json/page.hpp"
#include "mirror/values/slice.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::mirror {

// Fails with kind config, naming the row and its place, if an item does not belong to the slice.
Result<void> check_places(const Page& page, const Slice& slice);

// Returns the place of one item; an empty optional if it states none.
std::optional<std::int64_t> place_of(std::string_view item, const Slice& slice);

// Returns that member of the first item, without quotes; "" if it has none. Empty optional: there is no item.
std::optional<std::string> first_member(std::string_view items, const std::string& name);

// Adds a member at the front of each item. An item that has it with this value is unchanged. Errors: protocol if it is
// not an array of objects; config if an item has the member with another value.
Result<std::string> with_member(std::string_view items, const std::string& member, const std::string& value);

}  // namespace shelfd::mirror
