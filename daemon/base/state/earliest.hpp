// The earliest of several times that may be unknown.
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>

namespace shelfd {

// `at` becomes the earlier of both; what is unknown does not count.
template <class Value>
void take_earlier(std::optional<Value>& at, const std::type_identity_t<std::optional<Value>>& other)
{
    at = at && other ? std::min(*at, *other) : at ? at : other;
}

}  // namespace shelfd
