#include "app/alerts/alerts.hpp"

#include "control/hooks/cause_finder.hpp"
#include "control/hooks/notification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shelfd::app {
namespace {

// A hook that stumbled once is no trouble.
constexpr std::uint32_t tries_worth_telling = 2;
// After a bug in here.
constexpr Duration rest = std::chrono::minutes(1);

control::IncidentStatus status_of(const control::Incident& incident)
{
    const auto& cause = incident.cause;
    control::IncidentStatus status;
    status.id = incident.id;
    status.cause = to_string(cause.kind);
    status.severity = to_string(cause.severity);
    status.title = title_of(cause.kind);
    status.why = cause.affected.front().why;
    status.do_this = cause.affected.front().do_this;
    status.who = who_can_act(cause.kind);
    status.since = incident.opened;
    for (const auto& one : cause.affected) {
        if (!one.library.empty()) {
            status.libraries.push_back(one.library);
        }
    }
    for (const auto& [hook, told] : incident.told) {
        status.told.push_back(hook);
    }
    return status;
}

}  // namespace

Alerts::Alerts(Services services, std::string directory)
    : services_(std::move(services)), store_(services_.calls.clock, services_.disk, services_.log, std::move(directory))
{
}

std::vector<std::string> Alerts::replace(const std::vector<config::Hook>& hooks)
{
    std::vector<std::string> changes;
    std::vector<HookRun> next;
    for (const auto& hook : hooks) {
        auto* known = find(hook.name);
        auto& run = next.emplace_back(known != nullptr ? std::move(*known) : HookRun());
        if (run.hook && *run.hook == hook) {
            continue;
        }
        changes.push_back(fmt::format("hook {} {}", hook.name, run.hook ? "changed" : "added"));
        run.hook = std::make_shared<const config::Hook>(hook);
        run.trouble.clear();
    }
    for (const auto& run : hooks_) {
        if (run.hook) {
            changes.push_back(fmt::format("hook {} removed", run.hook->name));
        }
    }
    hooks_ = std::move(next);
    wake_.notify_all();
    return changes;
}

Alerts::HookRun* Alerts::find(const std::string& hook)
{
    const auto found = std::find_if(hooks_.begin(), hooks_.end(),
                                    [&](const HookRun& run) { return run.hook && run.hook->name == hook; });
    return found == hooks_.end() ? nullptr : &*found;
}

std::vector<control::HookRule> Alerts::rules() const
{
    std::vector<control::HookRule> rules;
    for (const auto& run : hooks_) {
        const auto& hook = *run.hook;
        rules.push_back({hook.name, hook.on, hook.libraries, hook.after, hook.repeat});
    }
    return rules;
}

asio::awaitable<void> Alerts::run()
{
    co_await store_.load();
    for (;;) {
        std::exception_ptr thrown;
        try {
            co_await work();
        } catch (...) {
            thrown = std::current_exception();
        }
        if (is_cancellation(thrown)) {
            std::rethrow_exception(thrown);
        }
        // Passes and token sets have nothing to do with it.
        services_.log.error(fmt::format("bug: alerts: {}: they go on in a minute; please send a bug report with this "
                                        "log",
                                        describe_exception(thrown)));
        co_await services_.calls.clock.sleep_for(rest);
    }
}

asio::awaitable<void> Alerts::work()
{
    for (;;) {
        if (!hooks_.empty()) {
            look();
        }
        co_await store_.keep();
        call_due_hooks();
        co_await services_.calls.clock.wait_until(next_look(), wake_);
    }
}

void Alerts::look()
{
    const auto status = services_.status();
    auto causes = control::find_causes(status);
    for (auto& change : store_.facts.compare(status)) {
        causes.push_back(std::move(change));
    }
    const control::NotificationPlace place{services_.host, now()};
    for (const auto& one : store_.book.update(causes, rules(), place.now)) {
        control::PendingCall call;
        call.hook = one.hook;
        call.incident = one.incident.id;
        call.event = one.event;
        call.body = notification_body(one, place);
        call.made = place.now;
        store_.queue.add(std::move(call));
        store_.touch();
        services_.log.info(fmt::format("alert for hook {}: {}", one.hook, chat_line(one, place)),
                           {{"incident", one.incident.id}});
    }
    std::vector<std::string> names;
    for (const auto& run : hooks_) {
        names.push_back(run.hook->name);
    }
    if (const auto dropped = store_.queue.drop_stale(names, place.now); dropped > 0) {
        store_.touch();
        services_.log.warning(fmt::format("{} calls of hooks were dropped: nobody took them for a week, or their hooks "
                                          "are no longer configured",
                                          dropped));
    }
}

BootTime Alerts::next_look() const
{
    auto wait = between_looks;
    for (const auto& run : hooks_) {
        const auto at = run.is_busy ? std::nullopt : store_.queue.next_time(run.hook->name, now());
        wait = at ? std::min(wait, std::max(*at - now(), Duration(std::chrono::seconds(1)))) : wait;
    }
    return services_.calls.clock.boot_now() + wait;
}

void Alerts::call_due_hooks()
{
    for (auto& run : hooks_) {
        if (!run.is_busy && store_.queue.next(run.hook->name, now()) != nullptr) {
            run.is_busy = true;
            services_.tasks.spawn(deliver(run.hook->name), "a call of hook " + run.hook->name);
        }
    }
}

// One at a time for each hook, so that its calls arrive in their order.
asio::awaitable<void> Alerts::deliver(std::string hook)
{
    std::exception_ptr thrown;
    try {
        co_await deliver_waiting(hook);
    } catch (...) {
        thrown = std::current_exception();
    }
    if (auto* run = find(hook)) {
        run->is_busy = false;
    }
    wake_.notify_all();
    if (thrown && is_cancellation(thrown)) {
        std::rethrow_exception(thrown);
    }
    if (thrown) {
        services_.log.error(
            fmt::format("bug: hook {}: {}; please send a bug report with this log", hook, describe_exception(thrown)));
    }
}

