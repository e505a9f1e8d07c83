// The operations of the control socket on the running libraries.
#pragma once

#include "app/alerts/alerts.hpp"
#include "app/configuration/effective_configuration.hpp"
#include "app/configuration/reloader.hpp"
#include "app/library/library_set.hpp"
#include "app/report/daemon_report.hpp"
#include "control/model/operations.hpp"
#include "runtime/async/async_event.hpp"

#include <string>

namespace shelfd::app {

// Loop only. All references must outlive this object; `changed` is notified when the status may have changed.
class LibraryOperations final : public control::Operations {
public:
    LibraryOperations(LibrarySet& libraries, AsyncEvent& changed, const EffectiveConfiguration& configuration,
                      Reloader& reloader, const DaemonReport& report, Alerts& alerts)
        : libraries_(libraries), changed_(changed), configuration_(configuration), reloader_(reloader), report_(report),
          alerts_(alerts)
    {
    }

    control::Status status() const override;
    const std::vector<control::LibraryReaders>& readers() const override { return configuration_.readers(); }
    bool knows(const std::string& library, const std::string& resource) const override;
    asio::awaitable<void> changed() override { return changed_.wait(); }
    asio::awaitable<Result<void>> sync(control::SyncRequest request, control::ProgressSink sink) override;
    asio::awaitable<Result<control::ReloadReport>> reload(control::ReloadRequest request) override;
    asio::awaitable<Result<control::ReloadReport>> rehearse_reload() override { return reloader_.rehearse(); }
    std::string configuration() const override { return configuration_.text(); }
    asio::awaitable<Result<control::RemovalReport>> remove_library(control::RemovalRequest request) override;
    asio::awaitable<Result<control::SnapshotReport>> snapshot(control::LibraryRequest request) override;
    asio::awaitable<Result<control::RetypeReport>> retype(control::RetypeRequest request) override;
    asio::awaitable<Result<control::HeldReport>> held(control::HeldRequest request) override;
    asio::awaitable<Result<void>> acknowledge(control::AcknowledgeRequest request) override;
    asio::awaitable<Result<void>> forget_consumer(control::AcknowledgeRequest request) override;
    asio::awaitable<Result<control::DecideReport>> decide(control::DecideRequest request) override;

    asio::awaitable<Result<control::ImportReport>> import_set(control::ImportRequest request) override;
    asio::awaitable<Result<control::LoginPlace>> login_place(std::string library) override;
    asio::awaitable<Result<control::ImportReport>> redeem_code(control::CodeRequest request) override;
    asio::awaitable<Result<Secret>> move_out(control::MoveOutRequest request) override;
    asio::awaitable<Result<control::ImportReport>> move_in(control::MoveInRequest request) override;
    asio::awaitable<Result<void>> adopt(control::LibraryRequest request) override;
    asio::awaitable<Result<void>> forget(control::LibraryRequest request) override;
    asio::awaitable<Result<control::RevealedToken>> reveal_token(control::LibraryRequest request) override;

    asio::awaitable<Result<control::GetReport>> get(control::GetRequest request) override;
    asio::awaitable<Result<void>> verify(control::VerifyRequest request, control::VerifySink sink) override;
    asio::awaitable<Result<void>> probe(control::ProbeRequest request, control::ProbeSink sink) override;

    control::AlertReport alerts() const override { return alerts_.report(); }
    asio::awaitable<Result<void>> test_hook(control::HookRequest request) override;
    asio::awaitable<Result<control::SilenceReport>> silence(control::SilenceRequest request) override;

private:
    LibrarySet& libraries_;
    AsyncEvent& changed_;
    const EffectiveConfiguration& configuration_;
    Reloader& reloader_;
    const DaemonReport& report_;
    Alerts& alerts_;
};

}  // namespace shelfd::app
