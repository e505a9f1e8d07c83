#include "app/operations/reload_operation.hpp"

#include "app/operations/with_library.hpp"

#include <memory>
#include <set>
#include <utility>

namespace shelfd::app {

asio::awaitable<Result<control::ReloadReport>> reload_for(LibrarySet& libraries, Reloader& reloader,
                                                          control::ReloadRequest request)
{
    // Without keeping them: a reload waits for their end.
    std::set<std::weak_ptr<LibraryUnit>, std::owner_less<>> before(libraries.units().begin(), libraries.units().end());
    auto reloading = reloader.reload();
    auto report = co_await std::move(reloading);
    const auto error = report ? std::string() : report.error().text();
    const auto named = request.verb.empty() ? std::string() : request.library;
    std::set<std::string> opened;
    for (const auto& unit : libraries.units()) {
        if (!before.contains(unit) && unit->library().name != named) {
            opened.insert(unit->library().name);
        }
    }
    // A library that does not run has no mirror that is open.
    const auto is_named = [&named](const LibraryUnit& unit) { return unit.library().name == named; };
    auto recording = record_where(libraries, is_named, request.actor, error);
    co_await std::move(recording);
    const auto is_opened = [&opened](const LibraryUnit& unit) { return opened.contains(unit.library().name); };
    auto recording_others = record_where(libraries, is_opened, {request.actor.user, "reload"}, error);
    co_await std::move(recording_others);
    co_return report;
}

}  // namespace shelfd::app
