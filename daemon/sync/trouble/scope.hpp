// Checks whether a token set has the scope that a resource needs, before a request is spent on it.
#pragma once

#include <string>
#include <string_view>

namespace shelfd::sync {

// `granted` is the scope of the set as the service sent it: names separated by spaces ('+' and ',' in pasted sets).
// False if `granted` names no scope (the service's answer will show it) or `needed` is empty.
bool lacks_scope(std::string_view granted, std::string_view needed);
// Why the resource is forbidden then.
std::string describe_missing_scope(std::string_view granted, std::string_view needed);

}  // namespace shelfd::sync
