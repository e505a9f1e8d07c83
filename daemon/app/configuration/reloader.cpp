#include "app/configuration/reloader.hpp"

#include "app/configuration/shared_limits.hpp"
#include "app/host/open_files.hpp"
#include "app/stores/named_library.hpp"
#include "app/stores/takeover.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

namespace shelfd::app {
namespace {

// For the reports of reloads.
std::string to_text(const control::Notice& notice)
{
    return notice.do_this.empty() ? notice.text : notice.text + ". " + notice.do_this;
}

// A refused change may have stopped libraries that it could open neither anew nor as they were.
Error with_absent(const Error& error, const std::map<std::string, LibrarySet::Absence>& absent)
{
    std::string names;
    for (const auto& [library, absence] : absent) {
        names += (names.empty() ? "" : ", ") + library;
    }
    const auto every = std::chrono::floor<std::chrono::seconds>(LibrarySet::between_openings).count();
    return names.empty() ? error
                         : Error(error.kind(), fmt::format("{}; not running now: {}, which the daemon tries to open "
                                                           "again every {} s",
                                                           error.text(), names, every));
}

}  // namespace

asio::awaitable<Result<void>> Reloader::open_libraries()
{
    if (has_unknown_reader(configuration_.libraries())) {
        auto looking = look_up_readers(configuration_.libraries(), configuration_.settings().control.admins);
        configuration_.adopt_found(co_await std::move(looking));
        log_unknown_readers();
    }
    auto joining = join_known_limits();
    co_await std::move(joining);
    const auto& libraries = configuration_.libraries();
    auto rights = co_await let_readers_pass(libraries);
    co_await finish_removals(services_, libraries);
    services_.limiters.configure(libraries);
    SHELFD_CO_TRY(co_await libraries_.open(libraries));
    co_await renew_access(std::move(rights));
    co_await look_for_kept(libraries);
    co_return Result<void>();
}

asio::awaitable<void> Reloader::look_for_kept(config::Libraries libraries)
{
    auto looking = retire_unowned(services_, std::move(libraries));
    kept_ = co_await std::move(looking);
}

std::vector<NewName> Reloader::unfilled() const
{
    std::vector<NewName> names;
    for (const auto& unit : libraries_.units()) {
        if (unit->keeper().status().state == TokenState::none && !(unit->has_tables() && unit->tables().have_rows())) {
            names.push_back({unit->library().name, unit->library().library_id});
        }
    }
    return names;
}

std::map<std::string, std::string> Reloader::former_names() const
{
    return kept_.empty() ? std::map<std::string, std::string>() : likely_former_names(kept_, unfilled());
}

std::vector<control::Notice> Reloader::notices() const
{
    auto notices = describe_kept(kept_, unfilled());
    for (const auto& unit : libraries_.units()) {
        if (const auto& error = unit->closed_to_readers()) {
            notices.push_back(describe_closed(unit->library().name, unit->mirror_path(), *error));
        }
    }
    if (no_passage_) {
        notices.push_back(describe_closed("", services_.storage.mirrors, *no_passage_));
    }
    auto unknown = describe_unknown_readers(configuration_.libraries(), account_answers_);
    std::move(unknown.begin(), unknown.end(), std::back_inserter(notices));
    for (auto& notice : user_notices()) {
        notices.push_back(std::move(notice));
    }
    return notices;
}

// What changes the set of libraries must not stop halfway: a coroutine of its own continues when the client leaves.
// Disabling cancellation in the caller would disable it for good.
asio::awaitable<Result<void>> Reloader::in_turn(std::function<asio::awaitable<void>()> work)
{
    bool is_refused = false;
    auto shielded = [](Reloader& self, std::function<asio::awaitable<void>()> act,
                       bool& refused) -> asio::awaitable<void> {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        const auto turn = co_await self.turn_.lock();
        refused = self.is_closed_;
        if (!refused) {
            auto acting = act();
            co_await std::move(acting);
        }
    };
    auto working = shielded(*this, std::move(work), is_refused);
    try {
        co_await asio::co_spawn(services_.executor, std::move(working), asio::use_awaitable);
    } catch (...) {
        const auto thrown = std::current_exception();
        if (is_cancellation(thrown)) {
            throw;
        }
        listeners_.failed("a change of the libraries", thrown);
        co_return Error(ErrorKind::stopped, "the daemon exits because of a bug: " + describe_exception(thrown));
    }
    co_return is_refused ? Error(ErrorKind::stopped, "the daemon is stopping") : Result<void>();
}

asio::awaitable<Result<control::ReloadReport>> Reloader::reload()
{
    std::optional<Result<control::ReloadReport>> report;
    auto work = in_turn([this, &report] { return reload_shielded(report); });
    SHELFD_CO_TRY(co_await std::move(work));
    co_return std::move(*report);
}

asio::awaitable<void> Reloader::reload_shielded(std::optional<Result<control::ReloadReport>>& report)
{
    listeners_.begins();
    report.emplace(co_await reload_in_turn());
    std::optional<Error> error;
    if (!*report) {
        error = report->error();
        if (error->kind() != ErrorKind::config) {
            report.emplace(with_absent(*error, libraries_.absent()));
        }
        log_.log.error(fmt::format("reload refused; the running configuration stays in use:\n{}", error->text()));
    }
    configuration_.record_refusal(error, services_.clock.now());
    listeners_.ended();
}

asio::awaitable<Result<OrderedRemoval>> Reloader::remove_library(std::string library, Revoked revoked)
{
    std::optional<Result<OrderedRemoval>> removed;
    auto act = [this, &removed, library, revoked]() -> asio::awaitable<void> {
        auto removing = remove_in_turn(library, revoked);
        removed.emplace(co_await std::move(removing));
    };
    auto work = in_turn(std::move(act));
    SHELFD_CO_TRY(co_await std::move(work));
    co_return std::move(*removed);
}

asio::awaitable<Result<bool>> Reloader::holds_set_out_of_reach(std::string library) const
{
    const auto& all = configuration_.libraries();
    const auto* configured = find_named(all, library);
    const auto can_revoke = [](const auto& one) { return !one->service.revocation_path.empty(); };
    // Of a library that is only kept, nothing says which of the services it belongs to; without any library nothing
    // says whether one of them can revoke.
    const bool is_revocable = configured != nullptr ? !configured->service.revocation_path.empty()
                                                    : all.empty() || std::any_of(all.begin(), all.end(), can_revoke);
    if (!is_revocable || libraries_.find(library)) {
        co_return false;
    }
    const auto places = places_of(services_);
    auto lane = services_.workers.mirrors.lane();
    auto look = [&places, &library]() -> Result<bool> {
        // A removal that was interrupted: the service was asked before it began, or nobody wanted that.
        const bool is_continued = is_removal_ordered(places, library) && check_removal(places, library);
        return is_continued ? Result<bool>(false) : app::holds_set(places, library);
    };
    co_return co_await lane.run(look);
}

asio::awaitable<bool> Reloader::holds_set(std::string library) const
{
    const auto places = places_of(services_);
    auto lane = services_.workers.mirrors.lane();
    auto look = [&places, &library] {
        return is_removal_ordered(places, library) || app::holds_set(places, library).value_or(true);
    };
    co_return co_await lane.run(look);
}

asio::awaitable<std::optional<OrderedRemoval>> Reloader::earlier_removal(std::string library) const
{
    const auto places = places_of(services_);
    auto lane = services_.workers.mirrors.lane();
    auto look = [&places, &library] { return ordered_removal(places, library); };
    co_return co_await lane.run(look);
}

asio::awaitable<Result<OrderedRemoval>> Reloader::remove_in_turn(std::string library, Revoked revoked)
{
    const auto places = places_of(services_);
    auto lane = services_.workers.mirrors.lane();
    auto order = [&places, &library, revoked] { return order_removal(places, library, revoked); };
    SHELFD_CO_TRY_ASSIGN(receipt, co_await lane.run(order));
    const auto* configured = find_named(configuration_.libraries(), library);
    const bool is_configured = configured != nullptr;
    if (is_configured) {
        auto retiring = libraries_.retire(library, forgotten_text(*configured));
        co_await std::move(retiring);
    }
    auto remaining = configuration_.libraries();
    std::erase_if(remaining, [&](const auto& one) { return one->name == library; });
    auto remove = [&places, &library, &remaining, is_configured]() -> Result<void> {
        const auto rights = plan_search_rights(places.storage.mirrors, remaining);
        SHELFD_TRY(carry_out_removal(places, library));
        withdraw_search_rights(places.storage.mirrors, rights);
        return is_configured ? Result<void>() : forget_removal(places, library);
    };
    const auto removed = co_await lane.run(remove);
    std::erase_if(kept_, [&](const auto& kept) { return removed && kept.name == library; });
    if (removed) {
        services_.limiters.forget(library);
        co_await forget_user(library);
    }
    services_.changed();
    co_return removed ? Result<OrderedRemoval>(std::move(receipt)) : Result<OrderedRemoval>(removed.error());
}

asio::awaitable<Result<control::ReloadReport>> Reloader::reload_in_turn()
{
    auto reading = configuration_.read_again(services_.workers.secrets.lane());
    SHELFD_CO_TRY_ASSIGN(next, co_await std::move(reading));
    SHELFD_CO_TRY(check_open_files(next.libraries.size(), configuration_.libraries().size()));
    control::ReloadReport report;
    report.warnings = next.warnings;
    if (has_unknown_reader(next.libraries)) {
        auto looking = look_up_readers(next.libraries, next.settings.control.admins);
        next.libraries = co_await std::move(looking);
    }
    auto sharing = share_limits(next.libraries, services_.users->all());
    next.libraries = std::move(sharing.libraries);
    auto rights = co_await let_readers_pass(next.libraries);
    SHELFD_CO_TRY_ASSIGN(changes, co_await libraries_.replace(next.libraries));
    co_await renew_access(std::move(rights));
    co_await finish_removals(services_, next.libraries);
    co_await look_for_kept(next.libraries);
    report.changes = change_log(log_, configuration_.settings().log, next.settings.log, journal_stream_);
    report.changes.insert(report.changes.end(), changes.begin(), changes.end());
    if (listeners_.hooks) {
        const auto hook_changes = listeners_.hooks(next.settings.hooks, next.libraries);
        report.changes.insert(report.changes.end(), hook_changes.begin(), hook_changes.end());
    }
    if (listeners_.listen) {
        const auto listen_changes = listeners_.listen(next.settings.control);
        report.changes.insert(report.changes.end(), listen_changes.begin(), listen_changes.end());
    }
    if (listeners_.rights) {
        auto renewing = listeners_.rights();
        const auto rights_changes = co_await std::move(renewing);
        report.changes.insert(report.changes.end(), rights_changes.begin(), rights_changes.end());
    }
    auto shared = describe_sharing(configuration_.libraries(), next.libraries);
    report.changes.insert(report.changes.end(), shared.begin(), shared.end());
    configuration_.adopt(std::move(next), services_.clock.now());
    co_await keep_users(std::move(sharing.users));
    for (const auto& notice : notices()) {
        report.warnings.push_back(to_text(notice));
    }
    warn_of_absent(report, configuration_.libraries());
    log_.log.info(fmt::format("configuration reloaded, {} changes", report.changes.size()));
    co_return report;
}

void Reloader::warn_of_absent(control::ReloadReport& report, const config::Libraries& configured) const
{
    for (const auto& [library, absence] : libraries_.absent()) {
        if (find_named(configured, library) != nullptr) {
            report.warnings.push_back(fmt::format("{} is not running: {}", library, absence.why));
            report.absent.push_back({library, absence.why});
        }
    }
}

asio::awaitable<Result<control::ReloadReport>> Reloader::rehearse() const
{
    auto reading = configuration_.read_again(services_.workers.secrets.lane());
    SHELFD_CO_TRY_ASSIGN(next, co_await std::move(reading));
    SHELFD_CO_TRY(check_open_files(next.libraries.size(), configuration_.libraries().size()));
    SHELFD_CO_TRY(co_await check_takeovers(services_, next.libraries));
    control::ReloadReport report;
    report.warnings = next.warnings;
    auto looking = find_unowned(services_, next.libraries);
    const auto found = co_await std::move(looking);
    for (const auto& notice : describe_kept(found.kept, found.unfilled)) {
        report.warnings.push_back(to_text(notice));
    }
    for (const auto& unit : libraries_.units()) {
        const auto& name = unit->library().name;
        const auto& error = unit->closed_to_readers();
        if (error && find_named(next.libraries, name) != nullptr) {
            report.warnings.push_back(to_text(describe_closed(name, unit->mirror_path(), *error)));
        }
    }
    if (no_passage_) {
        report.warnings.push_back(to_text(describe_closed("", services_.storage.mirrors, *no_passage_)));
    }
    const auto sharing = share_limits(next.libraries, services_.users->all());
    report.changes = describe_sharing(configuration_.libraries(), sharing.libraries);
    for (const auto& notice : describe_parted_limits(sharing.libraries, services_.users->all())) {
        report.warnings.push_back(to_text(notice));
    }
    warn_of_absent(report, next.libraries);
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
