#include "sync/pass/walk_outcome.hpp"

#include "sync/service/page_answer.hpp"

#include <fmt/core.h>

namespace shelfd::sync {
namespace {

std::string slice_prefix(const PassPlan& plan)
{
    return plan.slice ? plan.slice->name + ": " : "";
}

// The facts that the proof of a repeated walk would depend on.
std::string describe_met(const WalkFacts& walk, const std::string& run_id)
{
    // If rows changed between two walks over a chain, the next two may still prove it.
    const auto moved = walk.is_chain && !walk.by_key && walk.fresh > 0 ? "moved in " + run_id : "";
    const auto number = [](const auto& count) { return count ? std::to_string(*count) : "-"; };
    return fmt::format("{} {} {} {} {}{}{}{}{};", walk.key_set, number(walk.count_first), number(walk.count_least),
                       number(walk.count_most), walk.shrank ? "shrank " : "", walk.is_cut ? "cut " : "",
                       walk.entered > 0 ? "entered " : "", walk.repeated > 0 ? "repeated " : "", moved);
}

std::string remark_on_end(const EndedWalk& walk)
{
    const bool is_missing = is_not_found(walk.refused_page);
    const auto what = describe_refused_page(walk.plan, walk.facts.pages + 1, walk.refused_page) + ": ";
    if (walk.facts.is_cut && walk.envelope == Envelope::cursor) {
        return what + "perhaps an expired cursor; the rows received are in the table, no row is deleted, and the next "
                      "pass starts at page 1; if the list always ends there, split it with `window`, `parent` or a "
                      "filter in `params`";
    }
    return what +
           fmt::format("the {} rows received are in the table, but are not proven complete, and no row is deleted; if "
                       "the list always ends there, {}split it with `window`, `parent` or a filter in `params`",
                       walk.facts.distinct_keys,
                       is_missing ? "set a `page_size` that makes the last page shorter than the others, or " : "");
}

}  // namespace

std::string describe_refused_page(const PassPlan& plan, std::uint64_t page, int status)
{
    return fmt::format("{}page {} of the list was answered {}, although the page before it names it",
                       slice_prefix(plan), page, status);
}

std::optional<Instant> set_back_to(const PassPlan& plan, const PassReport& report)
{
    constexpr Duration two_seconds = std::chrono::seconds(2);  // both dates are cut to the second
    if (!plan.confirmed_to || plan.slice || !report.clock) {
        return std::nullopt;
    }
    const auto now = report.clock->service;
    std::optional<Instant> earliest;
    if (plan.clock) {
        earliest = now - (report.clock->ours - plan.clock->ours);
    } else if (now < *plan.confirmed_to) {
        // The last pass was made by an earlier daemon, and the clocks agreed then.
        earliest = now - std::max(report.started - *plan.confirmed_to, Duration(0));
    }
    return earliest && *earliest + two_seconds < *plan.confirmed_to ? earliest : std::nullopt;
}

mirror::Proof to_mirror_proof(const EndedWalk& walk, const Publication& publication)
{
    const auto& facts = walk.facts;
    const auto& plan = walk.plan;
    const auto proof = walk.taken.are_many ? Proof() : prove(facts);
    const bool is_proven = walk.proof().complete();
    mirror::Proof out;
    out.whole = plan.kind == PassKind::full;
    // A list of changes shows nothing about the rows that did not change.
    out.complete = is_proven && plan.kind != PassKind::incremental;
    out.takes_rows = walk.taken.are_many;
    out.is_unvouched = walk.is_unvouched && proof.complete() && plan.kind != PassKind::incremental;
    // A row that a window lacks may now be in another one.
    out.one_answer = proof.kind == ProofKind::single_page && plan.kind != PassKind::window;
    out.kind = to_string(proof.kind);
    out.text = fmt::format("{}{} pages, {} distinct keys{}", slice_prefix(plan), facts.pages, facts.distinct_keys,
                           facts.count_last ? fmt::format(" of {}", *facts.count_last) : "");
    out.count_start = facts.count_first;
    out.count_end = facts.count_last;
    out.pages = facts.pages;
    auto spent = publication.spent;
    const auto& round = publication.round;
    if (round) {
        spent.add(round->spent);
    }
    out.requests = spent.total() - spent.of(budget::Reason::canary);
    out.reasons = spent.to_json();
    out.late_at = publication.late_at;
    // Without a count, two walks prove the rows that existed when the first one began.
    const bool is_of_both = proof.kind == ProofKind::two_walks && !facts.count_last && (plan.repeats || !out.whole);
    if (is_proven && walk.is_confirmed) {
        out.changes_from = is_of_both ? plan.previous_as_of : publication.read_at;
    }
    if (publication.changes_from && !(out.whole && out.changes_from)) {
        out.changes_from = publication.changes_from;
    }
    out.keys_tell = facts.count_last || facts.repeated == 0;
    if (round && round->ends) {
        out.round = mirror::RoundProgress{round->as_of.value_or(publication.as_of), round->proven && is_proven};
    }
    return out;
}

std::string remark_on(const EndedWalk& walk)
{
    if (walk.taken.are_many) {
        return fmt::format("{}{} of {} rows have the keys of rows of other windows: either many dates were corrected, "
                           "or the key is not unique; the window is not proven complete, and no row is deleted; if "
                           "that lasts, name more members in `key`",
                           slice_prefix(walk.plan), walk.taken.rows, walk.taken.of);
    }
    if (walk.is_unvouched) {
        return fmt::format("{}{}: no list refuses a wrong token, so a revoked token may see only a part; set "
                           "`identity` of the service to a page that names the library and refuses a wrong token",
                           slice_prefix(walk.plan),
                           walk.lacks_members
                               ? "rows of the list lack members, whose former values stay in the table, and no row is "
                                 "deleted for that alone"
                               : "rows are missing from the list, but none is deleted for that alone");
    }
    const auto& facts = walk.facts;
    if (walk.refused_page != 0 && !walk.proof().complete()) {
        return remark_on_end(walk);
    }
    if (!walk.astray.empty()) {
        return fmt::format("{}{}, so nothing shows whether the {} rows received are all: they are in the table, no row "
                           "is deleted, and the list is not proven complete; try another `ordering` or `page_size`, "
                           "split the list with `window`, `parent` or a filter in `params`, or tell the operator of "
                           "the service",
                           slice_prefix(walk.plan), walk.astray, facts.distinct_keys);
    }
    if (facts.is_cut) {
        return fmt::format("{}the list returned {} rows, and requests for more (page, offset, page_size, the opposite "
                           "order) do not show that these are all: it is not proven complete, and no row is deleted; "
                           "if its parameters have other names, set `page_param` and `page_size_param`; if the "
                           "documentation of the service says that it returns all rows at once, set answers = "
                           "\"whole\"; otherwise split the list with `window`, `parent` or a filter in `params`",
                           slice_prefix(walk.plan), facts.distinct_keys);
    }
    const bool is_whole = walk.plan.kind != PassKind::incremental && facts.closed;
    const bool repeats_in_vain =
        walk.plan.repeats && facts.repeated > 0 && facts.fresh == 0 && !walk.proof().complete();
    if (is_whole && repeats_in_vain && !facts.count_last) {
        return fmt::format(
            "{}{} rows of the list came twice, in this walk and in the one before: either rows moved while "
            "it was read, or its pages overlap; it is not proven complete, and no row is deleted; if "
            "that lasts, try another `page_size` or `ordering`, or split the list with `window`, "
            "`parent` or a filter in `params`",
            slice_prefix(walk.plan), facts.repeated);
    }
    if (!is_whole || !facts.count_last || facts.distinct_keys == *facts.count_last) {
        return "";
    }
    return fmt::format(
        "{}the list returned {} rows, but the service counts {}: it is not proven complete, and no row is deleted",
        slice_prefix(walk.plan), facts.distinct_keys, *facts.count_last);
}

Learned learned_by(const EndedWalk& walk, const std::string& run_id)
{
    const auto& facts = walk.facts;
    Learned learned;
    learned.envelope = walk.envelope;
    learned.key_set = facts.count_last || facts.repeated == 0 ? facts.key_set : "";
    learned.met = describe_met(facts, run_id);
    learned.filter_in_doubt = walk.plan.kind == PassKind::incremental && walk.query_was_refused && facts.pages == 0;
    if (walk.plan.plain_query.empty()) {
        return learned;
    }
    // If the plain query returns nothing either, the order was not the reason.
    if (walk.order_was_refused && facts.pages > 0) {
        learned.ordering = mirror::ParameterSupport::refused;
    } else if (facts.pages > 1) {
        learned.ordering = facts.descending ? mirror::ParameterSupport::obeyed : mirror::ParameterSupport::ignored;
    }
    return learned;
}

}  // namespace shelfd::sync
