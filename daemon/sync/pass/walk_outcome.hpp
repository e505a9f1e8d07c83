// What a walk that ended means: for the mirror, for people, for the passes after it. Pure.
#pragma once

#include "budget/ledger.hpp"
#include "mirror/pass.hpp"
#include "sync/pass/pass_report.hpp"
#include "sync/plan/pass_plan.hpp"
#include "sync/walk/proof.hpp"

#include <optional>
#include <string>

namespace shelfd::sync {

// The passes of a round before one of its passes.
struct RoundSoFar {
    std::optional<Instant> as_of = {};  // of the first; nothing when there was none
    bool proven = true;                 // all of them, and of a ledger the windows after theirs
    budget::Tally spent = {};           // by those that make one run with it
    bool ends = true;                   // it is the last one, and says what the table as a whole is as of
};

// Valid while the walk goes no further.
struct EndedWalk {
    const PassPlan& plan;
    const WalkFacts& facts;
    std::optional<Envelope> envelope = {};
    bool is_unvouched = false;       // rows are missing, and nothing tells whether the token works
    bool order_was_refused = false;  // and dropped
    bool query_was_refused = false;  // the newest answer was 400
    int refused_page = 0;            // see PassReport

    Proof proof() const { return is_unvouched ? Proof() : prove(facts); }
};

// What was published with it, and when.
struct Publication {
    Instant as_of;    // of its rows
    Instant read_at;  // see PassReport
    std::optional<Instant> late_at = {};
    budget::Tally spent = {};
    std::optional<RoundSoFar> round = {};
};

mirror::Proof to_mirror_proof(const EndedWalk& walk, const Publication& publication);
// What people should know of a pass without trouble; "" = nothing. A list that says that it holds more than it gives is
// never proven: people should know before the table is late for that.
std::string remark_on(const EndedWalk& walk);
// All that the facts of the walk tell about the list.
Learned learned_by(const EndedWalk& walk, const std::string& run_id);

}  // namespace shelfd::sync
