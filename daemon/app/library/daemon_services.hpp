// What all libraries share: the loop's services, built once by the daemon.
#pragma once

#include "app/library/bug_history.hpp"
#include "budget/limiter.hpp"
#include "config/model/model.hpp"
#include "http/client.hpp"
#include "mirror/file/handle_pool.hpp"
#include "oauth/endpoint/exchange_gate.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/async/directory_watch.hpp"
#include "runtime/async/worker_pool.hpp"
#include "runtime/log/log.hpp"
#include "sync/library/walk_gate.hpp"
#include "sync/library/walk_memory.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace shelfd::app {

// References to what the daemon keeps alive longer than any library. Loop only.
struct DaemonServices {
    asio::any_io_executor executor;
    Clock& clock;
    http::Client& client;
    WorkerPool& workers;
    WorkerPool& token_workers;   // others, so that no answer to a refresh waits for a mirror on its way to the disk
    WorkerPool& secret_workers;  // and none for a command that tells a secret, and may take ten seconds
    Log log;
    std::function<double()> random;  // uniform in [0, 1)
    config::Storage storage;         // cannot change while the daemon runs
    std::string machine_id;
    std::string boot_id;
    std::string credentials_directory;  // $CREDENTIALS_DIRECTORY, "" without systemd
    std::function<void()> changed;      // something people are told has changed
    std::string refuge = {};            // directory for a set that no disk takes; "" = none

    std::shared_ptr<mirror::HandlePool> handles = std::make_shared<mirror::HandlePool>();
    std::shared_ptr<sync::WalkMemory> walk_memory = std::make_shared<sync::WalkMemory>();
    std::shared_ptr<sync::WalkGate> walk_gate = std::make_shared<sync::WalkGate>(clock);
    DirectoryWatch directories{executor};
    bool told_unwatched = false;  // the log, that a directory is not watched
    // Of snapshots: one at a time, so that the other workers are there for passes.
    std::unique_ptr<AsyncMutex> copying = std::make_unique<AsyncMutex>();

    // By limit group: its libraries share a limiter, which outlives a reload.
    std::map<std::string, std::unique_ptr<budget::Limiter>> limiters;
    // By library: the limit group it was last in.
    std::map<std::string, std::string> groups = {};
    // By library: its bugs, which outlive its restarts.
    std::map<std::string, BugHistory> bugs = {};
    // By origin: its libraries take turns with the token endpoint.
    std::map<std::string, std::unique_ptr<oauth::ExchangeGate>> exchange_gates;
    // By fingerprint of the refresh token: the library that holds it.
    std::function<std::string(const std::string& library, const std::string& fingerprint)> other_holder;

    // The limiter of the library's group, made or given its present limit. One that the library comes to from another
    // group counts what was sent there in the last minute. Blocks: makes
    // and opens a file. Errors: storage, permission.
    Result<budget::Limiter*> limiter_for(const config::Library& library);
    oauth::ExchangeGate& exchange_gate_for(const std::string& origin);

private:
    Result<budget::Limiter*> limiter_of(const std::string& group, const config::Service& service);
};

}  // namespace shelfd::app
