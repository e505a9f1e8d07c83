// The source of random bytes; tests supply their own.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace shelfd::ctl {

// Fills the bytes with unpredictable values.
using RandomBytes = std::function<void(std::span<std::byte>)>;

}  // namespace shelfd::ctl
