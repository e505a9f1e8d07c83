#include "app/configuration/reloader.hpp"

#include "app/library/retired_mirrors.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace shelfd::app {

asio::awaitable<Result<control::ReloadReport>> Reloader::reload()
{
    // A reload must not stop halfway: a coroutine of its own continues when the client leaves. Disabling cancellation
    // in the caller would disable it for good.
    std::optional<Result<control::ReloadReport>> report;
    auto work = reload_shielded(report);
    try {
        co_await asio::co_spawn(services_.executor, std::move(work), asio::use_awaitable);
    } catch (...) {
        const auto thrown = std::current_exception();
        if (is_cancellation(thrown)) {
            throw;
        }
        listeners_.failed("a reload", thrown);
        report.emplace(Error(ErrorKind::stopped, "the daemon exits because of a bug: " + describe_exception(thrown)));
    }
    co_return std::move(*report);
}

asio::awaitable<void> Reloader::reload_shielded(std::optional<Result<control::ReloadReport>>& report)
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    const auto turn = co_await turn_.lock();
    if (is_closed_) {
        report.emplace(Error(ErrorKind::stopped, "the daemon is stopping"));
        co_return;
    }
    listeners_.begins();
    report.emplace(co_await reload_in_turn());
    std::optional<Error> error;
    if (!*report) {
        error = report->error();
        log_.log.error(fmt::format("reload refused; the running configuration stays in use:\n{}", error->text()));
    }
    configuration_.record_refusal(error, services_.clock.now());
    listeners_.ended();
}

asio::awaitable<Result<control::ReloadReport>> Reloader::reload_in_turn()
{
    SHELFD_CO_TRY_ASSIGN(next, configuration_.read_again());
    control::ReloadReport report;
    report.warnings = next.warnings;
    SHELFD_CO_TRY_ASSIGN(changes, co_await libraries_.replace(next.libraries));
    co_await retire_unowned(services_, next.libraries);
    report.changes = change_log(log_, configuration_.settings().log, next.settings.log, journal_stream_);
    report.changes.insert(report.changes.end(), changes.begin(), changes.end());
    if (listeners_.hooks) {
        const auto hook_changes = listeners_.hooks(next.settings.hooks);
        report.changes.insert(report.changes.end(), hook_changes.begin(), hook_changes.end());
    }
    if (listeners_.listen) {
        const auto listen_changes = listeners_.listen(next.settings.control);
        report.changes.insert(report.changes.end(), listen_changes.begin(), listen_changes.end());
    }
    configuration_.adopt(std::move(next), services_.clock.now());
    log_.log.info(fmt::format("configuration reloaded, {} changes", report.changes.size()));
    co_return report;
}

// Libraries that could not be opened may open now: a lock was released, a disk is back. Libraries stopped by a bug
// start again when their time has come.
asio::awaitable<void> Reloader::bring_back()
{
    auto& clock = services_.clock;
    for (auto next = clock.boot_now() + LibrarySet::between_openings;;) {
        co_await clock.sleep_until(std::min(next, libraries_.begins_again_at().value_or(next)));
        const auto now = clock.boot_now();
        const bool looks_for_absent = now >= next && !libraries_.absent().empty();
        next = now >= next ? now + LibrarySet::between_openings : next;
        if (looks_for_absent || libraries_.begins_again_at().value_or(next) <= now) {
            auto work = bring_back_shielded();
            co_await asio::co_spawn(services_.executor, std::move(work), asio::use_awaitable);
        }
    }
}

asio::awaitable<void> Reloader::bring_back_shielded()
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    const auto turn = co_await turn_.lock();
    if (!is_closed_) {
        co_await libraries_.begin_again(configuration_.libraries());
        services_.changed();
    }
}

}  // namespace shelfd::app
