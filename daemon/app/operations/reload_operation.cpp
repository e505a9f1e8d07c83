#include "app/operations/reload_operation.hpp"

#include "app/operations/with_library.hpp"

#include <utility>

namespace shelfd::app {

asio::awaitable<Result<control::ReloadReport>> reload_for(LibrarySet& libraries, Reloader& reloader,
                                                          control::ReloadRequest request)
{
    auto reloading = reloader.reload();
    auto report = co_await std::move(reloading);
    if (request.verb.empty() || request.library.empty()) {
        co_return report;
    }
    // A library that does not run has no mirror that is open.
    auto unit = use_library(libraries, request.library);
    if (!unit) {
        co_return report;
    }
    auto record = begin_act(**unit, request.actor, "");
    record.error = report ? "" : report.error().text();
    auto ending = end_act(**unit, std::move(record));
    co_await std::move(ending);
    co_return report;
}

}  // namespace shelfd::app
