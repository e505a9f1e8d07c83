#include "sync/pass/pass_run.hpp"

#include "sync/library/mirror_claim.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

namespace shelfd::sync {

asio::awaitable<PassAction> PassRun::publish()
{
    progress_.phase = Phase::publishing;
    changed_();
    auto claimed = co_await claim_mirror(context_, Claim::take);
    if (claimed.trouble != Trouble::none) {
        co_return fail(claimed.trouble, std::move(claimed.why));
    }
    // Without anybody to ask, for whom rows are missing is not known either.
    if (!machine_.asks_identity() && staged_.lacks_rows()) {
        vouching_.nobody_to_ask();
    }
    const auto proof = mirror_proof();
    auto work = [this, &proof] {
        auto rows = search_unbrought();
        const auto watch = rows ? std::optional(rows->watch()) : std::nullopt;
        auto outcome = staged_.publish(proof, watch ? &*watch : nullptr);
        if (outcome && rows) {
            report_.learned.unbrought = rows->found(plan_.slice ? plan_.slice->name : "");
        }
        if (outcome) {
            staged_.forget();
        }
        if (outcome && !plan_.slice) {
            auto known = context_.mirror.discovery(resource_.name);
            report_.known = known ? std::make_shared<mirror::Discovery>(std::move(*known)) : nullptr;
        }
        return outcome;
    };
    auto published = co_await context_.lane.run(work);
    if (!published) {
        co_return fail_with(published.error());
    }
    report_.published = *published;
    report_.as_of = as_of_;
    report_.remark = remark();
    co_return resume(PassEvent::published);
}

// In the lane, before a pass over a whole list beside which others ask for changes is published; of lists by parent,
// each list has its own. (Windows of ledgers are never asked for changes: the configuration refuses both together.
// Members that are computed change without the row's date, and are no matter of the filter.)
std::optional<Unbrought> PassRun::search_unbrought() const
{
    if (plan_.kind != PassKind::full || !resource_.incremental) {
        return std::nullopt;
    }
    const auto known = context_.mirror.discovery(resource_.name);
    if (!known || known->filter != mirror::ParameterSupport::obeyed) {
        return std::nullopt;
    }
    const auto asked = plan_.slice ? plan_.changes_from : known->changes_from;
    const auto runs = plan_.slice ? Result<std::optional<Instant>>(plan_.whole_at)
                                  : context_.mirror.last_whole_run(resource_.name, report_.run_id);
    // By a clock that was wrong: nothing was asked for up to then.
    if (!asked || *asked > context_.clock.now() || !runs || !*runs) {
        return std::nullopt;
    }
    const Unbrought::Times times{**runs, *asked, reach_of(*resource_.incremental, *known),
                                 known->resolution.value_or(std::chrono::seconds(1))};
    return std::optional<Unbrought>(std::in_place, resource_.incremental->field, times,
                                    context_.library.service.timezone);
}

asio::awaitable<void> PassRun::record_failure()
{
    if (report_.trouble == Trouble::none) {
        report_.trouble = rows_are_at_fault_ ? Trouble::needs_person : Trouble::passing;
        report_.why = machine_.failure().empty() ? last_trouble_ : machine_.failure();
    }
    mirror::RunRecord run;
    run.mode = mode_of(plan_.kind);
    run.run_id = report_.run_id;
    run.resource = resource_.name;
    run.started = report_.started;
    run.finished = report_.ended;
    run.error = report_.why;
    run.requests = report_.requests();
    run.reasons = report_.spent.to_json();
    run.pages = report_.pages;
    // What passes may be over before the next try, which then goes on where this one was.
    const bool goes_on = report_.trouble == Trouble::passing && machine_.failure().empty() && !pages_are_spent_;
    auto work = [this, &run, goes_on]() -> Result<void> {
        staged_.drop();
        if (!goes_on) {
            staged_.forget();
        }
        // What sent nothing is a state, not a run.
        const bool is_part = plan_.slice && plan_.slice->is_list_by_parent();
        return run.requests > 0 && !is_part ? context_.mirror.record_run(run) : Result<void>();
    };
    if (const auto recorded = co_await context_.lane.run(work); !recorded) {
        report_.why += "; and the mirror could not note it: " + recorded.error().text();
    }
}

mirror::Proof PassRun::mirror_proof() const
{
    const auto& walk = machine_.walk();
    const auto proof = machine_.proof();
    mirror::Proof out;
    out.whole = plan_.kind == PassKind::full;
    // What changed since an instant says nothing of the rows that did not change.
    out.complete = proof.complete() && plan_.kind != PassKind::incremental && !vouching_.is_impossible();
    out.is_unvouched = vouching_.is_impossible() && proof.complete() && plan_.kind != PassKind::incremental;
    // A row that a window lacks may lie in another one now.
    out.one_answer = proof.kind == ProofKind::single_page && plan_.kind != PassKind::window;
    out.kind = to_string(proof.kind);
    out.text = fmt::format("{}{} pages, {} distinct keys{}", plan_.slice ? plan_.slice->name + ": " : "", walk.pages,
                           walk.distinct_keys, walk.count_last ? fmt::format(" of {}", *walk.count_last) : "");
    out.count_start = walk.count_first;
    out.count_end = walk.count_last;
    out.pages = walk.pages;
    auto spending = spent();
    if (round_) {
        spending.add(round_->spent);
    }
    out.requests = spending.total() - spending.of(budget::Reason::canary);
    out.reasons = spending.to_json();
    out.late_at = late_at_;
    // Without a count, two walks prove what was there when the first of them began.
    const bool is_of_both = proof.kind == ProofKind::two_walks && !walk.count_last && (plan_.repeats || !out.whole);
    if (proof.complete() && !vouching_.is_impossible()) {
        out.changes_from = is_of_both ? plan_.previous_as_of : report_.read_at;
    }
    out.keys_tell = walk.count_last || walk.repeated == 0;
    if (round_ && round_->ends) {
        out.round = mirror::RoundProgress{round_->as_of.value_or(as_of_),
                                          round_->proven && proof.complete() && !vouching_.is_impossible()};
    }
    return out;
}

// A list that says that it holds more than it gives is never proven: people should know before it is late for that.
std::string PassRun::remark() const
{
    if (vouching_.is_impossible()) {
        return fmt::format("{}rows are not listed any more, and none is deleted on the word of a list alone: no list "
                           "refuses a wrong token, so a dead one may have been shown a public part; set `identity` of "
                           "the service to a page that names the library and refuses a wrong token",
                           plan_.slice ? plan_.slice->name + ": " : "");
    }
    const auto& walk = machine_.walk();
    if (report_.refused_page != 0 && !machine_.proof().complete()) {
        return remark_on_end();
    }
    if (walk.is_cut) {
        return fmt::format(
            "{}the list gives {} rows, and what asks for more of them (page, offset, page_size, the "
            "opposite order) shows that it holds others or cannot show that it does not: it is not proven "
            "complete, and nothing is deleted because of it; where its parameters have other names, set "
            "`page_param` and `page_size_param`, else ask for smaller lists: by `window`, `parent` or a "
            "filter in `params`",
            plan_.slice ? plan_.slice->name + ": " : "", walk.distinct_keys);
    }
    const bool is_whole = plan_.kind != PassKind::incremental && walk.closed;
    if (!is_whole || !walk.count_last || walk.distinct_keys == *walk.count_last) {
        return "";
    }
    return fmt::format(
        "{}the list brought {} rows, and the service counts {}: it is not proven complete, and nothing is "
        "deleted because of it",
        plan_.slice ? plan_.slice->name + ": " : "", walk.distinct_keys, *walk.count_last);
}

std::string PassRun::remark_on_end() const
{
    const auto& walk = machine_.walk();
    const auto what = fmt::format("{}page {} of the list was answered {}, though the page before it names it: ",
                                  plan_.slice ? plan_.slice->name + ": " : "", walk.pages + 1, report_.refused_page);
    if (walk.is_cut && staged_.envelope() == Envelope::cursor) {
        return what + "a cursor that ran out, maybe; what was read is in the table, nothing is deleted because of it, "
                      "and the next pass begins at page 1";
    }
    return what + fmt::format("{} rows were read and are in the table, they are not proven to be all, and nothing is "
                              "deleted because of it; where it always ends there, ask for smaller lists: by `window`, "
                              "`parent` or a filter in `params`",
                              walk.distinct_keys);
}

namespace {

// All that the proof of one more walk would go by.
std::string describe_met(const WalkFacts& walk, const std::string& run_id)
{
    // What changed between two walks over a chain says nothing of the two that follow.
    const auto moved = walk.is_chain && !walk.by_key && walk.fresh > 0 ? "moved in " + run_id : "";
    const auto number = [](const auto& count) { return count ? std::to_string(*count) : "-"; };
    return fmt::format("{} {} {} {} {}{}{}{}{};", walk.key_set, number(walk.count_first), number(walk.count_least),
                       number(walk.count_most), walk.shrank ? "shrank " : "", walk.is_cut ? "cut " : "",
                       walk.entered > 0 ? "entered " : "", walk.repeated > 0 ? "repeated " : "", moved);
}

}  // namespace

Learned PassRun::learned() const
{
    Learned learned;
    learned.unbrought = report_.learned.unbrought;
    learned.envelope = staged_.envelope() ? to_string(*staged_.envelope()) : "";
    learned.unsolicited = staged_.unsolicited();
    learned.end = staged_.end_habit();
    const auto& walk = machine_.walk();
    learned.key_set = walk.count_last || walk.repeated == 0 ? walk.key_set : "";
    learned.met = describe_met(walk, report_.run_id);
    learned.filter_in_doubt = plan_.kind == PassKind::incremental && query_was_refused_ && walk.pages == 0;
    if (plan_.plain_query.empty()) {
        return learned;
    }
    // Where the plain query brings nothing either, it was not the order.
    if (machine_.order_was_refused() && walk.pages > 0) {
        learned.ordering = mirror::ParameterSupport::refused;
    } else if (walk.pages > 1) {
        learned.ordering = walk.descending ? mirror::ParameterSupport::obeyed : mirror::ParameterSupport::ignored;
    }
    return learned;
}

void PassRun::show_page(const PageSeen& seen)
{
    if (line_.place != nullptr) {
        line_.place->progressed();
    }
    progress_.rows += seen.new_keys;
    progress_.count = seen.count.value_or(0);
    progress_.note.clear();
    progress_.held_up_since.reset();
    const auto size = std::max<std::uint64_t>(seen.items, 1);
    if (machine_.walk().pages == 0) {
        progress_.pages = static_cast<std::uint32_t>((progress_.count + size - 1) / size);
    }
}

// People are told why nothing comes, while that is so.
void PassRun::hold_up()
{
    progress_.note = last_trouble_;
    progress_.held_up_since = progress_.held_up_since.value_or(context_.clock.now());
}

PassAction PassRun::trouble_with_token(const Error& error)
{
    if (trouble_of(error) != Trouble::passing) {
        return fail_with(error);
    }
    last_trouble_ = error.text();
    return resume(PassEvent::passing_trouble);
}

PassAction PassRun::fail_with(const Error& error)
{
    report_.cause = error.kind();
    return fail(trouble_of(error), error.text());
}

// From page 1: what came with that token proves nothing, however often it is looked at.
PassAction PassRun::walk_again(std::string why)
{
    pages_are_spent_ = true;
    return fail(Trouble::passing, std::move(why));
}

PassAction PassRun::fail(Trouble trouble, std::string why)
{
    report_.trouble = trouble;
    report_.why = std::move(why);
    return resume(PassEvent::failed);
}

}  // namespace shelfd::sync
