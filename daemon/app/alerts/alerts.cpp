#include "app/alerts/alerts.hpp"

#include "app/alerts/first_look.hpp"
#include "app/alerts/incident_report.hpp"
#include "app/alerts/present_call.hpp"
#include "control/causes/looked_at.hpp"
#include "control/causes/pause_fold.hpp"
#include "control/hooks/round_call.hpp"
#include "control/model/unknown_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shelfd::app {
namespace {

// One failed attempt is not reported.
constexpr std::uint32_t tries_worth_telling = 2;

}  // namespace

Alerts::Alerts(Services services, std::string directory)
    : services_(std::move(services)), store_(services_.calls.clock, services_.disk, services_.log, std::move(directory))
{
}

std::vector<std::string> Alerts::replace(const std::vector<config::Hook>& hooks, const config::Libraries& libraries)
{
    store_.follow_renames(libraries);
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

HookRun* Alerts::find(const std::string& hook)
{
    const auto found = std::find_if(hooks_.begin(), hooks_.end(),
                                    [&](const HookRun& run) { return run.hook && run.hook->name == hook; });
    return found == hooks_.end() ? nullptr : &*found;
}

std::vector<control::HookRule> Alerts::rules() const
{
    std::vector<control::HookRule> rules;
    for (const auto& run : hooks_) {
        rules.push_back(rule_of(*run.hook));
    }
    return rules;
}

asio::awaitable<void> Alerts::run()
{
    co_await store_.load();
    started_ = services_.calls.clock.boot_now();
    store_.queue.hold_untried(now() + first_look_within);
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
        // Passes and token sets are not affected.
        services_.log.error(
            fmt::format("bug: alerts: {}: they continue in a minute; please send a bug report with this "
                        "log",
                        describe_exception(thrown)));
        co_await services_.calls.clock.sleep_for(std::chrono::minutes(1));
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

bool Alerts::is_settled(const control::Status& status)
{
    if (!is_settled_ &&
        (services_.calls.clock.boot_now() - started_ >= first_look_within || may_look(status, store_.book.record()))) {
        is_settled_ = true;
        store_.queue.hold_untried(std::nullopt);
    }
    return is_settled_;
}

void Alerts::look()
{
    const auto status = services_.status();
    const control::NotificationPlace place{services_.host, now()};
    if (is_settled(status)) {
        look_at_causes(status, place);
    }
    look_at_rounds(status, place);
    store_.hold_silenced(rules());
    dropped_.add(store_.queue.take_crowded_out(), place.now, services_.log);
    if (const auto dropped = store_.queue.drop_stale(hook_names(), place.now); dropped > 0) {
        store_.touch();
        services_.log.warning(fmt::format("{} calls of hooks were dropped: they were not accepted for a week, or their "
                                          "hooks are no longer configured",
                                          dropped));
    }
}

void Alerts::look_at_causes(const control::Status& status, const control::NotificationPlace& place)
{
    auto causes = control::fold_pauses(status.problems);
    for (auto& change : store_.facts.compare(status)) {
        causes.push_back(std::move(change));
    }
    for (auto& lag : lags()) {
        causes.push_back(std::move(lag));
    }
    const auto looked = [&status](const control::Cause& cause, const control::Affected& affected) {
        return is_looked_at(cause, affected, status);
    };
    for (const auto& one : store_.book.update(causes, rules(), place.now, store_.queue.untried(), looked)) {
        add_call(call_for(one, place));
        services_.log.info(fmt::format("alert for hook {}: {}", one.hook, chat_line(one, place)),
                           {{"incident", one.incident.id}});
    }
    store_.hold_ending();
}

void Alerts::look_at_rounds(const control::Status& status, const control::NotificationPlace& place)
{
    const auto all = rules();
    if (std::all_of(all.begin(), all.end(), [](const auto& rule) { return rule.on_publish.empty(); })) {
        store_.rounds.forget();
        return;
    }
    for (const auto& rounds : store_.rounds.compare(status)) {
        for (const auto& rule : all) {
            if (const auto view = view_of(rounds, rule)) {
                add_call(call_for(rule.name, *view, place));
            }
        }
    }
}

void Alerts::add_call(control::PendingCall call)
{
    call.made = now();
    store_.queue.add(std::move(call));
    store_.touch();
}

BootTime Alerts::next_look() const
{
    auto wait = is_settled_ || hooks_.empty() ? between_looks : Duration(std::chrono::seconds(1));
    for (const auto& run : hooks_) {
        const bool is_busy = busy_.contains(run.hook->name);
        const auto at = is_busy ? std::nullopt : store_.queue.next_time(run.hook->name, now());
        wait = at ? std::min(wait, std::max(*at - now(), Duration(std::chrono::seconds(1)))) : wait;
    }
    return services_.calls.clock.boot_now() + wait;
}

void Alerts::call_due_hooks()
{
    for (auto& run : hooks_) {
        if (!busy_.contains(run.hook->name) && store_.queue.next(run.hook->name, now()) != nullptr) {
            busy_.insert(run.hook->name);
            services_.tasks.spawn(deliver(run.hook->name), "a call of hook " + run.hook->name);
        }
    }
}

// One at a time for each hook, so that the calls of an incident arrive in their order.
asio::awaitable<void> Alerts::deliver(std::string hook)
{
    std::exception_ptr thrown;
    try {
        co_await deliver_waiting(hook);
    } catch (...) {
        thrown = std::current_exception();
    }
    busy_.erase(hook);
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
        auto call = *next;
        auto configured = run->hook;
        if (!bring_up_to_date(store_, rule_of(*configured), {services_.host, now()}, call)) {
            continue;
        }
        const auto calls = store_.queue.together_with(call, now());
        const auto body = body_of(calls);
        // Counted before it is made: a call that may have arrived is not merged any more.
        store_.queue.begin(calls, now());
        store_.touch();
        co_await store_.keep();
        auto calling = call_hook(services_.calls, std::move(configured), body);
        const auto outcome = co_await std::move(calling);
        for (const auto& one : calls) {
            settle(one, outcome);
        }
        store_.touch();
        co_await store_.keep();
    }
}

void Alerts::settle(const control::PendingCall& call, const CallOutcome& outcome)
{
    auto* const run = find(call.hook);
    if (outcome.kind == CallOutcome::Kind::accepted) {
        store_.queue.accepted(call.number);
        store_.book.accept(call.hook, call.incident, now());
        if (run != nullptr) {
            run->accepted(now());
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
        services_.log.error(fmt::format("hook {} has refused a call {} times, so the call was dropped: {}", call.hook,
                                        control::CallQueue::max_refusals, outcome.why),
                            {{"incident", call.incident}});
    }
}

asio::awaitable<Result<void>> Alerts::test(std::string hook)
{
    const auto* const run = find(hook);
    if (run == nullptr) {
        co_return unknown_hook(hook, hook_names());
    }
    const control::NotificationPlace place{services_.host, now()};
    auto body = notification_body(control::test_announcement(hook, place.now), place);
    auto calling = call_hook(services_.calls, run->hook, std::move(body));
    const auto outcome = co_await std::move(calling);
    if (outcome.kind == CallOutcome::Kind::accepted) {
        if (auto* const called = find(hook)) {
            called->accepted(now());
        }
        store_.queue.try_now(hook, now());
        store_.touch();
        wake_.notify_all();
        co_return Result<void>();
    }
    co_return Error(ErrorKind::refused, fmt::format("hook {} did not accept the test: {}", hook, outcome.why));
}

std::vector<std::string> Alerts::hook_names() const
{
    std::vector<std::string> names;
    for (const auto& run : hooks_) {
        names.push_back(run.hook->name);
    }
    return names;
}

asio::awaitable<Result<control::SilenceReport>> Alerts::silence(control::SilenceRequest request)
{
    std::vector<std::string> names;
    const auto status = services_.status();
    for (const auto& library : status.libraries) {
        names.push_back(library.name);
    }
    names.insert(names.end(), status.absent.begin(), status.absent.end());
    if (!request.library.empty() && std::find(names.begin(), names.end(), request.library) == names.end()) {
        co_return control::unknown_library(request.library, std::move(names));
    }
    if (!store_.is_loaded()) {
        co_return Error(ErrorKind::busy, "the daemon has just begun to read its record of alerts: try again");
    }
    const auto report = store_.silence(request, names, rules());
    wake_.notify_all();
    co_await store_.keep();
    co_return report;
}

control::AlertReport Alerts::report() const
{
    control::AlertReport report;
    for (const auto& run : hooks_) {
        report.hooks.push_back(report_hook(run, store_.queue, now()));
    }
    report_book(store_.book.record(), store_.queue, now(), report);
    report.dropped = store_.queue.dropped();
    return report;
}

std::vector<control::Notice> Alerts::notices() const
{
    auto notices = store_.notices();
    report_failing(hooks_, store_.queue, notices);
    dropped_.report(now(), notices);
    return notices;
}

}  // namespace shelfd::app
