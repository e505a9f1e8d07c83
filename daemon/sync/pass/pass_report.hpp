// How a pass ended.
#pragma once

#include "base/instant.hpp"
#include "budget/ledger.hpp"
#include "mirror/pass.hpp"
#include "sync/library/progress.hpp"
#include "sync/plan/pass_plan.hpp"
#include "sync/plan/unbrought.hpp"
#include "sync/trouble/trouble.hpp"
#include "sync/walk/proof.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {

// What a pass found out about the answers; "", unknown and nothing = nothing new.
struct Learned {
    std::optional<Envelope> envelope;
    mirror::ParameterSupport ordering = mirror::ParameterSupport::unknown;
    std::string key_set;      // digest of the keys that were met
    std::string met;          // all that a proof goes by, of each walk: another one that meets the same proves as much
    std::string unsolicited;  // of an incremental pass: when a row changed that its filter should have left out
    std::optional<EndHabit> end;   // how the list ends; nothing: nobody had to ask
    bool filter_in_doubt = false;  // the same: its first page was answered 400
    NotBrought unbrought;          // of one over the whole list: what those for changes before it should have brought
};

struct PassReport {
    std::string run_id;
    PassKind kind = PassKind::full;
    Learned learned;
    Instant started;
    Instant ended;
    budget::Tally spent;  // requests sent for this pass
    std::uint32_t pages = 0;
    std::uint32_t recalled = 0;  // of these, from an earlier try that this one went on with
    Proof proof;
    bool is_unvouched = false;  // rows were missing, and nothing tells whether the token works
    Instant as_of;              // of what was published
    Instant read_at;            // when its first page was read at the earliest, by the service's time
    // Nothing: the mirror is as it was, but for slices before the last.
    std::optional<mirror::PublishOutcome> published;
    // After any pass that is not one over a slice: what the mirror knows now.
    std::shared_ptr<const mirror::Discovery> known;
    Trouble trouble = Trouble::none;
    ErrorKind cause = ErrorKind::storage;  // of trouble with the mirror
    std::string why;                       // one sentence, when trouble
    Duration closed_for{0};                // the service said so: until then no try is worth its request
    bool no_json = false;                  // it ended because what came with 200 is none
    int refused_page = 0;                  // the status of one that was named as next, where the walk ended there
    std::string remark;                    // without trouble: what people should know all the same; "" = nothing

    // Of the list of one parent.
    struct List {
        bool absent = false;     // the service has none, by its own word
        bool unaskable = false;  // its key gives no address, so nothing was sent
    };
    List list = {};
    // Of a round over lists by parent.
    struct Again {
        std::string parent;   // its key, as JSON text
        bool failed = false;  // else it moved, and nothing was proven
    };
    struct Lists {
        std::vector<Again> again;         // worth another try soon
        std::vector<std::string> failed;  // of a round that stopped: those for which the service failed last
    };
    Lists lists = {};
    struct Windows {
        std::optional<std::int64_t> failed;       // the one that met trouble: its first second
        std::vector<mirror::SliceTrouble> asked;  // those requested; `why` begins with the name
    };
    Windows windows = {};

    // The canary not counted: passes that follow each other share one.
    std::uint64_t requests() const { return spent.total() - spent.of(budget::Reason::canary); }
};

}  // namespace shelfd::sync
