#include "app/alerts/hook_run.hpp"

#include "app/alerts/consumer_lag.hpp"
#include "app/alerts/hook_call.hpp"
#include "base/words/names.hpp"

#include <fmt/format.h>

namespace shelfd::app {

control::HookRule rule_of(const config::Hook& hook)
{
    return {hook.name, hook.on, hook.libraries, hook.after, hook.repeat, hook.on_publish};
}

Error unknown_hook(const std::string& hook, const std::vector<std::string>& names)
{
    return Error(ErrorKind::not_found,
                 names.empty() ? fmt::format("there is no hook {}: write [hooks.{}], then: shelfctl reload", hook, hook)
                               : fmt::format("there is no hook {} (known: {}); see: shelfctl hooks list", hook,
                                             list_nearest_first(hook, names)));
}

control::HookStatus report_hook(const HookRun& run, const control::CallQueue& queue, Instant now)
{
    control::HookStatus status;
    status.name = run.hook->name;
    status.target = target_of(*run.hook);
    status.on = run.hook->on;
    if (!run.hook->on_publish.empty()) {
        status.on.push_back(fmt::format("published:{}", fmt::join(run.hook->on_publish, ",")));
    }
    status.waiting = queue.waiting(status.name);
    if (const auto* const oldest = queue.oldest(status.name)) {
        status.waiting_since = oldest->made;
    }
    status.called = run.called;
    status.trouble = run.trouble;
    status.next_try = queue.next_time(status.name, now);
    return status;
}

void report_failing(const std::vector<HookRun>& hooks, const control::CallQueue& queue,
                    std::vector<control::Notice>& notices)
{
    for (const auto& run : hooks) {
        if (run.trouble.empty() || find_lag(run.hook->name, queue, run.trouble)) {
            continue;
        }
        notices.push_back({fmt::format("hook {} does not accept its calls, {} wait: {}", run.hook->name,
                                       queue.waiting(run.hook->name), run.trouble),
                           fmt::format("correct that, then: shelfctl hooks test {}", run.hook->name), std::nullopt});
    }
}

}  // namespace shelfd::app
