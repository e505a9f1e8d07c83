#include "sync/walk/page_tries.hpp"

namespace shelfd::sync {

void PageTries::succeeded()
{
    other_request();
    renewed_ = false;
    backoff_.reset();
}

std::optional<Duration> PageTries::failed(std::uint32_t max, double random)
{
    return ++attempts_ < max ? std::optional(backoff_.next(random)) : std::nullopt;
}

}  // namespace shelfd::sync
