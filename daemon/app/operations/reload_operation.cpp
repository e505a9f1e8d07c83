#include "app/operations/reload_operation.hpp"

#include "app/operations/with_library.hpp"
#include "app/report/advice.hpp"

#include <fmt/core.h>

#include <map>
#include <memory>
#include <set>
#include <utility>

namespace shelfd::app {
namespace {

// Of libraries that were opened anew: a scope that a table needs may be new in the configuration. What is lacking was
// said before of the others.
void warn_of_scopes(control::ReloadReport& report, const LibrarySet& libraries, const std::set<std::string>& opened)
{
    for (const auto& unit : libraries.units()) {
        const auto& library = unit->library();
        if (!opened.contains(library.name)) {
            continue;
        }
        std::map<std::string, std::string> tables;  // by the scope that they lack
        for (const auto& resource : library.resources) {
            if (const auto scope = missing_scope(*unit, resource.name); !scope.empty()) {
                auto& names = tables[scope];
                names += (names.empty() ? "" : ", ") + resource.name;
            }
        }
        for (const auto& [scope, names] : tables) {
            report.warnings.push_back(fmt::format("the token set of {0} lacks the scope {1}, so {2} cannot be synced: "
                                                  "ask the owner of {0} for a token set with the scope {1} (shelfctl "
                                                  "auth ask {0} writes the letter), then: shelfctl auth import {0}",
                                                  library.name, scope, names));
        }
    }
}

}  // namespace

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
    if (report) {
        opened.insert(named);
        warn_of_scopes(*report, libraries, opened);
    }
    co_return report;
}

}  // namespace shelfd::app
