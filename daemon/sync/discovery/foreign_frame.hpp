// Frames around the rows of a list that shelfd does not read.
#pragma once

#include <string>
#include <string_view>

namespace shelfd::sync {

// Why an object is no single item: its rows are in a member such as `data` ("data.items" below another one). "" if it
// looks like one item. `results`: the array of the one object, as read_page returns it. Pure.
std::string foreign_frame(std::string_view results);

}  // namespace shelfd::sync
