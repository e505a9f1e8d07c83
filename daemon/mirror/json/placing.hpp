// Which slice the items of a page belong to: by what they say themselves, or by a member that they get.
#pragma once

#include "base/result.hpp"
#include "mirror/json/page.hpp"
#include "mirror/values/slice.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::mirror {

// Errors: config, with the row and its place in the text, for one that does not belong to the slice.
Result<void> check_places(const Page& page, const Slice& slice);

// The place of an item by itself; nothing when it tells none.
std::optional<std::int64_t> place_of(std::string_view item, const Slice& slice);

// What the first item of an array has there, without quotes; "" when it has no such member. nothing: no item.
std::optional<std::string> first_member(std::string_view items, const std::string& name);

// `items` with one more member, in front of the others, in each item; where it is there already with this very value,
// as it was. Errors: protocol for what is no array of objects; config where an item has the member otherwise.
Result<std::string> with_member(std::string_view items, const std::string& member, const std::string& value);

}  // namespace shelfd::mirror
