// What all libraries share, created once by the daemon.
#pragma once

#include "app/services/bug_history.hpp"
#include "app/services/library_users.hpp"
#include "app/services/limit_sharers.hpp"
#include "app/services/limiters.hpp"
#include "app/services/mirror_directories.hpp"
#include "config/model/model.hpp"
#include "http/client.hpp"
#include "mirror/file/handle_pool.hpp"
#include "oauth/endpoint/exchange_gate.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/async/worker_pool.hpp"
#include "runtime/log/log.hpp"
#include "sync/library/walk_gate.hpp"
#include "sync/library/walk_memory.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace shelfd::app {

// Blocking threads by purpose, so that the answer to a refresh waits neither for a mirror's fsync nor for a command
// that prints a secret, which may take ten seconds.
struct WorkerPools {
    WorkerPool& mirrors;
    WorkerPool& tokens;
    WorkerPool& secrets;
};

// Facts about the machine, and where it keeps things for the daemon.
struct Host {
    std::string machine_id;
    std::string boot_id;
    std::string credentials_directory = {};        // $CREDENTIALS_DIRECTORY, "" without systemd
    std::string refuge = {};                       // directory for a set that no disk accepts; "" = none
    std::string journal = "journalctl -u shelfd";  // shows the log
};

// References to objects that outlive every library. Loop only. Only code that creates libraries gets all of it.
struct DaemonServices {
    asio::any_io_executor executor;
    Clock& clock;
    http::Client& client;
    WorkerPools workers;
    Log log;
    std::function<double()> random;  // uniform in [0, 1)
    config::Storage storage;         // cannot change while the daemon runs
    Host host;
    std::function<void()> changed;  // the status may have changed; counts in `changes`
    // The library other than `library` that holds the refresh token with that fingerprint; "" = none.
    std::function<std::string(const std::string& library, const std::string& fingerprint)> other_holder;

    // "" if the file system of storage.mirrors was not mounted at the start: until the next one nothing about all
    // mirrors is kept there, also when the mirrors themselves are back.
    std::string records = storage.mirrors;

    Limiters limiters{records, clock, host.boot_id};
    LimitSharers sharers = {};
    std::unique_ptr<LibraryUsers> users = std::make_unique<LibraryUsers>(records);
    MirrorDirectories directories{executor, log};
    std::shared_ptr<mirror::HandlePool> handles = std::make_shared<mirror::HandlePool>();
    std::shared_ptr<sync::WalkMemory> walk_memory = std::make_shared<sync::WalkMemory>();
    std::shared_ptr<sync::WalkGate> walk_gate = std::make_shared<sync::WalkGate>(clock);
    // One snapshot at a time, so that the other workers can serve passes.
    std::unique_ptr<AsyncMutex> copying = std::make_unique<AsyncMutex>();
    std::uint64_t changes = 0;  // calls of `changed`
    // By library; bugs outlive its restarts.
    std::map<std::string, BugHistory> bugs = {};
    // By origin: its libraries take turns at the token endpoint.
    std::map<std::string, std::unique_ptr<oauth::ExchangeGate>> exchange_gates = {};

    std::string alert_directory() const { return records.empty() ? "" : records + "/.hooks"; }
    oauth::ExchangeGate& exchange_gate_for(const std::string& origin)
    {
        auto& gate = exchange_gates[origin];
        return gate ? *gate : *(gate = std::make_unique<oauth::ExchangeGate>(clock));
    }
};

}  // namespace shelfd::app
