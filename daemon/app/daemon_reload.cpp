// A new configuration for the daemon as it runs: all of it, or nothing.
#include "app/daemon.hpp"

#include "app/host/fixed_settings.hpp"
#include "app/library/retired_mirrors.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace shelfd::app {
namespace {

Error refusal(const std::vector<config::Fault>& faults, ErrorKind kind = ErrorKind::config)
{
    std::string text;
    for (const auto& fault : faults) {
        text += (text.empty() ? "" : "\n") + to_text(fault);
    }
    return Error(kind, text);
}

}  // namespace

asio::awaitable<void> Daemon::reload_by_signal()
{
    [[maybe_unused]] const auto logged = co_await reload();
}

asio::awaitable<Result<control::ReloadReport>> Daemon::reload()
{
    // Half a reload is none: a coroutine of its own goes on when the client goes away. Switching cancellation off in
    // the caller would switch it off for good.
    std::optional<Result<control::ReloadReport>> report;
    auto work = reload_shielded(report);
    try {
        co_await asio::co_spawn(loop_, std::move(work), asio::use_awaitable);
    } catch (...) {
        const auto thrown = std::current_exception();
        if (is_cancellation(thrown)) {
            throw;
        }
        fail("a reload", thrown);
        report.emplace(Error(ErrorKind::stopped, "the daemon ends by a bug: " + describe_exception(thrown)));
    }
    co_return std::move(*report);
}

asio::awaitable<void> Daemon::reload_shielded(std::optional<Result<control::ReloadReport>>& report)
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    const auto turn = co_await reloading_.lock();
    if (stop_wanted_) {
        report.emplace(Error(ErrorKind::stopped, "the daemon is stopping"));
        co_return;
    }
    report.emplace(co_await reload_in_turn());
}

// What could not be opened may be openable now: a lock was let go of, a disk is back. What a bug has stopped begins
// again in its time.
asio::awaitable<void> Daemon::bring_back()
{
    for (auto next = clock_.boot_now() + between_openings;;) {
        co_await clock_.sleep_until(std::min(next, libraries_->begins_again_at().value_or(next)));
        const auto now = clock_.boot_now();
        const bool looks_for_absent = now >= next && !libraries_->absent().empty();
        next = now >= next ? now + between_openings : next;
        if (looks_for_absent || libraries_->begins_again_at().value_or(next) <= now) {
            auto work = bring_back_shielded();
            co_await asio::co_spawn(loop_, std::move(work), asio::use_awaitable);
        }
    }
}

asio::awaitable<void> Daemon::bring_back_shielded()
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    const auto turn = co_await reloading_.lock();
    if (!stop_wanted_) {
        co_await libraries_->begin_again(wanted_);
        changed_.notify_all();
    }
}

asio::awaitable<Result<control::ReloadReport>> Daemon::reload_in_turn()
{
    service_manager_.reloading();
    auto report = co_await reload_now();
    refused_reload_.reset();
    if (!report) {
        const auto& error = report.error();
        const bool is_fault = error.kind() == ErrorKind::config;
        refused_reload_ = {"the last reload was refused: " + error.text(),
                           is_fault ? "correct it (shelfctl config check says every fault), then: shelfctl reload"
                                    : "mend that, then: shelfctl reload",
                           clock_.now()};
        log_.error(fmt::format("reload refused, the running configuration stays:\n{}", error.text()));
    }
    service_manager_.ready(headline(status()));
    changed_.notify_all();
    co_return report;
}

asio::awaitable<Result<control::ReloadReport>> Daemon::reload_now()
{
    auto loaded =
        config::load(options_.config_file, surroundings_.environment, config::KeepOrigins::no, config::Secrets::usable);
    if (!loaded.configuration) {
        co_return refusal(loaded.faults, loaded.met_shortage ? ErrorKind::storage : ErrorKind::config);
    }
    auto& next = *loaded.configuration;
    if (next.storage != configuration_.storage || next.control != configuration_.control) {
        // Once more, with the places where things were written: too much to keep for thousands of lists.
        const auto placed = config::load(options_.config_file, surroundings_.environment, config::KeepOrigins::yes);
        co_return refusal(
            find_fixed_changes(configuration_, placed.configuration.value_or(next), options_.config_file));
    }
    auto wanted = share(std::exchange(next.libraries, {}), wanted_);
    SHELFD_CO_TRY_ASSIGN(changes, co_await libraries_->replace(wanted));
    co_await retire_unowned(*parts_, wanted);
    const auto log_changes = change_log(whole_log_, configuration_.log, next.log, surroundings_.journal_stream);
    changes.insert(changes.begin(), log_changes.begin(), log_changes.end());
    const auto hook_changes = alerts_->replace(next.hooks);
    changes.insert(changes.end(), hook_changes.begin(), hook_changes.end());
    configuration_ = std::move(next);
    wanted_ = std::move(wanted);
    bad_secrets_.clear();
    config_loaded_ = clock_.now();
    control::ReloadReport report;
    report.changes = std::move(changes);
    for (const auto& warning : loaded.warnings) {
        report.warnings.push_back(to_text(warning));
    }
    log_.info(fmt::format("configuration reloaded, {} changes", report.changes.size()));
    co_return report;
}

}  // namespace shelfd::app
