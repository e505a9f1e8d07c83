#include "sync/worker/wish_queue.hpp"

#include <algorithm>

namespace shelfd::sync {
namespace {

void add_askers(std::vector<std::string>& all, const std::vector<std::string>& more)
{
    for (const auto& who : more) {
        if (std::find(all.begin(), all.end(), who) == all.end()) {
            all.push_back(who);
        }
    }
}

}  // namespace

std::size_t WishQueue::add(const Wish& wish)
{
    auto place = std::find_if(wishes_.begin(), wishes_.end(), [&](const Wish& one) { return one.is_same_pass(wish); });
    if (place == wishes_.end() && join_ == Join::one_for_all && !wishes_.empty()) {
        place = wishes_.begin();
        place->wanted = std::max(place->wanted, wish.wanted);
    }
    if (place == wishes_.end()) {
        place = wishes_.insert(wishes_.end(), wish);
    } else {
        add_askers(place->asked_by, wish.asked_by);
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
