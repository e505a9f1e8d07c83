#include "app/operations/removal_operation.hpp"

#include "control/model/unknown_names.hpp"

#include <fmt/format.h>

#include <utility>

namespace shelfd::app {
namespace {

Result<void> check_known(const LibrarySet& libraries, const Reloader& reloader, const std::string& name)
{
    std::vector<std::string> known;
    for (const auto& unit : libraries.units()) {
        known.push_back(unit->library().name);
    }
    for (const auto& [library, why] : libraries.absent()) {
        known.push_back(library);
    }
    for (const auto& kept : reloader.kept()) {
        known.push_back(kept.name);
    }
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    return is_known ? Result<void>() : control::unknown_library(name, std::move(known));
}

// Why the service need not, or cannot, be asked.
std::string why_not_asked(const LibrarySet& libraries, const control::RemovalRequest& request)
{
    const auto unit = libraries.find(request.library);
    if (request.without_revocation) {
        return "that was not wanted";
    }
    if (!unit) {
        return fmt::format("{} does not run", request.library);
    }
    if (unit->library().service.revocation_path.empty()) {
        return "revocation_path is not configured: remove the token at the service, if it should stop working";
    }
    const auto state = unit->keeper().status().state;
    return state == TokenState::none    ? "there was no token set"
           : state == TokenState::moved ? "another machine uses it"
                                        : "";
}

}  // namespace

asio::awaitable<Result<control::RemovalReport>> remove_library(LibrarySet& libraries, Reloader& reloader,
                                                               control::RemovalRequest request)
{
    SHELFD_CO_TRY(check_known(libraries, reloader, request.library));
    control::RemovalReport report;
    report.library = request.library;
    report.why_not_revoked = why_not_asked(libraries, request);
    if (report.why_not_revoked.empty()) {
        SHELFD_CO_TRY_ASSIGN(unit, use_library(libraries, request.library));
        auto revoking = unit->keeper().revoke();
        if (auto revoked = co_await std::move(revoking); !revoked) {
            co_return Error(revoked.error().kind(),
                            fmt::format("nothing was removed: the token set of {} could not be revoked: {}; without "
                                        "asking the service: shelfctl library forget {} --no-revoke",
                                        request.library, revoked.error().text(), request.library));
        }
        report.revoked = true;
    }
    auto removing = reloader.remove_library(request.library);
    SHELFD_CO_TRY_ASSIGN(items, co_await std::move(removing));
    for (auto& item : items) {
        report.removed.push_back({std::move(item.what), std::move(item.path), item.bytes});
    }
    report.is_configured = libraries.absent().contains(request.library);
    co_return report;
}

}  // namespace shelfd::app
