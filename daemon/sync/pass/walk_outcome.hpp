// What a walk that ended means for the mirror, for people and for later passes. Pure.
#pragma once

#include "budget/tally.hpp"
#include "mirror/pass.hpp"
#include "sync/pass/pass_report.hpp"
#include "sync/plan/pass_plan.hpp"
#include "sync/walk/proof.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::sync {

// The passes of a round before the present one.
struct RoundSoFar {
    std::optional<Instant> as_of = {};  // of the first pass; empty if there was none
    bool proven = true;                 // all of them; for a ledger also the windows that the round leaves out
    budget::Tally spent = {};           // by the passes that are recorded in one run with it
    bool ends = true;                   // this pass is the last one and determines `as_of` of the whole table
};

// Valid until the walk continues.
struct EndedWalk {
    const PassPlan& plan;
    const WalkFacts& facts;
    std::optional<Envelope> envelope = {};
    bool is_confirmed = true;        // see Vouching
    bool is_unvouched = false;       // rows or members are missing, and nothing shows whether the token works
    bool lacks_members = false;      // rows lack members that the table has
    mirror::TakenRows taken = {};    // for a window
    bool order_was_refused = false;  // and dropped
    bool query_was_refused = false;  // the newest answer was 400
    int refused_page = 0;            // status of a page that was named as next, if it ended the walk
    std::string_view astray = {};    // see PassMachine::astray

    Proof proof() const { return is_unvouched || taken.are_many ? Proof() : prove(facts); }
};

// What is published with the walk.
struct Publication {
    Instant as_of;    // of the rows
    Instant read_at;  // see PassReport
    std::optional<Instant> late_at = {};
    budget::Tally spent = {};
    std::optional<RoundSoFar> round = {};
    std::optional<Instant> changes_from = {};  // see `set_back_to`
};

// If the service's clock was set back since the last pass: the earliest date that changes since then may have. Passes
// for changes must begin there, or they never see changes that were made before the clock had caught up.
std::optional<Instant> set_back_to(const PassPlan& plan, const PassReport& report);

mirror::Proof to_mirror_proof(const EndedWalk& walk, const Publication& publication);

// Says that the service refuses a page, counted from 1, which the page before it names.
std::string describe_refused_page(const PassPlan& plan, std::uint64_t page, int status);
// What people should know about a pass without trouble; "" = nothing. A list that says that it has more rows than it
// returns is never proven; people should know that before the table is late because of it.
std::string remark_on(const EndedWalk& walk);
// Everything that the facts of the walk show about the list.
Learned learned_by(const EndedWalk& walk, const std::string& run_id);

}  // namespace shelfd::sync
