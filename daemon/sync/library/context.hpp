// What the passes of one library use from the floors below, gathered once.
#pragma once

#include "budget/ledger.hpp"
#include "budget/limiter.hpp"
#include "config/model/model.hpp"
#include "http/client.hpp"
#include "mirror/mirror.hpp"
#include "oauth/keeper/token_keeper.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/async/task_group.hpp"
#include "runtime/async/worker_pool.hpp"
#include "runtime/log/log.hpp"
#include "sync/library/identity_check.hpp"
#include "sync/library/walk_gate.hpp"
#include "sync/library/walk_memory.hpp"
#include "sync/library/walk_turns.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {

// Of a mirror's WAL, after the last page, pass or look at it.
struct WalState {
    std::uint64_t bytes = 0;
    std::optional<Instant> pinned_since = {};  // the first checkpoint since which none has copied all of it back
    bool logged = false;
};

// What the passes of one library know together, whichever of them learned it.
struct LibraryState {
    budget::Ledger ledger;  // whoever sends a request counts it
    WalState wal;
    std::vector<mirror::Repair> repairs;  // of the mirror's file, newest first
    std::string claimed_for;              // service and library that the mirror is known to belong to; "" = not yet
    std::string logged_of_token_set;      // what the log has of a set that needs a person; "" = nothing
};

// What the passes ask of the library's owner, who sets it before the first of them begins.
struct LibraryOwner {
    // The mirror began anew: every table wants a pass now, but for the one that a pass has just filled; "" = none is.
    std::function<void(const std::string& filled)> refill = [](const std::string&) {};
    // After a pass, or a turn of details: the mirror may have nothing to do now.
    std::function<void()> pass_ended = [] {};
    // A task of the table `resource` ended by an exception, which is a bug: what waits for it is to be cancelled. Must
    // not do that before it returns.
    std::function<void(const std::string& resource, const std::exception_ptr&)> failed =
        [](const std::string&, const std::exception_ptr& error) { std::rethrow_exception(error); };
};

// References to what the owner of the library keeps alive longer than any pass. Loop only; `mirror` in `lane` only.
struct LibraryContext {
    const config::Library& library;
    Clock& clock;
    http::Client& client;
    budget::Limiter& limiter;
    oauth::TokenKeeper& keeper;
    mirror::Mirror& mirror;
    Lane lane;
    Log log;
    std::function<double()> random;  // uniform in [0, 1)
    IdentityCheck& identity;
    asio::any_io_executor executor;                                       // the loop's
    std::shared_ptr<WalkMemory> memory = std::make_shared<WalkMemory>();  // one for all libraries of the daemon
    std::shared_ptr<WalkGate> gate = std::make_shared<WalkGate>(clock);   // likewise
    LibraryOwner owner = {};
    LibraryState state = {};
    // With no limit many walks at once are no slower than one.
    WalkTurns turns = WalkTurns(library.service.requests_per_minute ? 2 : library.service.in_flight);

    WalkGate::Seat seat = {};

    // For a group of tasks that a pass over `resource` starts: its failures are the library's.
    TaskGroup::Failed failures_of(const config::Resource& resource)
    {
        return [this, &resource](const std::string&, const std::exception_ptr& error) {
            owner.failed(resource.name, error);
        };
    }
};

}  // namespace shelfd::sync
