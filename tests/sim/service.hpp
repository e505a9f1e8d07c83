// The service behind one lock: the network asks it for answers while a test changes its world.
#pragma once

#include "sim/world.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace shelfd::sim {

// Recursive, so that one statement may look at the world twice.
using WorldMutex = std::recursive_timed_mutex;

// The world, held for as long as this lives. Made for one statement: `service.world()->expire_access("lib01")`.
// That statement must not wait for an answer over the network, or the server waits for it: after ten seconds of that
// the server aborts and says so. What a request is made of comes from `view_set`, which lets go at once.
class LockedWorld {
public:
    LockedWorld(WorldMutex& mutex, World& world) : lock_(mutex), world_(world) {}
    World* operator->() { return &world_; }
    World& operator*() { return world_; }

private:
    std::unique_lock<WorldMutex> lock_;
    World& world_;
};

// Thread-safe. An answer is made whole under the lock, so a test never sees half a refresh.
class Service {
public:
    // What was written down when a request arrived, and what is to go wrong with it.
    struct Visit {
        AuditKey key;
        std::optional<Fault> fault;
        bool audited = true;  // requests to /sim/ leave no trace
    };

    explicit Service(WorldOptions options) : world_(std::move(options)) {}

    LockedWorld world() { return {mutex_, world_}; }
    SetView view_set(std::string_view library, std::size_t number = 0) { return world()->view_set(library, number); }
    AuditReport audit_report() { return world()->audit_report(); }

    Visit request_arrived(const Request& request);
    Reply answer(const Request& request);
    // `status` is 0 when no whole status line was sent.
    void request_done(const Visit& visit, int status, std::uint64_t bytes_sent);
    void connection_accepted();
    Instant now();

private:
    std::unique_lock<WorldMutex> lock();

    WorldMutex mutex_;
    World world_;
};

}  // namespace shelfd::sim
