// What a pass is doing, and how it ended.
#pragma once

#include "base/instant.hpp"
#include "budget/ledger.hpp"
#include "mirror/pass.hpp"
#include "sync/pass_plan.hpp"
#include "sync/proof.hpp"
#include "sync/trouble.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {

// For `sync` with progress, `status` and STATUS=.
struct Progress {
    bool running = false;
    Instant started;
    std::string phase;                          // "identity", "pages", "closing", "witnesses", "publishing", "waiting"
    std::uint32_t page = 0;                     // being fetched, from 1
    std::uint32_t pages = 0;                    // expected in all, 0 = not known yet
    std::uint64_t rows = 0;                     // staged so far
    std::uint64_t count = 0;                    // rows in the list by the service, 0 = not known yet
    std::string note;                           // the trouble that is being waited out, "" = none
    std::optional<Instant> held_up_since = {};  // by that trouble, nothing arrived
    std::uint64_t list = 0;  // of lists by parent: which one of this round, from 1; 0 = there are no such lists
    std::uint64_t lists = 0;
    Instant round_started = {};
};

// What a pass found out about the answers; "" = nothing new. The words are those of mirror::Discovery.
struct Learned {
    std::string envelope;
    std::string ordering;
    std::string unasked;  // of an incremental pass: when a row changed that its filter should have left out
};

struct PassReport {
    std::string run_id;
    PassKind kind = PassKind::full;
    Learned learned;
    Instant started;
    Instant ended;
    budget::Tally spent;  // requests sent for this pass
    std::uint32_t pages = 0;
    bool resumed = false;  // it went on with pages of an earlier try
    Proof proof;
    Instant as_of;  // of what was published
    std::optional<mirror::PublishOutcome>
        published;  // nothing = the mirror is as it was, but for slices before the last
    // after any pass that is not one over a slice: what the mirror knows now
    std::shared_ptr<const mirror::Discovery> known;
    Trouble trouble = Trouble::none;
    ErrorKind cause = ErrorKind::storage;  // of trouble with the mirror
    std::string why;                       // one sentence, when trouble
    bool absent = false;                   // of the list of one parent: the service has none, by its own word
    bool unaskable = false;                // likewise: its key gives no address, so nothing was sent
    std::string remark;  // of a round without trouble: what people should know all the same; "" = nothing
    struct Again {
        std::string parent;   // its key, as JSON text
        bool failed = false;  // else it moved, and nothing was proven
    };
    std::vector<Again> again;             // of such a round: lists that are worth another try soon
    std::optional<mirror::Slice> failed;  // the window that met trouble

    // The canary not counted: passes that follow each other share one.
    std::uint64_t requests() const { return spent.total() - spent.of(budget::Reason::canary); }
};

}  // namespace shelfd::sync
