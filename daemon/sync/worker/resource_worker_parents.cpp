// Lists by parent: the passes of one table follow those of another one.
#include "sync/worker/resource_worker.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace shelfd::sync {

void ResourceWorker::follow(ResourceWorker& parent)
{
    parent_ = &parent;
    parent.followers_.push_back(this);
}

// A ledger loads its history for hours. Its older windows bring rows one by one, and the lists of these rows follow.
bool ResourceWorker::is_about_to_pass() const
{
    if (rhythm_.windows() != nullptr && wishes_.empty() && !must_refill_ && !rhythm_.is_due(context_.clock.now())) {
        return busy_ && !is_rest_;
    }
    return busy_ || due_ <= context_.clock.now() || !wishes_.empty();
}

asio::awaitable<void> ResourceWorker::await_parent()
{
    while (parent_ != nullptr && parent_->is_about_to_pass()) {
        co_await parent_->ended_.wait();
    }
}

void ResourceWorker::parent_changed()
{
    parent_changed_ = true;
    if (!busy_) {
        plan_at(context_.clock.now());
        wake_.notify_all();
    }
}

void ResourceWorker::notify_followers(const PassReport& pass)
{
    if (!pass.published) {
        return;
    }
    const auto key = resource_.row_key();
    for (auto* follower : followers_) {
        const auto& names = follower->resource_.parent->key;
        // What is in the key cannot change in a row that stays.
        const bool may_change = std::find(key.begin(), key.end(), names) == key.end();
        if (pass.published->added + pass.published->deleted + (may_change ? pass.published->changed : 0) > 0) {
            follower->parent_changed();
        }
    }
}

// Said before the table is late for it.
void ResourceWorker::record_slow_round(PassReport& pass) const
{
    const auto took = pass.ended - pass.started;
    const bool is_slow = took > rhythm_.distance_after(pass.started);
    if (chooser_.has_parent() && pass.published && pass.remark.empty() && is_slow) {
        pass.remark = fmt::format("a round over all lists took {:.0f} min, longer than the schedule wants: a rarer "
                                  "`every`, or a higher limit",
                                  static_cast<double>(took.count()) / 60e6);
    }
}

}  // namespace shelfd::sync
