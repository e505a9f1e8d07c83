#include "app/alerts/consumer_lag.hpp"

#include "control/hooks/round_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shelfd::app {
namespace {

Consumer describe_consumer(const std::string& hook, const std::string& library, const control::CallQueue& queue,
                           const std::string& announced, const std::string& trouble)
{
    Consumer consumer{hook, announced, 0, std::nullopt, ""};
    const auto name = control::rounds_name(library);
    for (const auto* call : queue.waiting_rounds(hook)) {
        if (call->incident != name) {
            continue;
        }
        if (consumer.waiting++ == 0) {
            consumer.position = control::position_before(call->body);
            consumer.waiting_since = call->made;
            consumer.why = trouble;
        }
    }
    return consumer;
}

}  // namespace

std::optional<control::Cause> find_lag(const std::string& hook, const control::CallQueue& queue,
                                       const std::string& trouble)
{
    const auto waiting = queue.waiting_rounds(hook);
    if (waiting.empty() || waiting.front()->tries < 2) {
        return std::nullopt;
    }
    control::Cause cause;
    cause.key = "consumer_lag " + hook;
    cause.kind = control::CauseKind::consumer_lag;
    cause.since = waiting.front()->made;
    for (const auto* call : waiting) {
        const auto library = control::library_of_rounds(call->incident);
        const auto is_same = [&library](const control::Affected& one) { return one.library == library; };
        if (std::any_of(cause.affected.begin(), cause.affected.end(), is_same)) {
            continue;
        }
        control::Affected affected;
        affected.library = library;
        affected.why = fmt::format("hook {} has not accepted a call for rounds published since {}{}{}", hook,
                                   call->made.to_short_text(), trouble.empty() ? "" : ": ", trouble);
        affected.do_this = fmt::format("correct that, then: shelfctl hooks test {}", hook);
        affected.next = "keeps the calls, and makes them again, for a week";
        cause.affected.push_back(std::move(affected));
    }
    sort_by_library(cause.affected);
    return cause;
}

std::vector<control::Cause> find_lags(const std::vector<control::HookStatus>& hooks, const control::CallQueue& queue)
{
    std::vector<control::Cause> causes;
    for (const auto& hook : hooks) {
        if (auto lag = find_lag(hook.name, queue, hook.trouble)) {
            causes.push_back(std::move(*lag));
        }
    }
    return causes;
}

Consumers find_consumers(const std::vector<control::HookRule>& rules, const std::vector<control::HookStatus>& hooks,
                         const control::CallQueue& queue, const control::RoundWatch::Known& announced)
{
    Consumers consumers;
    for (const auto& rule : rules) {
        const auto status =
            std::find_if(hooks.begin(), hooks.end(), [&rule](const auto& hook) { return hook.name == rule.name; });
        const auto trouble = status == hooks.end() ? std::string() : status->trouble;
        for (const auto& [library, known] : announced) {
            const bool is_selected = rule.libraries.empty() || std::find(rule.libraries.begin(), rule.libraries.end(),
                                                                         library) != rule.libraries.end();
            if (is_selected && !rule.on_publish.empty()) {
                consumers[library].push_back(describe_consumer(rule.name, library, queue, known.position, trouble));
            }
        }
    }
    return consumers;
}

}  // namespace shelfd::app
