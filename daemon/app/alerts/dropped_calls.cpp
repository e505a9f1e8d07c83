#include "app/alerts/dropped_calls.hpp"

#include "control/hooks/call_queue.hpp"

#include <fmt/format.h>

#include <map>

namespace shelfd::app {
namespace {

constexpr Duration is_news = std::chrono::hours(24);

// ", 2 of them pages".
std::string describe_pages(std::uint64_t pages)
{
    return pages == 0 ? "" : fmt::format(", {} of them page{}", pages, pages == 1 ? "" : "s");
}

}  // namespace

void DroppedCalls::add(const std::vector<control::PendingCall>& calls, Instant now, const Log& log)
{
    if (calls.empty()) {
        return;
    }
    if (!since_ || now - last_ >= is_news) {
        since_ = now;
        count_ = 0;
        pages_ = 0;
        hooks_.clear();
    }
    last_ = now;
    std::map<std::string, std::uint64_t> by_hook;
    std::uint64_t pages = 0;
    for (const auto& call : calls) {
        ++by_hook[call.hook];
        pages += call.severity == control::Severity::page ? 1 : 0;
        hooks_.insert(call.hook);
    }
    count_ += calls.size();
    pages_ += pages;
    for (const auto& [hook, count] : by_hook) {
        log.error(
            fmt::format("{} calls of hook {} were dropped{}: more than {} calls or {} MiB wait, and the mildest and "
                        "oldest go first; the last is of incident {}",
                        count, hook, describe_pages(pages), control::CallQueue::max_calls,
                        control::CallQueue::max_bytes >> 20U, calls.back().incident),
            {{"incident", calls.back().incident}});
    }
}

void DroppedCalls::report(Instant now, std::vector<control::Notice>& notices) const
{
    if (!since_ || now - last_ >= is_news) {
        return;
    }
    notices.push_back(
        {fmt::format("calls of hook{} {} were dropped because too many wait: {} since then{}",
                     hooks_.size() == 1 ? "" : "s", fmt::join(hooks_, ", "), count_, describe_pages(pages_)),
         "shelfctl hooks list shows which hook does not accept its calls; mend it, then: shelfctl hooks "
         "test NAME",
         since_});
}

}  // namespace shelfd::app
