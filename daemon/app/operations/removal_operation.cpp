#include "app/operations/removal_operation.hpp"

#include "app/operations/with_library.hpp"
#include "control/model/unknown_names.hpp"

#include <fmt/format.h>

#include <utility>

namespace shelfd::app {
namespace {

Result<void> check_known(const LibrarySet& libraries, const Reloader& reloader, const std::string& name)
{
    if (auto restart = libraries.restarts().error_of(name)) {
        return std::move(*restart);
    }
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

// Why the service need not, or cannot, be asked. `has_set`: a disk has one.
std::string why_not_asked(const LibrarySet& libraries, const control::RemovalRequest& request, bool has_set)
{
    const auto unit = libraries.find(request.library);
    if (unit ? unit->keeper().status().state == TokenState::none : !has_set) {
        return "there was no token set";
    }
    if (request.without_revocation) {
        return "--no-revoke was given";
    }
    if (!unit) {
        const bool is_configured = libraries.absent().contains(request.library);
        return is_configured
                   ? fmt::format("{} does not run, or has no revocation_path: remove the token at the service, if it "
                                 "should stop working",
                                 request.library)
                   : fmt::format("{} is not configured any more: remove the token at the service, if it "
                                 "should stop working",
                                 request.library);
    }
    const auto state = unit->keeper().status().state;
    if (unit->library().service.revocation_path.empty() && state != TokenState::moved) {
        return "revocation_path is not configured: remove the token at the service, if it should stop working";
    }
    return state == TokenState::moved ? "another machine uses it"
           : state == TokenState::copied
               ? "this store looks copied; the original may still use its set: remove the token at the "
                 "service, if it should stop working"
               : "";
}

// A set that only its owner can replace is not destroyed while the service still accepts it.
asio::awaitable<Result<void>> check_reach(const LibrarySet& libraries, const Reloader& reloader, std::string library)
{
    auto looking = reloader.holds_set_out_of_reach(library);
    auto is_out_of_reach = co_await std::move(looking);
    const auto absence = libraries.absent().find(library);
    const auto why = absence != libraries.absent().end() ? ": " + absence->second.why : std::string();
    if (is_out_of_reach && !*is_out_of_reach) {
        co_return Result<void>();
    }
    if (is_out_of_reach && absence == libraries.absent().end()) {
        co_return Error(
            ErrorKind::needs_person,
            fmt::format("nothing was removed: {0} is not configured any more; so the service cannot be asked to revoke "
                        "its token set. Write [library.{0}] into the configuration again, with its application, and "
                        "paused = true; then: shelfctl reload, and repeat this. Or remove it without asking the "
                        "service: shelfctl library forget {0} --no-revoke",
                        library));
    }
    const auto trouble = is_out_of_reach ? "" : fmt::format(" ({})", is_out_of_reach.error().text());
    co_return Error(
        ErrorKind::needs_person,
        fmt::format("nothing was removed: {0} does not run{1}; so the service cannot be asked to revoke its "
                    "token set{2}. Correct that first; or remove it without asking the service: shelfctl "
                    "library forget {0} --no-revoke",
                    library, why, trouble));
}

}  // namespace

asio::awaitable<Result<control::RemovalReport>> remove_library(LibrarySet& libraries, Reloader& reloader,
                                                               control::RemovalRequest request)
{
    SHELFD_CO_TRY(check_known(libraries, reloader, request.library));
    if (!request.without_revocation) {
        auto checking = check_reach(libraries, reloader, request.library);
        SHELFD_CO_TRY(co_await std::move(checking));
    }
    control::RemovalReport report;
    report.library = request.library;
    auto looking = reloader.holds_set(request.library);
    const bool has_set = co_await std::move(looking);
    auto looking_back = reloader.earlier_removal(request.library);
    const auto earlier = co_await std::move(looking_back);
    report.revoked = earlier && earlier->revoked == Revoked::yes;
    report.why_not_revoked = report.revoked ? "" : why_not_asked(libraries, request, has_set);
    if (!report.revoked && report.why_not_revoked.empty()) {
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
    auto removing = reloader.remove_library(request.library, report.revoked ? Revoked::yes : Revoked::no);
    SHELFD_CO_TRY_ASSIGN(receipt, co_await std::move(removing));
    for (auto& item : receipt.items) {
        report.removed.push_back({std::move(item.what), std::move(item.path), item.bytes});
    }
    report.is_configured = libraries.absent().contains(request.library);
    co_return report;
}

}  // namespace shelfd::app
