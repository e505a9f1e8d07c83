#include "base/backoff.hpp"

#include <algorithm>

namespace shelfd {

Duration Backoff::next(double random)
{
    Duration delay = first_;
    for (std::uint32_t i = 0; i < failures_ && delay < cap_; ++i) {
        delay *= 2;
    }
    delay = std::min(delay, cap_);
    ++failures_;
    const auto half = delay / 2;
    return half + Duration(static_cast<std::int64_t>(static_cast<double>((delay - half).count()) * random));
}

}  // namespace shelfd
