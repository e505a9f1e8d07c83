// A configured hook as it runs.
#pragma once

#include "config/model/model.hpp"
#include "control/hooks/call_queue.hpp"
#include "control/hooks/hook_rule.hpp"
#include "control/model/alerts.hpp"
#include "control/model/status.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::app {

struct HookRun {
    std::shared_ptr<const config::Hook> hook;
    std::optional<Instant> called;  // the last one that was accepted, since the daemon started
    std::string trouble;            // why the last one was not; "" = it was

    void accepted(Instant at)
    {
        called = at;
        trouble.clear();
    }
};

// Which causes and rounds call it.
control::HookRule rule_of(const config::Hook& hook);

// `names`: of all hooks.
Error unknown_hook(const std::string& hook, const std::vector<std::string>& names);

control::HookStatus report_hook(const HookRun& run, const control::CallQueue& queue, Instant now);

// Appends those that do not accept their calls, except consumers that lag: a cause of their own says so.
void report_failing(const std::vector<HookRun>& hooks, const control::CallQueue& queue,
                    std::vector<control::Notice>& notices);

}  // namespace shelfd::app
