// What is learned about a list, by tests and by its passes.
#include "base/backoff.hpp"
#include "sync/pass/page_fetcher.hpp"
#include "sync/service/filter_check.hpp"
#include "sync/service/page_answer.hpp"
#include "sync/worker/pass_chooser.hpp"
#include "sync/worker/second_question.hpp"

#include <fmt/core.h>

#include <utility>

namespace shelfd::sync {
namespace {

using mirror::ParameterSupport;

// Pauses after tests that showed nothing: the first one, and the longest ones.
constexpr Duration first_distance = std::chrono::seconds(30);
constexpr Duration max_between_tries = std::chrono::hours(24);
constexpr Duration max_between_looks = std::chrono::hours(1);
// From this number of tests on, a warning is shown.
constexpr std::uint32_t many_in_vain = 4;

// Later than the date of any row.
constexpr Duration far_future = std::chrono::hours(24 * 3650);

// Unknown if the answer shows nothing about the filter. In the lane, because an ignored filter may return many rows.
// Rows dated after `since` are what was requested.
ParameterSupport read_verdict(std::string& body, config::Answers answers, const std::string& field, Instant since)
{
    const auto page = read_page(body, answers);
    if (!page) {
        return ParameterSupport::unknown;
    }
    return are_all_later(page->results, field, since) ? ParameterSupport::obeyed : ParameterSupport::ignored;
}

}  // namespace

void PassChooser::Tries::told_nothing(BootTime now, Duration longest)
{
    next = now + doubled(first_distance, in_vain++, longest);
}

asio::awaitable<void> PassChooser::inspect_rows()
{
    const auto spent_before = spent_.total();
    auto look = co_await ledger_->inspect_rows(discovery_, spent_);
    const bool told_nothing = !look || look->form == mirror::PlaceForm::unknown;
    if (told_nothing && spent_.total() > spent_before) {
        look_tries_.told_nothing(context_.clock.boot_now(), max_between_looks);
    }
    if (!look) {
        co_return;  // what is known remains
    }
    window_fault_ = std::move(look->fault);
    if (look->form == mirror::PlaceForm::unknown || !window_fault_.empty()) {
        co_return;  // tested again soon
    }
    discovery_.place_form = look->form;
    discovery_.looked_at = context_.clock.now();
    co_await save();
}

asio::awaitable<void> PassChooser::try_filter()
{
    RequestLine line{budget::Purpose::incremental};
    PageFetcher fetcher(context_, resource_, path(), line);
    const auto since = context_.clock.now() + far_future;
    auto query = filter_query(context_.library, resource_, discovery_, since);
    auto fetched = co_await fetcher.fetch(std::move(query), budget::Reason::filter_try);
    spent_.add(fetcher.sent());
    if (fetched.no_token) {
        co_return;
    }
    const auto answer = classify(fetched.outcome);
    const auto kind = answer.kind;
    auto verdict = ParameterSupport::unknown;
    if (kind == AnswerKind::page) {
        auto read = [&] {
            return read_verdict(page_body(*fetched.outcome), resource_.answers, resource_.incremental->field, since);
        };
        verdict = co_await context_.lane.run(read);
    } else if (kind == AnswerKind::bad_request) {
        verdict = ParameterSupport::refused;
    }
    if (verdict == ParameterSupport::unknown) {
        // What is known remains. Passing trouble also meets the pass; answers to the filter alone do not.
        filter_tries_.told_nothing(context_.clock.boot_now(), max_between_tries);
        filter_why_ = answer.why.empty() ? "the answer is not a list" : answer.why;
        co_return;
    }
    filter_tries_ = {};
    discovery_.filter = verdict;
    discovery_.filter_tried_at = context_.clock.now();
    co_await save();
    warn("");
}

// Stores what the list is like, apart from its filter. A walk that proves nothing because rows moved says nothing, and
// does not end what an earlier one has said; passes for changes neither.
void PassChooser::learn_list(const PassReport& pass, mirror::Discovery& learned) const
{
    if (pass.published && pass.learned.envelope) {
        learned.envelope = pass.learned.envelope;
    }
    if (pass.learned.ordering != ParameterSupport::unknown) {
        learned.ordering = pass.learned.ordering;
        if (is_look_due(discovery_.looked_at)) {
            learned.looked_at = pass.started;
        }
    }
    if (pass.learned.end) {
        learned.further = pass.learned.end->further;
        learned.whole_rows = pass.learned.end->whole_rows;
        learned.further_tried_at = pass.learned.end->tried_at;
    }
    const bool is_whole = pass.published && pass.kind == PassKind::full && !list_rounds_;
    if (is_whole && (pass.proof.complete() || !pass.remark.empty())) {
        learned.unproven = pass.proof.complete() ? "" : pass.remark;
    }
}

asio::awaitable<void> PassChooser::learn(const PassReport& pass)
{
    if (list_rounds_) {
        co_await list_rounds_->learn(pass);
    } else if (ledger_) {
        co_await ledger_->learn(pass);
    }
    if (pass.known) {
        discovery_ = *pass.known;
    } else if (pass.published || list_rounds_) {
        if (const auto loaded = co_await load(); !loaded) {
            co_return;  // the next pass meets the same error and reports it
        }
    }
    changes_met_ = pass.published && pass.kind == PassKind::incremental ? pass.learned.key_set : "";
    clock_ = pass.published && pass.clock ? pass.clock : clock_;
    walked_as_of_ = pass.published ? std::optional(pass.read_at) : std::nullopt;
    auto learned = discovery_;
    learn_list(pass, learned);
    if (pass.learned.filter_in_doubt && learned.filter == ParameterSupport::obeyed) {
        // Tested again before it is used; but a filter that works in tests and is refused in passes is useless.
        learned.filter = ++filter_refusals_ < 2 ? ParameterSupport::unknown : ParameterSupport::refused;
        filter_tries_ = {};
    } else if (pass.published && pass.kind == PassKind::incremental) {
        filter_refusals_ = 0;
    }
    const bool disobeyed = !pass.learned.unsolicited.empty();
    if (disobeyed) {
        learned.filter = ParameterSupport::ignored;
        learned.filter_tried_at = context_.clock.now();
    }
    // The result is tested again in a week, as that of any filter.
    auto unbrought = co_await settle_suspicion(pass, learned);
    if (learned.filter != ParameterSupport::obeyed) {
        unbrought.clear();
    } else if (unbrought.empty()) {
        unbrought = co_await find_unbrought(pass, learned);
    }
    if (!unbrought.empty()) {
        learned.filter = ParameterSupport::incomplete;
        learned.filter_tried_at = context_.clock.now();
    }
    const auto& undated = pass.learned.unbrought.undated;
    const bool is_undated = !undated.empty() && pass.published && learned.filter == ParameterSupport::obeyed;
    if (is_undated) {
        learned.filter = ParameterSupport::undated;
        learned.filter_tried_at = context_.clock.now();
    }
    if (learned != discovery_) {
        discovery_ = std::move(learned);
        co_await save();
    }
    if (is_undated) {
        warn(undated + ", which is no date: ");
    }
    if (!unbrought.empty()) {
        warn(unbrought + ", but no incremental pass returned it: ");
    }
    if (disobeyed) {
        warn(fmt::format("a row came whose {} is {}, although only later changes were requested: ",
                         resource_.incremental->field, pass.learned.unsolicited));
    }
}

// Describes changes that incremental passes should have returned before this pass over the whole list; "" = none.
asio::awaitable<std::string> PassChooser::find_unbrought(const PassReport& pass, mirror::Discovery& learned)
{
    const auto& found = pass.learned.unbrought;
    if (!found.certain.empty() || found.unsure.empty() || !pass.published) {
        co_return found.certain;
    }
    auto row = co_await find_left_out(context_, resource_, discovery_, found.unsure, spent_behind_);
    if (!row) {
        co_return "";
    }
    // The row may have been deleted before the filter was tested, which then rightly left it out.
    const auto answer = co_await ask_for_row(context_, resource_, *row, spent_behind_);
    if (answer == RowAnswer::there) {
        co_return describe_change(row->key, resource_.incremental->field, row->value);
    }
    if (answer != RowAnswer::gone) {
        learned.suspect_key = row->key;
        learned.suspect_date = row->value;
    }
    co_return "";
}

// For a row that the filter left out and whose own address does not show whether it exists: it existed if the next
// complete walk over the whole list meets it.
asio::awaitable<std::string> PassChooser::settle_suspicion(const PassReport& pass, mirror::Discovery& learned) const
{
    if (learned.suspect_key.empty() || pass.kind != PassKind::full || !pass.published || !pass.proof.complete()) {
        co_return "";
    }
    const auto key = std::exchange(learned.suspect_key, "");
    const auto date = std::exchange(learned.suspect_date, "");
    auto look = [this, &key] { return context_.mirror.is_missing(resource_.name, key); };
    const auto is_missing = co_await context_.lane.run(look);
    const bool convicts = is_missing && !*is_missing;
    co_return convicts ? describe_change(key, resource_.incremental->field, date) : "";
}

void PassChooser::warn(const std::string& seen) const
{
    if (filter_trouble()) {
        context_.log.warning(fmt::format("{} of {}: {}{}", resource_.name, context_.library.name, seen, warning()),
                             {{"library", context_.library.name}, {"resource", resource_.name}});
    }
}

asio::awaitable<void> PassChooser::save()
{
    auto write = [this] { return context_.mirror.set_discovery(resource_.name, discovery_); };
    if (const auto saved = co_await context_.lane.run(write); !saved) {
        context_.log.debug("cannot record what was learned: " + saved.error().text(),
                           {{"library", context_.library.name}, {"resource", resource_.name}});
    }
}

std::string PassChooser::warning() const
{
    if (ledger_) {
        return ledger_->warning();
    }
    const auto trouble = filter_trouble();
    if (!trouble) {
        return list_rounds_ ? list_rounds_->warning() : discovery_.unproven;
    }
    const bool waits =
        discovery_.filter == ParameterSupport::incomplete || discovery_.filter == ParameterSupport::undated;
    return trouble->why + "; correct `incremental`, or remove it" +
           (waits ? "; if nothing is changed, the filter is tested again a week after its last test" : "");
}

std::optional<FilterTrouble> PassChooser::filter_trouble() const
{
    if (ledger_ || !resource_.incremental) {
        return std::nullopt;
    }
    const auto& param = resource_.incremental->param;
    FilterTrouble trouble{"", discovery_.filter_tried_at};
    switch (discovery_.filter) {
    case ParameterSupport::obeyed: return std::nullopt;
    case ParameterSupport::unknown:
        if (filter_tries_.in_vain < many_in_vain) {
            return std::nullopt;
        }
        trouble.why =
            fmt::format("the filter {} cannot be tested ({}), so every pass walks the whole list", param, filter_why_);
        break;
    case ParameterSupport::incomplete:
        trouble.why = fmt::format("the filter {} missed a change, so every pass walks the whole list", param);
        break;
    case ParameterSupport::undated:
        trouble.why = fmt::format("no changed row has a date in {} that shows what the filter {} leaves out, so every "
                                  "pass walks the whole list",
                                  resource_.incremental->field, param);
        break;
    case ParameterSupport::ignored:
    case ParameterSupport::refused:
        trouble.why = fmt::format("the service {} the filter {}, so every pass walks the whole list",
                                  discovery_.filter == ParameterSupport::ignored ? "ignores" : "refuses", param);
        break;
    }
    return trouble;
}

}  // namespace shelfd::sync