asio::awaitable<void> Alerts::deliver_waiting(std::string hook)
{
    for (;;) {
        const auto* const next = store_.queue.next(hook, now());
        const auto* const run = find(hook);
        if (next == nullptr || run == nullptr) {
            co_return;
        }
        const auto call = *next;
        auto configured = run->hook;
        // Counted before it is made: what may have arrived is not taken back.
        store_.queue.begin(call.number, now());
        store_.touch();
        co_await store_.keep();
        auto calling = call_hook(services_.calls, std::move(configured), call.body);
        const auto outcome = co_await std::move(calling);
        settle(call, outcome);
        store_.touch();
        co_await store_.keep();
    }
}

void Alerts::settle(const control::PendingCall& call, const CallOutcome& outcome)
{
    auto* const run = find(call.hook);
    if (outcome.kind == CallOutcome::Kind::accepted) {
        store_.queue.accepted(call.number);
        if (run != nullptr) {
            run->called = now();
            run->trouble.clear();
        }
        return;
    }
    const auto dropped =
        outcome.kind == CallOutcome::Kind::refused && store_.queue.refused(call.number, now(), services_.random());
    if (outcome.kind == CallOutcome::Kind::failed) {
        store_.queue.failed(call.number, now(), outcome.wait, services_.random());
    }
    const bool is_new = run != nullptr && run->trouble != outcome.why;
    if (is_new && (call.tries + 1 >= tries_worth_telling || outcome.kind == CallOutcome::Kind::refused)) {
        run->trouble = outcome.why;
        services_.log.warning(fmt::format("hook {} does not accept its call: {}", call.hook, outcome.why));
    }
    if (dropped) {
        services_.log.error(fmt::format("hook {} has refused a call {} times, which is dropped: {}", call.hook,
                                        control::CallQueue::max_refusals, outcome.why),
                            {{"incident", call.incident}});
    }
}

asio::awaitable<Result<void>> Alerts::test(std::string hook)
{
    const auto* const run = find(hook);
    if (run == nullptr) {
        co_return unknown_hook(hook);
    }
    const control::NotificationPlace place{services_.host, now()};
    auto body = notification_body(control::test_announcement(hook, place.now), place);
    auto calling = call_hook(services_.calls, run->hook, std::move(body));
    const auto outcome = co_await std::move(calling);
    if (outcome.kind == CallOutcome::Kind::accepted) {
        if (auto* const called = find(hook)) {
            called->called = now();
            called->trouble.clear();
        }
        co_return Result<void>();
    }
    co_return Error(ErrorKind::refused, fmt::format("hook {} did not accept the test: {}", hook, outcome.why));
}

Error Alerts::unknown_hook(const std::string& hook) const
{
    std::vector<std::string> names;
    for (const auto& run : hooks_) {
        names.push_back(run.hook->name);
    }
    return Error(ErrorKind::not_found,
                 names.empty() ? fmt::format("there is no hook {}: write [hooks.{}], then: shelfctl reload", hook, hook)
                               : fmt::format("there is no hook {} (there is: {})", hook, fmt::join(names, ", ")));
}

asio::awaitable<Result<std::optional<Instant>>> Alerts::silence(control::SilenceRequest request)
{
    std::vector<std::string> names;
    const auto status = services_.status();
    for (const auto& library : status.libraries) {
        names.push_back(library.name);
    }
    names.insert(names.end(), status.absent.begin(), status.absent.end());
    if (!request.library.empty() && std::find(names.begin(), names.end(), request.library) == names.end()) {
        co_return Error(ErrorKind::not_found,
                        fmt::format("there is no library {} (there is: {})", request.library, fmt::join(names, ", ")));
    }
    if (!store_.is_loaded()) {
        co_return Error(ErrorKind::busy, "the daemon has just begun to read its record of alerts: try again");
    }
    const auto until = now() + request.length;
    for (const auto& name : names) {
        if (request.library.empty() || name == request.library) {
            store_.book.silence(name, until, now());
        }
    }
    co_await store_.keep();
    co_return request.length > Duration(0) ? std::optional(until) : std::nullopt;
}

control::AlertReport Alerts::report() const
{
    control::AlertReport report;
    for (const auto& run : hooks_) {
        control::HookStatus status;
        status.name = run.hook->name;
        status.target = target_of(*run.hook);
        status.on = run.hook->on;
        status.waiting = store_.queue.waiting(status.name);
        status.called = run.called;
        status.trouble = run.trouble;
        status.next_try = store_.queue.next_time(status.name, now());
        report.hooks.push_back(std::move(status));
    }
    for (const auto& incident : store_.book.record().open) {
        if (!incident.cause.momentary) {
            report.incidents.push_back(status_of(incident));
        }
    }
    for (const auto& [library, until] : store_.book.record().silences) {
        report.silences.push_back({library, until});
    }
    report.dropped = store_.queue.dropped();
    return report;
}

std::vector<control::Notice> Alerts::notices() const
{
    auto notices = store_.notices();
    for (const auto& run : hooks_) {
        if (run.trouble.empty()) {
            continue;
        }
        notices.push_back({fmt::format("hook {} does not accept its calls, {} wait: {}", run.hook->name,
                                       store_.queue.waiting(run.hook->name), run.trouble),
                           fmt::format("mend that, then: shelfctl hooks test {}", run.hook->name), std::nullopt});
    }
    return notices;
}

}  // namespace shelfd::app
