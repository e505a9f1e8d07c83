#include "app/operations/library_operations.hpp"

#include "app/operations/auth_operations.hpp"
#include "app/operations/inquiry_operations.hpp"
#include "app/operations/mirror_operations.hpp"
#include "app/operations/reload_operation.hpp"
#include "app/operations/removal_operation.hpp"
#include "app/operations/sync_operation.hpp"
#include "app/operations/with_library.hpp"
#include "control/causes/cause_finder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace shelfd::app {
namespace {

// Paused libraries are left out; one that does not run, or is opened again just now, makes it fail after the others
// have ended.
asio::awaitable<Result<void>> sync_all(const LibrarySet& libraries, AsyncEvent& changed, control::SyncRequest request,
                                       control::ProgressSink sink)
{
    std::vector<LibraryUnit::Use> uses;
    std::vector<LibraryUnit*> units;
    uses.reserve(libraries.units().size());
    for (const auto& unit : libraries.units()) {
        if (!unit->library().paused) {
            uses.emplace_back(unit);
            units.push_back(unit.get());
        }
    }
    const auto absent = libraries.absent();
    auto restarting = libraries.restarts().any_error();
    if (units.empty() && absent.empty() && !restarting) {
        co_return Error(ErrorKind::needs_person, "every library is paused, or none is configured: shelfctl status");
    }
    if (!units.empty()) {
        auto working = sync_now(std::move(units), changed, std::move(request), std::move(sink));
        SHELFD_CO_TRY(co_await std::move(working));
    }
    if (!absent.empty()) {
        const auto& [name, absence] = *absent.begin();
        co_return Error(ErrorKind::needs_person, fmt::format("{} is not running: {}", name, absence.why));
    }
    if (restarting) {
        co_return std::move(*restarting);
    }
    co_return Result<void>();
}

}  // namespace

control::Status LibraryOperations::status() const
{
    auto status = report_.status();
    if (auto notices = alerts_.notices(); !notices.empty()) {
        status.notices.insert(status.notices.end(), notices.begin(), notices.end());
        auto found = control::find_causes(status);
        std::erase_if(found, [&status](const control::Cause& one) {
            return std::any_of(status.problems.begin(), status.problems.end(),
                               [&one](const control::Cause& known) { return known.key == one.key; });
        });
        std::move(found.begin(), found.end(), std::back_inserter(status.problems));
    }
    auto lags = alerts_.lags();
    std::move(lags.begin(), lags.end(), std::back_inserter(status.problems));
    alerts_.name_incidents(status.problems);
    return status;
}

bool LibraryOperations::knows(const std::string& library, const std::string& resource) const
{
    const auto unit = libraries_.find(library);
    return unit && (resource.empty() || unit->tables().has(resource));
}

asio::awaitable<Result<void>> LibraryOperations::sync(control::SyncRequest request, control::ProgressSink sink)
{
    if (request.library.empty()) {
        return sync_all(libraries_, changed_, std::move(request), std::move(sink));
    }
    auto act = [this, sink = std::move(sink)](LibraryUnit& unit, control::SyncRequest wanted) mutable {
        return sync_now({&unit}, changed_, std::move(wanted), std::move(sink));
    };
    return with_library(libraries_, std::move(request), std::move(act));
}

asio::awaitable<Result<control::ReloadReport>> LibraryOperations::reload(control::ReloadRequest request)
{
    return app::reload_for(libraries_, reloader_, std::move(request));
}

asio::awaitable<Result<control::RemovalReport>> LibraryOperations::remove_library(control::RemovalRequest request)
{
    return app::remove_library(libraries_, reloader_, std::move(request));
}

asio::awaitable<Result<control::DecideReport>> LibraryOperations::decide(control::DecideRequest request)
{
    auto act = [this](LibraryUnit& unit, control::DecideRequest wanted) {
        return app::decide(unit, changed_, std::move(wanted));
    };
    return with_library(libraries_, std::move(request), act);
}

asio::awaitable<Result<control::SnapshotReport>> LibraryOperations::snapshot(control::LibraryRequest request)
{
    return act_on_library(libraries_, std::move(request), app::snapshot);
}

