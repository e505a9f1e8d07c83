#include "app/host/disk_advice.hpp"
#include "app/host/exit_code.hpp"
#include "app/library/library_set.hpp"
#include "app/stores/named_library.hpp"
#include "app/stores/takeover.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace shelfd::app {

asio::awaitable<Result<std::shared_ptr<LibraryUnit>>>
LibrarySet::open_unit(std::shared_ptr<const config::Library> library)
{
    std::optional<Result<std::unique_ptr<LibraryUnit>>> opened;
    std::exception_ptr thrown;
    restarts_.keep_mark(library->name, absent_sets_.find(library->name));
    auto release = [this, name = library->name] { return absent_sets_.release(name); };
    try {
        opened.emplace(co_await LibraryUnit::open(library, services_, release));
    } catch (...) {
        thrown = std::current_exception();
    }
    if (thrown && is_cancellation(thrown)) {
        std::rethrow_exception(thrown);
    }
    if (thrown) {
        // The bug stops no other library.
        co_return Error(ErrorKind::protocol,
                        fmt::format("bug: {}; please send a bug report with this log", describe_exception(thrown)));
    }
    SHELFD_CO_TRY_ASSIGN(unit, std::move(*opened));
    co_return std::shared_ptr<LibraryUnit>(std::move(unit));
}

asio::awaitable<Result<std::shared_ptr<LibraryUnit>>>
LibrarySet::open_one(std::shared_ptr<const config::Library> library)
{
    SHELFD_CO_TRY(co_await take_over_kept(services_, *library));
    auto opened = co_await open_unit(library);
    if (!opened) {
        co_await keep_set(library);
    }
    co_return opened;
}

// Of a library that could not be opened. Sees which set each open library has.
asio::awaitable<void> LibrarySet::keep_set(std::shared_ptr<const config::Library> library)
{
    auto renewer = [this](const std::string& mark) { return renewer_of(mark, nullptr); };
    co_await absent_sets_.keep(std::move(library), renewer);
}

// Until none is left. Each is independent of the others: none takes over what another one had.
asio::awaitable<void> LibrarySet::open_next(Queue& queue)
{
    while (queue.next < queue.libraries.size()) {
        const auto place = queue.next++;
        const auto& library = queue.libraries[place];
        if (auto taken = co_await take_over_kept(services_, *library); !taken) {
            queue.failures[place] = {taken.error(), false};
            continue;
        }
        auto opening = open_unit(library);
        auto opened = co_await std::move(opening);
        if (opened) {
            units_.push_back(std::move(*opened));
        } else {
            queue.failures[place] = {opened.error(), true};
        }
    }
}

asio::awaitable<Result<void>> LibrarySet::open(const config::Libraries& libraries)
{
    using namespace asio::experimental::awaitable_operators;
    Queue queue{libraries, 0, std::vector<Queue::Failure>(libraries.size())};
    const bool has_takeover = std::any_of(libraries.begin(), libraries.end(),
                                          [this](const auto& library) { return awaits_takeover(services_, *library); });
    auto one = open_next(queue);
    if (has_takeover) {
        co_await std::move(one);
    } else {
        // Each opening waits for disks, threads and this loop in turn.
        auto another = open_next(queue);
        auto third = open_next(queue);
        co_await (std::move(one) && std::move(another) && std::move(third));
    }
    adopt(libraries, {});
    std::optional<Error> first;
    for (std::size_t place = 0; place < libraries.size(); ++place) {
        const auto& [error, keeps_set] = queue.failures[place];
        if (error) {
            first = first || !may_restart_cure(*error) ? first : error;
            if (keeps_set) {
                co_await keep_set(libraries[place]);
            }
            record_absent(libraries[place]->name, *error);
        }
    }
    if (first && units_.empty()) {
        co_await absent_sets_.settle();  // the next start may be no better
        co_return with_disk_advice(*first);
    }
    part_shared_sets(units_);
    co_return Result<void>();
}

// Logs each reason once, not at each try.
void LibrarySet::record_absent(const std::string& library, const Error& error)
{
    auto& known = absent_.try_emplace(library, Absence{"", services_.clock.now()}).first->second;
    if (known.why != error.text()) {
        services_.log.error(fmt::format("{} is not running: {}", library, error.text()), {{"library", library}});
        known.why = error.text();
        known.cure = disk_advice(error);
    }
}

// Renamed libraries come last: what they take over cannot be given back, so they are absent instead of refused.
asio::awaitable<Result<void>> LibrarySet::open_added(const config::Libraries& libraries,
                                                     const config::Libraries& before, Units& opened,
                                                     std::vector<std::string>& changes)
{
    auto added = libraries;
    std::erase_if(added, [this](const auto& library) { return find(library->name) != nullptr; });
    const auto renamed = std::stable_partition(
        added.begin(), added.end(), [this](const auto& library) { return !awaits_takeover(services_, *library); });
    const config::Libraries last(renamed, added.end());
    for (const auto& library : added) {
        auto unit = co_await open_one(library);
        const bool was_absent = absent_.count(library->name) > 0;
        if (!unit && (find_named(last, library->name) || (was_absent && is_of_one_library(unit.error())))) {
            record_absent(library->name, unit.error());
            continue;
        }
        if (!unit) {
            co_return unit.error();
        }
        changes.push_back(describe_change(before, *library));
        opened.push_back(std::move(*unit));
    }
    co_return Result<void>();
}

asio::awaitable<void> LibrarySet::restore(const config::Libraries& libraries)
{
    services_.limiters.configure(libraries);
    Units again;
    Units opened;
    for (const auto& library : libraries) {
        if (auto kept = find(library->name)) {
            again.push_back(std::move(kept));
            continue;
        }
        auto unit = co_await open_one(library);
        if (!unit) {
            record_absent(library->name, unit.error());
            continue;
        }
        opened.push_back(*unit);
        again.push_back(std::move(*unit));
    }
    units_ = std::move(again);
    restarts_.end();
    part_shared_sets(opened);
    for (const auto& unit : opened) {
        if (absent_.erase(unit->library().name) > 0) {
            services_.log.info("the library is running again", {{"library", unit->library().name}});
        }
    }
    start_all(opened);
}

}  // namespace shelfd::app
