// Who may read which mirror: looked up when libraries are opened, and again while the daemon runs.
#include "app/configuration/reloader.hpp"

#include "app/stores/named_library.hpp"

#include <fmt/core.h>

#include <utility>

namespace shelfd::app {
namespace {

// A group that was just made, or a name service that came back, is noticed soon; a deleted account may take longer.
constexpr Duration between_lookups = std::chrono::minutes(1);
constexpr Duration between_checks = std::chrono::minutes(10);

}  // namespace

// Before the mirrors are opened: their access lists show for whom such a right was given before.
asio::awaitable<SearchRights> Reloader::let_readers_pass(config::Libraries libraries)
{
    const auto& mirrors = services_.storage.mirrors;
    Result<void> granted;
    auto work = [&mirrors, &libraries, &granted] {
        auto rights = plan_search_rights(mirrors, libraries);
        granted = grant_search_rights(mirrors, rights);
        return rights;
    };
    auto rights = co_await services_.workers.mirrors.lane().run(work);
    no_passage_ = granted ? std::nullopt : std::optional(granted.error());
    co_return rights;
}

// After that. What somebody has changed meanwhile is set again.
asio::awaitable<void> Reloader::renew_access(SearchRights rights)
{
    const auto units = libraries_.units();
    for (const auto& unit : units) {
        if (!unit->library().readers.empty() && !unit->is_stopped()) {
            const LibraryUnit::Use use(unit);
            co_await unit->renew_access();
        }
    }
    const auto& mirrors = services_.storage.mirrors;
    auto work = [&mirrors, &rights] { withdraw_search_rights(mirrors, rights); };
    co_await services_.workers.mirrors.lane().run(work);
    for (const auto& unit : units) {
        if (const auto& error = unit->closed_to_readers()) {
            const auto notice = describe_closed(unit->library().name, unit->mirror_path(), *error);
            log_.log.warning(fmt::format("{}: {}", notice.text, notice.do_this), {{"library", unit->library().name}});
        }
    }
}

// The name service is asked outside of the loop: it may take long.
asio::awaitable<config::Libraries> Reloader::look_up_readers(config::Libraries libraries, std::string admins)
{
    const auto names = reader_names(libraries, admins);
    auto ask = [this, &names] { return ask_for_accounts(names, find_); };
    account_answers_ = co_await services_.workers.secrets.lane().run(ask);
    co_return with_accounts(libraries, admins, account_answers_);
}

void Reloader::log_unknown_readers() const
{
    for (const auto& notice : describe_unknown_readers(configuration_.libraries(), account_answers_)) {
        log_.log.warning(fmt::format("{}: {}", notice.text, notice.do_this));
    }
}

asio::awaitable<void> Reloader::keep_readers()
{
    auto& clock = services_.clock;
    config::Libraries seen;
    bool has_readers = false;
    bool has_unknown = false;
    for (auto next_check = clock.boot_now() + between_checks;;) {
        co_await clock.sleep_for(between_lookups);
        // Looked at once each, since a thousand of them that rest would cost 0.05 % of a core (measured).
        if (configuration_.libraries() != seen) {
            seen = configuration_.libraries();
            has_readers = !reader_names(seen, "").empty();
            has_unknown = has_unknown_reader(seen);
        }
        if (!has_readers || (!has_unknown && clock.boot_now() < next_check)) {
            continue;
        }
        next_check = clock.boot_now() + between_checks;
        auto work = in_turn([this] { return renew_readers(); });
        [[maybe_unused]] const auto done = co_await std::move(work);  // refused only when the daemon stops
    }
}

asio::awaitable<void> Reloader::renew_readers()
{
    auto looking = look_up_readers(configuration_.libraries(), configuration_.settings().control.admins);
    auto libraries = co_await std::move(looking);
    if (libraries == configuration_.libraries()) {
        co_return;
    }
    auto rights = co_await let_readers_pass(libraries);
    const auto changed = co_await libraries_.replace(libraries);
    if (!changed) {
        log_.log.warning("the readers of libraries have changed, and cannot be granted yet: " + changed.error().text());
        co_return;
    }
    co_await renew_access(std::move(rights));
    for (const auto& library : libraries) {
        const auto* before = find_named(configuration_.libraries(), library->name);
        if (library.get() != before) {
            log_.log.info(
                fmt::format("the accounts behind readers of {0} have changed; the library was reopened", library->name),
                {{"library", library->name}});
        }
    }
    configuration_.adopt_found(std::move(libraries));
    log_unknown_readers();
    services_.changed();
}

}  // namespace shelfd::app