asio::awaitable<Result<control::RetypeReport>> LibraryOperations::retype(control::RetypeRequest request)
{
    return act_on_library(libraries_, std::move(request), app::retype);
}

asio::awaitable<Result<void>> LibraryOperations::acknowledge(control::AcknowledgeRequest request)
{
    return with_library(libraries_, std::move(request), app::acknowledge);
}

asio::awaitable<Result<void>> LibraryOperations::forget_consumer(control::AcknowledgeRequest request)
{
    return act_on_library(libraries_, std::move(request), app::forget_consumer);
}

asio::awaitable<Result<control::HeldReport>> LibraryOperations::held(control::HeldRequest request)
{
    return with_library(libraries_, std::move(request), app::held);
}

asio::awaitable<Result<control::ImportReport>> LibraryOperations::import_set(control::ImportRequest request)
{
    return act_on_library(libraries_, std::move(request), app::import_set);
}

asio::awaitable<Result<control::LoginPlace>> LibraryOperations::login_place(std::string library)
{
    return with_library(libraries_, std::move(library), app::login_place);
}

asio::awaitable<Result<control::ImportReport>> LibraryOperations::redeem_code(control::CodeRequest request)
{
    request.actor.verb = "auth login";  // of which this is the end
    return act_on_library(libraries_, std::move(request), app::redeem_code);
}

asio::awaitable<Result<Secret>> LibraryOperations::move_out(control::MoveOutRequest request)
{
    return act_on_library(libraries_, std::move(request), app::move_out);
}

asio::awaitable<Result<control::ImportReport>> LibraryOperations::move_in(control::MoveInRequest request)
{
    return act_on_library(libraries_, std::move(request), app::move_in);
}

asio::awaitable<Result<void>> LibraryOperations::adopt(control::LibraryRequest request)
{
    return act_on_library(libraries_, std::move(request), app::adopt);
}

asio::awaitable<Result<void>> LibraryOperations::forget(control::LibraryRequest request)
{
    return act_on_library(libraries_, std::move(request), app::forget);
}

asio::awaitable<Result<control::RevealedToken>> LibraryOperations::reveal_token(control::LibraryRequest request)
{
    return act_on_library(libraries_, std::move(request), app::reveal_token);
}

asio::awaitable<Result<control::GetReport>> LibraryOperations::get(control::GetRequest request)
{
    return act_on_library(libraries_, std::move(request), app::get);
}

asio::awaitable<Result<void>> LibraryOperations::verify(control::VerifyRequest request, control::VerifySink sink)
{
    auto act = [sink = std::move(sink)](LibraryUnit& unit, control::VerifyRequest wanted) mutable {
        return app::verify(unit, std::move(wanted), std::move(sink));
    };
    return act_on_library(libraries_, std::move(request), std::move(act));
}

asio::awaitable<Result<void>> LibraryOperations::probe(control::ProbeRequest request, control::ProbeSink sink)
{
    auto act = [sink = std::move(sink), names = configuration_.settings().resource_names](
                   LibraryUnit& unit, control::ProbeRequest wanted) mutable {
        return app::probe(unit, std::move(wanted), std::move(sink), std::move(names));
    };
    return act_on_library(libraries_, std::move(request), std::move(act));
}

asio::awaitable<Result<void>> LibraryOperations::test_hook(control::HookRequest request)
{
    return alerts_.test(std::move(request.hook));
}

asio::awaitable<Result<control::SilenceReport>> LibraryOperations::silence(control::SilenceRequest request)
{
    auto library = request.library;
    auto actor = request.actor;
    auto silencing = alerts_.silence(std::move(request));
    auto report = co_await std::move(silencing);
    const auto concerns = [&library](const LibraryUnit& unit) {
        return library.empty() || unit.library().name == library;
    };
    auto recording = record_where(libraries_, concerns, std::move(actor), report ? "" : report.error().text());
    co_await std::move(recording);
    co_return report;
}

}  // namespace shelfd::app
