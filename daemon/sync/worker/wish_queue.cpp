#include "sync/worker/wish_queue.hpp"

#include <algorithm>

namespace shelfd::sync {

std::size_t WishQueue::add(const Wish& wish)
{
    auto place = std::find(wishes_.begin(), wishes_.end(), wish);
    if (place == wishes_.end() && join_ == Join::one_for_all && !wishes_.empty()) {
        place = wishes_.begin();
        place->wanted = std::max(place->wanted, wish.wanted);
    }
    if (place == wishes_.end()) {
        place = wishes_.insert(wishes_.end(), wish);
    }
    return static_cast<std::size_t>(place - wishes_.begin());
}

std::optional<Wish> WishQueue::next() const
{
    return wishes_.empty() ? std::nullopt : std::optional(wishes_.front());
}

std::optional<Wish> WishQueue::take()
{
    auto wish = next();
    if (wish) {
        wishes_.erase(wishes_.begin());
    }
    return wish;
}

}  // namespace shelfd::sync
