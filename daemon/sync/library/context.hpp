// What the passes of one library use from the floors below.
#pragma once

#include "budget/limiter.hpp"
#include "budget/tally.hpp"
#include "config/model/model.hpp"
#include "http/client.hpp"
#include "mirror/mirror.hpp"
#include "oauth/keeper/token_keeper.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/async/task_group.hpp"
#include "runtime/async/worker_pool.hpp"
#include "runtime/log/log.hpp"
#include "schedule/quiet_hours.hpp"
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

// The WAL of a mirror, after the last page, pass or check.
struct WalState {
    std::uint64_t bytes = 0;
    std::optional<Instant> pinned_since = {};  // since when no checkpoint could copy all of it back
    std::vector<pid_t> readers = {};           // who prevents that, as far as the kernel says
    bool logged = false;
};

// The token set of a 401 that concerned a single item: the canary accepted it then.
struct WorkingToken {
    std::uint64_t generation = 0;
    BootTime at;
};

// What the passes of one library share, whichever of them learned it.
struct LibraryState {
    budget::LibraryTally sent;  // counts every request
    WalState wal;
    std::vector<mirror::Repair> repairs;        // of the mirror's file, newest first
    std::optional<Error> closed_to_readers;     // why the configured readers have no right to it; empty: they have it
    std::string claimed_for;                    // service and library that own the mirror; "" = not known yet
    std::optional<WorkingToken> working_token;  // the latest
    std::string logged_of_token_set;            // last log message about a token set that needs a person; "" = none
};

// Calls from the passes to the library's owner, who sets them before the first pass begins.
struct LibraryOwner {
    // The mirror was created anew: every table needs a pass now except `filled`, filled by a pass just now; "" = none.
    std::function<void(const std::string& filled)> refill = [](const std::string&) {};
    // A pass, or a turn of details, has ended: the mirror may be idle now.
    std::function<void()> pass_ended = [] {};
    // A task of the table `resource` ended with an exception, which is a bug: tasks waiting for it must be cancelled,
    // but only after this call has returned.
    std::function<void(const std::string& resource, const std::exception_ptr&)> failed =
        [](const std::string&, const std::exception_ptr& error) { std::rethrow_exception(error); };
};

// References to objects that outlive every pass. Loop only; `mirror` in `lane` only.
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
    asio::any_io_executor executor;                                       // of the loop
    std::shared_ptr<WalkMemory> memory = std::make_shared<WalkMemory>();  // one for all libraries of the daemon
    std::shared_ptr<WalkGate> gate = std::make_shared<WalkGate>(clock);   // likewise
    LibraryOwner owner = {};
    LibraryState state = {};
    // Without a limit, many walks at once are as fast as one.
    WalkTurns turns = WalkTurns(library.service.requests_per_minute ? 2 : library.service.in_flight);

    WalkGate::Seat seat = {};
    schedule::QuietHours quiet = {};  // of the service

    // For a group of tasks of a pass over `resource`: their exceptions are reported to the library.
    TaskGroup::Failed failures_of(const config::Resource& resource)
    {
        return [this, &resource](const std::string&, const std::exception_ptr& error) {
            owner.failed(resource.name, error);
        };
    }
};

}  // namespace shelfd::sync
