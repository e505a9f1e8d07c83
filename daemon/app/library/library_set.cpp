#include "app/library/library_set.hpp"

#include "app/host/disk_advice.hpp"
#include "app/host/exit_code.hpp"
#include "app/stores/named_library.hpp"
#include "app/stores/takeover.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace shelfd::app {

void LibrarySet::start()
{
    start_all(units_);
}

void LibrarySet::start_all(const Units& units)
{
    for (const auto& unit : units) {
        unit->start();
    }
}

asio::awaitable<Result<std::vector<std::string>>> LibrarySet::replace(const config::Libraries& libraries)
{
    SHELFD_CO_TRY(co_await check_takeovers(services_, libraries));
    config::Libraries before;
    for (const auto& unit : units_) {
        before.push_back(unit->shared_library());
    }
    co_await stop_all_but(libraries);
    services_.limiters.configure(libraries);
    std::set<std::string> names;
    std::transform(libraries.begin(), libraries.end(), std::inserter(names, names.end()),
                   [](const auto& library) { return library->name; });
    co_await absent_sets_.release_all_but(std::move(names));

    std::vector<std::string> changes;
    Units opened;
    if (auto done = co_await open_added(libraries, before, opened, changes); !done) {
        for (const auto& undo : opened) {
            co_await undo->stop();
        }
        opened.clear();
        co_await restore(before);
        co_await release_other_sets();
        co_return done.error();
    }
    for (const auto& library : before) {
        if (find_named(libraries, library->name) == nullptr && !is_former_name(libraries, library->name)) {
            changes.push_back(fmt::format("library {} removed; its stored data stays on disk", library->name));
        }
    }
    adopt(libraries, opened);
    part_shared_sets(opened);
    for (const auto& unit : units_) {
        if (unit->keeper().read_secret_again()) {
            changes.push_back(
                fmt::format("library {}: the waiting refresh is tried now, with the client secret as it is now",
                            unit->library().name));
        }
        if (const auto token = unit->keeper().status(); waits_for_this_machine(token) || token.journals.holds_login) {
            unit->keeper().try_again();
        }
    }
    start_all(opened);
    co_return changes;
}

// In the order of the configuration.
void LibrarySet::adopt(const config::Libraries& libraries, const Units& opened)
{
    auto all = std::exchange(units_, {});
    all.insert(all.end(), opened.begin(), opened.end());
    for (const auto& library : libraries) {
        const auto is_it = [&](const auto& unit) { return unit->library().name == library->name; };
        if (const auto found = std::find_if(all.begin(), all.end(), is_it); found != all.end()) {
            units_.push_back(*found);
        }
    }
    restarts_.end();
    std::erase_if(absent_, [&](const auto& known) { return find(known.first) || !find_named(libraries, known.first); });
}

asio::awaitable<void> LibrarySet::retire(const std::string& library, std::string why)
{
    Units ending;
    if (auto unit = find(library)) {
        std::erase(units_, unit);
        ending.push_back(std::move(unit));
    }
    absent_[library] = {std::move(why), services_.clock.now()};
    co_await stop_units(std::move(ending));
    co_await absent_sets_.release(library);
}

// A library that was removed from the configuration keeps its set, and a person may have given that set to another
// library meanwhile. The library that had it first keeps it; of two opened together, the first one.
void LibrarySet::part_shared_sets(const Units& opened)
{
    for (auto unit = opened.rbegin(); unit != opened.rend(); ++unit) {
        const auto mark = (*unit)->keeper().renews();
        auto holder = renewer_of(mark, unit->get());
        holder = holder.empty() ? absent_sets_.renewer_of(mark) : holder;
        if (!holder.empty()) {
            (*unit)->keeper().stop_renewing_in_favour_of(holder);
        }
    }
}

std::string LibrarySet::renewer_of(const std::string& mark, const LibraryUnit* except) const
{
    const auto found = std::find_if(units_.begin(), units_.end(), [&](const auto& other) {
        return other.get() != except && !mark.empty() && other->keeper().renews() == mark;
    });
    return found == units_.end() ? "" : (*found)->library().name;
}

