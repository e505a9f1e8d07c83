// What is said of an answer that is no page of a list.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"

#include <string_view>

namespace shelfd::sync {

// It is no JSON, or broken: protocol.
Error unreadable(std::string_view what);
// It is JSON of another shape than `answers` says; `seen` says which: config.
Error other_shape(std::string_view seen, config::Answers answers);
// A member has another type than it has at any list, so what stands at that address is none: config.
Error other_type(std::string_view member, std::string_view wanted);

}  // namespace shelfd::sync
