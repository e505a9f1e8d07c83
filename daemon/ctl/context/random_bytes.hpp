// Where random bytes come from; a test gives its own.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace shelfd::ctl {

// Fills the bytes with what nobody can guess.
using RandomBytes = std::function<void(std::span<std::byte>)>;

}  // namespace shelfd::ctl
