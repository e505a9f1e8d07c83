// A double of the daemon's operations: records what it was asked for and answers with samples.
#pragma once

#include "control/model/operations.hpp"
#include "control/sample_status.hpp"
#include "runtime/async/clock.hpp"

#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace shelfd::control {

// Remembers from the loop, asked from the test.
class Journal {
public:
    void note(std::string text);
    std::vector<std::string> all() const;
    bool contains(const std::string& part) const;

private:
    mutable std::mutex mutex_;
    std::vector<std::string> entries_;
};

// Runs on the loop; `clock` and `asked` outlive it. The functions are for tests that want a different answer.
class RecordingOperations : public Operations {
public:
    RecordingOperations(Clock& clock, Journal& asked) : clock_(clock), asked_(asked) {}

    std::function<Status()> status_now = fresh_status;
    std::vector<LibraryReaders> of_single_libraries;
    std::function<asio::awaitable<Result<void>>(SyncRequest, ProgressSink)> instead_of_sync;
    std::function<asio::awaitable<Result<ReloadReport>>()> instead_of_reload;
    std::string decided_by;  // the user of the last decision about held rows
    Actor acted = {};        // of the last snapshot or import

    Status status() const override { return status_now(); }
    const std::vector<LibraryReaders>& readers() const override { return of_single_libraries; }
    bool knows(const std::string& library, const std::string& resource) const override;
    // Nothing ever notifies of a change.
    asio::awaitable<void> changed() override { return clock_.sleep_for(std::chrono::hours(1'000)); }
    asio::awaitable<Result<void>> sync(SyncRequest request, ProgressSink progress) override;
    asio::awaitable<Result<ReloadReport>> reload(ReloadRequest request) override;
    asio::awaitable<Result<ReloadReport>> rehearse_reload() override;
    std::string configuration() const override { return "[library.antwerp]\npaused = false\n"; }
    asio::awaitable<Result<RemovalReport>> remove_library(RemovalRequest request) override;
    asio::awaitable<Result<ImportReport>> import_set(ImportRequest request) override;
    asio::awaitable<Result<SnapshotReport>> snapshot(LibraryRequest request) override;
    asio::awaitable<Result<void>> acknowledge(AcknowledgeRequest request) override;
    asio::awaitable<Result<void>> forget_consumer(AcknowledgeRequest request) override;
    asio::awaitable<Result<RetypeReport>> retype(RetypeRequest request) override;
    asio::awaitable<Result<HeldReport>> held(HeldRequest request) override;
    asio::awaitable<Result<DecideReport>> decide(DecideRequest request) override;
    asio::awaitable<Result<GetReport>> get(GetRequest request) override;
    asio::awaitable<Result<void>> verify(VerifyRequest request, VerifySink sink) override;
    asio::awaitable<Result<void>> probe(ProbeRequest request, ProbeSink sink) override;
    asio::awaitable<Result<LoginPlace>> login_place(std::string library) override;
    asio::awaitable<Result<ImportReport>> redeem_code(CodeRequest request) override;
    asio::awaitable<Result<Secret>> move_out(MoveOutRequest request) override;
    asio::awaitable<Result<ImportReport>> move_in(MoveInRequest request) override;
    asio::awaitable<Result<void>> adopt(LibraryRequest request) override;
    asio::awaitable<Result<void>> forget(LibraryRequest request) override;
    asio::awaitable<Result<RevealedToken>> reveal_token(LibraryRequest request) override;
    AlertReport alerts() const override;
    asio::awaitable<Result<void>> test_hook(HookRequest request) override;
    asio::awaitable<Result<SilenceReport>> silence(SilenceRequest request) override;

private:
    Clock& clock_;
    Journal& asked_;
};

}  // namespace shelfd::control
