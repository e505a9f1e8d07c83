// How a pass ended.
#pragma once

#include "base/instant.hpp"
#include "budget/tally.hpp"
#include "mirror/pass.hpp"
#include "sync/library/progress.hpp"
#include "sync/plan/pass_plan.hpp"
#include "sync/plan/unbrought.hpp"
#include "sync/service/page_answer.hpp"
#include "sync/trouble/trouble.hpp"
#include "sync/walk/proof.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {

// What a pass learned about the answers; "", unknown and empty mean nothing new.
struct Learned {
    std::optional<Envelope> envelope;
    mirror::ParameterSupport ordering = mirror::ParameterSupport::unknown;
    std::string key_set;           // digest of the keys met
    std::string met;               // the facts that each walk's proof depends on: equal facts prove no more
    std::string unsolicited;       // for an incremental pass: the date of a row that its filter should have excluded
    std::optional<EndHabit> end;   // how the list ends; empty if no request was needed to find out
    bool filter_in_doubt = false;  // for an incremental pass: its first page was answered 400
    Unbrought unbrought;           // for a full pass: changes that incremental passes before it should have returned
};

// Why a pass failed.
struct PassFault {
    Trouble trouble = Trouble::none;
    TroubleSource source = TroubleSource::service;  // of the trouble
    ErrorKind cause = ErrorKind::storage;           // for trouble with the mirror
    std::string why;                                // one sentence; "" without trouble
    Cure cure = {};                                 // the end of `why`
};

struct PassReport : PassFault {
    std::string run_id;
    PassKind kind = PassKind::full;
    Learned learned;
    Instant started;
    Instant ended;
    budget::Tally spent;  // requests sent for this pass
    std::uint32_t pages = 0;
    std::uint32_t recalled = 0;  // of these, recalled from an earlier try
    Proof proof;
    bool is_unvouched = false;  // rows were missing, and nothing shows whether the token works
    bool takes_rows = false;    // unproven for that reason, see mirror::TakenRows::are_many
    Instant as_of;              // of what was published
    Instant read_at;            // the earliest time at which the first page can have been read, by the service's clock
    std::optional<ClockReading> clock = {};  // then; empty: the service was not asked for the first page
    // Empty: the mirror is unchanged, except for slices before the last one.
    std::optional<mirror::PublishOutcome> published;
    // What the mirror knows after the pass; not set for passes over a slice.
    std::shared_ptr<const mirror::Discovery> known;
    bool lost_canary = false;  // no page or list shows any more whether the token works
    Duration closed_for{0};    // how long the service said that it is closed; until then a try is useless
    // What ended the pass instead of a page.
    enum class Instead {
        nothing_known,
        no_json,  // a 200 that is not JSON
        denial,   // an answer as if the list, or the identity page, were not there
    };
    Instead instead = Instead::nothing_known;
    std::string remark;  // what people should know even without trouble; "" = nothing

    // For the list of one parent.
    struct List {
        bool absent = false;     // the service says that there is none
        bool unaskable = false;  // its key makes no address, so no request was sent
    };
    List list = {};
    // For a round over lists by parent.
    struct Again {
        std::string parent;   // its key, as JSON text
        bool failed = false;  // false: rows moved, and nothing was proven
    };
    struct Lists {
        std::vector<Again> again;         // lists to try again soon
        std::vector<std::string> failed;  // for a round that stopped: lists for which the service failed last
        // Lists walked whole, by name; `why`: what kept the walk from proving the list, "" = it did.
        std::vector<mirror::SliceTrouble> whole;
    };
    Lists lists = {};
    struct Windows {
        std::optional<std::int64_t> failed;       // the first second of the window that failed
        std::vector<mirror::SliceTrouble> asked;  // requested windows; `why` begins with the name
        std::vector<std::int64_t> taking;         // the first seconds of those with PassReport::takes_rows
    };
    Windows windows = {};

    // Without the canary, which successive passes share.
    std::uint64_t requests() const { return spent.total() - spent.of(budget::Reason::canary); }
};

}  // namespace shelfd::sync
