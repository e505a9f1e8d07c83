#include "base/backoff.hpp"

#include <algorithm>

namespace shelfd {

Duration doubled(Duration first, std::uint32_t times, Duration cap)
{
    auto delay = first;
    for (std::uint32_t i = 0; i < times && delay < cap; ++i) {
        delay *= 2;
    }
    return std::min(delay, cap);
}

Duration Backoff::next(double random)
{
    const auto delay = doubled(first_, failures_, cap_);
    ++failures_;
    const auto half = delay / 2;
    return half + Duration(static_cast<std::int64_t>(static_cast<double>((delay - half).count()) * random));
}

}  // namespace shelfd
