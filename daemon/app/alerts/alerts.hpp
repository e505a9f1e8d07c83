// Tells people what is wrong: looks at the status, keeps what has to be told, and calls hooks until they accept it.
#pragma once

#include "app/alerts/alert_store.hpp"
#include "app/alerts/hook_call.hpp"
#include "control/model/alerts.hpp"
#include "control/model/status.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/task_group.hpp"
#include "runtime/log/log.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shelfd::app {

// Loop only. Whatever it waits for, nobody waits for it. A call counts as made only once its record is durable, and is
// kept until the hook accepts it: a crash between the two repeats one call of each hook at most. Where the disk takes
// no record, hooks are called all the same.
class Alerts {
public:
    // Between two looks at the status. Nothing is looked at where there is no hook.
    static constexpr Duration between_looks = std::chrono::seconds(15);

    struct Services {
        HookServices calls;
        Lane disk;
        Log log;
        std::function<double()> random;           // uniform in [0, 1)
        std::function<control::Status()> status;  // without what `notices` tells
        TaskGroup& tasks;                         // of deliveries; ends before this object
        std::string host;                         // this machine
    };

    // `directory` is for its file.
    Alerts(Services services, std::string directory);

    // Reads what the last process left, then looks and calls until it is cancelled.
    asio::awaitable<void> run();
    // The hooks of another configuration: calls of those that are gone are dropped. A line for each change.
    std::vector<std::string> replace(const std::vector<config::Hook>& hooks);

    // Calls the hook once, now, beside all that waits. Errors: not_found, naming those that there are; refused, with
    // what the hook said.
    asio::awaitable<Result<void>> test(std::string hook);
    // Until when it holds; nothing when it ended the silence. Errors: not_found; busy before the record is read.
    asio::awaitable<Result<std::optional<Instant>>> silence(control::SilenceRequest request);
    control::AlertReport report() const;
    // For the status: hooks that do not accept their calls, records that no disk takes, a file put aside.
    std::vector<control::Notice> notices() const;

private:
    struct HookRun {
        std::shared_ptr<const config::Hook> hook;
        bool is_busy = false;
        std::optional<Instant> called;
        std::string trouble;
    };

    asio::awaitable<void> work();
    void look();
    void call_due_hooks();
    asio::awaitable<void> deliver(std::string hook);
    asio::awaitable<void> deliver_waiting(std::string hook);
    void settle(const control::PendingCall& call, const CallOutcome& outcome);
    BootTime next_look() const;
    HookRun* find(const std::string& hook);
    Error unknown_hook(const std::string& hook) const;
    std::vector<control::HookRule> rules() const;
    Instant now() const { return services_.calls.clock.now(); }

    Services services_;
    AlertStore store_;
    std::vector<HookRun> hooks_;  // in configuration order
    AsyncEvent wake_;             // a hook is free again, or there are others
};

}  // namespace shelfd::app
