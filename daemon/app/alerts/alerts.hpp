// Announces what is wrong: looks at the status, stores the calls that are due, and repeats each until it is accepted.
#pragma once

#include "app/alerts/alert_store.hpp"
#include "app/alerts/consumer_lag.hpp"
#include "app/alerts/drop_notice.hpp"
#include "app/alerts/hook_call.hpp"
#include "app/alerts/hook_run.hpp"
#include "app/alerts/incident_report.hpp"
#include "control/hooks/notification.hpp"
#include "control/model/alerts.hpp"
#include "control/model/status.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/task_group.hpp"
#include "runtime/log/log.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace shelfd::app {

// Loop only. No pass waits for it. A call is made only after its record is durable, and is kept until the hook accepts
// it: a crash in between repeats at most one call of each hook. If the record cannot be written, hooks are called all
// the same.
class Alerts {
public:
    // Between two looks at the status. Without hooks there are none.
    static constexpr Duration between_looks = std::chrono::seconds(15);

    struct Services {
        HookServices calls;
        Lane disk;
        Log log;
        std::function<double()> random;           // uniform in [0, 1)
        std::function<control::Status()> status;  // without `notices`
        TaskGroup& tasks;                         // of deliveries; ends before this object
        std::string host;                         // this machine
    };

    // `directory` is for its file.
    Alerts(Services services, std::string directory);

    // Reads what the last process left, then looks and calls until it is cancelled.
    asio::awaitable<void> run();
    // The hooks of another configuration: calls of those that are gone are dropped. A line for each change.
    // A silence follows a library that was renamed.
    std::vector<std::string> replace(const std::vector<config::Hook>& hooks, const config::Libraries& libraries);

    // Calls the hook once, now, independent of waiting calls. Errors: not_found, which names the known hooks; refused,
    // with the reason.
    asio::awaitable<Result<void>> test(std::string hook);
    // Errors: not_found; busy before the record is read.
    asio::awaitable<Result<control::SilenceReport>> silence(control::SilenceRequest request);
    control::AlertReport report() const;
    // Enters the ids of open incidents.
    void name_incidents(std::vector<control::Cause>& problems) const
    {
        app::name_incidents(store_.book.record(), problems);
    }
    // Empty until the file was read.
    std::optional<Consumers> consumers() const
    {
        return store_.is_loaded()
                   ? std::optional(find_consumers(rules(), report().hooks, store_.queue, store_.rounds.known()))
                   : std::nullopt;
    }
    // Consumers of published rounds that do not accept them.
    std::vector<control::Cause> lags() const { return find_lags(report().hooks, store_.queue); }
    // For the status: hooks that do not accept their calls, a record that cannot be written, a damaged file.
    std::vector<control::Notice> notices() const;

private:
    asio::awaitable<void> work();
    void look();
    bool is_settled(const control::Status& status);
    void look_at_causes(const control::Status& status, const control::NotificationPlace& place);
    void look_at_rounds(const control::Status& status, const control::NotificationPlace& place);
    void add_call(control::PendingCall call);
    void call_due_hooks();
    asio::awaitable<void> deliver(std::string hook);
    asio::awaitable<void> deliver_waiting(std::string hook);
    void settle(const control::PendingCall& call, const CallOutcome& outcome);
    BootTime next_look() const;
    HookRun* find(const std::string& hook);
    std::vector<std::string> hook_names() const;
    std::vector<control::HookRule> rules() const;
    Instant now() const { return services_.calls.clock.now(); }

    Services services_;
    AlertStore store_;
    DropNotice dropped_;
    std::vector<HookRun> hooks_;  // in configuration order
    std::set<std::string> busy_;  // hooks that are being called; one of them may have left the configuration meanwhile
    BootTime started_;
    bool is_settled_ = false;  // see first_look.hpp
    AsyncEvent wake_;          // a hook is free again, or the hooks have changed
};

}  // namespace shelfd::app
