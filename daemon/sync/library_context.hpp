// What the passes of one library use from the floors below, gathered once.
#pragma once

#include "budget/ledger.hpp"
#include "budget/limiter.hpp"
#include "config/model.hpp"
#include "http/client.hpp"
#include "mirror/mirror.hpp"
#include "oauth/token_keeper.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/worker_pool.hpp"
#include "sync/identity_check.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace shelfd::sync {

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
    asio::any_io_executor executor;        // the loop's
    std::string logged_of_token_set = {};  // what the log has of a set that needs a person; "" = nothing
    // The mirror began anew: every table wants a pass now, but for the one that a pass has just filled; "" = none is.
    std::function<void(const std::string& filled)> refill = [](const std::string&) {};
    std::string claimed_for = {};  // service and library that the mirror is known to belong to; "" = not yet
    budget::Ledger ledger = {};
    std::uint64_t wal_bytes = 0;                  // of the mirror, after the last pass
    std::function<void()> on_pass_ended = [] {};  // to be called after a pass, or a turn of details
};

}  // namespace shelfd::sync
