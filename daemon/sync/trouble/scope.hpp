// Does a token set cover what a resource needs? Asked before a request is spent on finding out.
#pragma once

#include <string_view>

namespace shelfd::sync {

// `granted` is the scope of the set as the service gave it, names separated by spaces ('+' and ',' in sets that people
// paste). A set that does not say what it covers lacks nothing: the service will tell. So does a resource that names no
// need.
bool lacks_scope(std::string_view granted, std::string_view needed);

}  // namespace shelfd::sync