// After a refused change: sets of libraries that are not to run.
asio::awaitable<void> LibrarySet::release_other_sets()
{
    std::set<std::string> names;
    std::transform(absent_.begin(), absent_.end(), std::inserter(names, names.end()),
                   [](const auto& one) { return one.first; });
    return absent_sets_.release_all_but(std::move(names));
}

asio::awaitable<void> LibrarySet::stop_all_but(const config::Libraries& libraries)
{
    Units ending;
    // Removed from the list first, so that no request reaches a unit that is stopping.
    std::erase_if(units_, [&](const auto& unit) {
        const auto* wanted = find_named(libraries, unit->library().name);
        const bool keep = wanted != nullptr && *wanted == unit->library() && !unit->bug();
        if (!keep) {
            ending.push_back(unit);
        }
        if (!keep && wanted != nullptr) {
            begin_restart(unit);
        }
        return !keep;
    });
    co_await stop_units(std::move(ending));
}

void LibrarySet::begin_restart(const std::shared_ptr<LibraryUnit>& unit)
{
    const auto why = unit->bug() ? "after a bug" : "for a changed configuration";
    unit->announce_restart(why);
    restarts_.begin(unit, unit->library().name, {why, services_.clock.now()});
    restarts_.keep_mark(unit->library().name, &unit->keeper());
}

asio::awaitable<void> LibrarySet::begin_again(const config::Libraries& libraries)
{
    Units ending;
    const auto now = services_.clock.boot_now();
    std::erase_if(units_, [&](const auto& unit) {
        const bool is_due = unit->bug() && unit->bug()->again_boot <= now;
        if (is_due) {
            ending.push_back(unit);
            begin_restart(unit);
            services_.log.info("the library restarts after a bug", {{"library", unit->library().name}});
        }
        return is_due;
    });
    co_await stop_units(std::move(ending));
    co_await restore(libraries);
}

std::optional<BootTime> LibrarySet::begins_again_at() const
{
    std::optional<BootTime> first;
    if (services_.bugs.empty()) {
        return first;  // without touching the memory of each library
    }
    for (const auto& unit : units_) {
        if (const auto& bug = unit->bug(); bug && (!first || bug->again_boot < *first)) {
            first = bug->again_boot;
        }
    }
    return first;
}

asio::awaitable<void> LibrarySet::stop()
{
    auto all = std::exchange(units_, {});
    co_await stop_units(std::move(all));
    co_await absent_sets_.release_all_but({});
}

asio::awaitable<void> LibrarySet::stop_units(Units units)
{
    // All passes end first, at once; then each token exchange is awaited.
    for (const auto& unit : units) {
        unit->cancel();
    }
    for (const auto& unit : units) {
        auto stopping = unit->stop([this, &unit] { restarts_.unit_ends(unit->library().name, unit->keeper()); });
        co_await std::move(stopping);
    }
}

void LibrarySet::for_each(const std::string& what, const std::function<void(LibraryUnit&)>& act) const
{
    for (const auto units = units_; const auto& unit : units) {
        try {
            act(*unit);
        } catch (...) {
            unit->fail(what, std::current_exception());
        }
    }
}

std::shared_ptr<LibraryUnit> LibrarySet::find(const std::string& name) const
{
    const auto found =
        std::find_if(units_.begin(), units_.end(), [&](const auto& unit) { return unit->library().name == name; });
    return found == units_.end() ? nullptr : *found;
}

std::string LibrarySet::holder_of(const std::string& fingerprint, const std::string& except) const
{
    for (const auto& unit : units_) {
        if (unit->library().name != except && unit->keeper().holds(fingerprint)) {
            return unit->library().name;
        }
    }
    const auto holder = restarts_.holder_of(fingerprint, except);
    return holder.empty() ? absent_sets_.holder_of(fingerprint, except) : holder;
}

}  // namespace shelfd::app
