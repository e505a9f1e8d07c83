#include "app/alerts/drop_notice.hpp"

#include "control/hooks/call_queue.hpp"

#include <fmt/format.h>

#include <map>

namespace shelfd::app {
namespace {

constexpr Duration is_news = std::chrono::hours(24);

// ", 2 of them pages".
std::string describe_pages(std::uint64_t pages)
{
    return pages == 0 ? "" : pages == 1 ? ", one of them a page" : fmt::format(", {} of them pages", pages);
}

}  // namespace

void DropNotice::add(const std::vector<control::PendingCall>& calls, Instant now, const Log& log)
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
    struct Sum {
        std::uint64_t calls = 0;
        std::uint64_t pages = 0;
        std::string incident;  // of the last
    };
    std::map<std::string, Sum> by_hook;
    for (const auto& call : calls) {
        auto& sum = by_hook[call.hook];
        const auto page = call.severity == control::Severity::page ? 1U : 0U;
        ++sum.calls;
        sum.pages += page;
        sum.incident = call.incident;
        ++count_;
        pages_ += page;
        hooks_.insert(call.hook);
    }
    for (const auto& [hook, sum] : by_hook) {
        log.error(fmt::format("{} call{} of hook {} dropped{}: more than {} calls or {} MiB wait, so those of the "
                              "lowest severity, and of these the oldest, are dropped first; the last is of incident {}",
                              sum.calls, sum.calls == 1 ? "" : "s", hook, describe_pages(sum.pages),
                              control::CallQueue::max_calls, control::CallQueue::max_bytes >> 20U, sum.incident),
                  {{"incident", sum.incident}});
    }
}

void DropNotice::report(Instant now, std::vector<control::Notice>& notices) const
{
    if (!since_ || now - last_ >= is_news) {
        return;
    }
    notices.push_back({fmt::format("calls of hook {} were dropped because too many were waiting: {} so far{}",
                                   fmt::join(hooks_, ", "), count_, describe_pages(pages_)),
                       "to see which hook does not accept its calls: shelfctl hooks list; correct that, then: shelfctl "
                       "hooks test NAME",
                       since_});
}

}  // namespace shelfd::app
