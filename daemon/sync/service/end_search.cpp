#include "sync/service/end_search.hpp"

#include "sync/service/page_queries.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace shelfd::sync {
namespace {

std::string with(const std::string& query, const http::Params& params)
{
    return Query(query).with(params).text();
}

}  // namespace

EndSearch::EndSearch(Names names, EndHabit habit, bool looks_anew)
    : names_(std::move(names)), habit_(habit), looks_anew_(looks_anew || habit.further == Further::unknown)
{
}

EndSearch::Step EndSearch::page(const std::string& query, const Answer& answer, const Lacks& lacks)
{
    newest_ = answer.items;
    if (phase_ != Phase::idle && answer.count && answer.distinct >= *answer.count) {
        return counted_all(answer);
    }
    switch (phase_) {
    case Phase::idle: return begin(query, answer, lacks);
    case Phase::trying: return hear(answer);
    case Phase::walking: return walk_on(answer, lacks);
    }
    std::abort();
}

// The request that returned the last of them shows the way.
EndSearch::Step EndSearch::counted_all(const Answer& answer)
{
    const bool is_from_0 = way_ == Way::zero && answer.new_keys > 0;
    if (is_from_0 || found_ == Further::unknown) {
        found_ = is_from_0                ? Further::page_from_0
                 : way_ == Way::offset    ? Further::offset
                 : way_ == Way::page_size ? Further::page_size
                                          : Further::page;
    }
    if (way_ == Way::zero) {
        record_zero(answer);
    } else {
        record_more(answer);
    }
    return ends(false);
}

EndSearch::Step EndSearch::begin(const std::string& query, const Answer& answer, const Lacks& lacks)
{
    if (auto known = without_asking(answer, lacks)) {
        return *known;
    }
    first_ = answer;
    lacks_ = !answer.count && lacks();
    query_ = query;
    behind_ = answer.distinct;
    before_ = answer.items;
    is_behind_empty_ = answer.items == 0;
    page_length_ = names_.page_size;
    begin_asking();
    return ask();
}

void EndSearch::begin_asking()
{
    const bool is_known = !looks_anew_ && is_paged(habit_);
    const bool reverses_first = !looks_anew_ && habit_.further == Further::none && !names_.reversed_query.empty() &&
                                !first_.count && habit_.whole_rows > 0;
    phase_ = is_known ? Phase::walking : Phase::trying;
    found_ = is_known ? habit_.further : Further::unknown;
    way_ = reverses_first                 ? Way::reversed_first
           : found_ == Further::offset    ? Way::offset
           : found_ == Further::page_size ? Way::page_size
                                          : Way::page;
    asked_ = query_;
}

// Empty if only a request can tell.
std::optional<EndSearch::Step> EndSearch::without_asking(const Answer& answer, const Lacks& lacks)
{
    if (answer.is_doubted) {
        return std::nullopt;
    }
    const bool is_met = answer.count && answer.distinct >= *answer.count;
    if (is_met || (answer.says_end && !answer.count)) {
        return Step{};
    }
    if (answer.items == 0) {
        const bool by_number = habit_.further == Further::page || habit_.further == Further::page_from_0;
        const bool may_go_on = !looks_anew_ && !answer.count && by_number && (is_uneven(habit_) || lacks());
        // As for every other answer of a list that obeyed nothing, see judge_end.
        const bool is_unproven = !answer.count && habit_.further == Further::cut && lacks();
        return may_go_on ? std::nullopt : std::optional(Step{.may_lack = is_unproven});
    }
    if (looks_anew_) {
        return std::nullopt;
    }
    if (answer.count) {
        // A count above the rows returned was examined before: more is requested only if that returned rows then.
        return is_paged(habit_) ? std::nullopt : std::optional(Step{});
    }
    OpenAnswer open;
    open.items = answer.items;
    open.page_size = names_.page_size;
    open.is_one_of_many = names_.is_one_of_many;
    open.can_be_reversed = !names_.reversed_query.empty();
    open.is_on_top = names_.is_whole_table && open.can_be_reversed && answer.falling && answer.meets_known;
    const auto verdict = judge_end(habit_, open, lacks);
    if (verdict == EndVerdict::ask) {
        return std::nullopt;
    }
    if (verdict == EndVerdict::whole && habit_.further == Further::none) {
        habit_.whole_rows = std::max(habit_.whole_rows, answer.items);
    }
    return Step{.may_lack = verdict == EndVerdict::may_lack};
}

// Continues in a way that works until no more rows come.
EndSearch::Step EndSearch::walk_on(const Answer& answer, const Lacks& lacks)
{
    if (way_ == Way::page_size) {
        return on_longer(answer);
    }
    if (answer.items == 0 && may_pass_over(answer, lacks)) {
        return pass_over();
    }
    if (answer.items == 0 || answer.is_repeated()) {
        return ends(answer.items > 0);
    }
    phase_ = Phase::walking;
    more_ = is_behind_empty_ ? More::uneven : more_;
    is_behind_empty_ = false;
    record_more(answer);
    const bool is_short =
        !looks_anew_ && answer.items <= habit_.whole_rows && longest_ == habit_.whole_rows + 1 && more_ != More::uneven;
    return is_short && !lacks() ? ends(false) : ask();
}

// The page has no rows. Only one after a full one, and only one at a time.
bool EndSearch::may_pass_over(const Answer& answer, const Lacks& lacks) const
{
    const bool is_full = before_ > 0 && before_ >= longest_;
    if (is_behind_empty_ || !is_full) {
        return false;
    }
    const bool is_counted_more = answer.count && answer.distinct < *answer.count;
    return is_counted_more || (!answer.count && (looks_anew_ || is_uneven(habit_) || lacks()));
}

EndSearch::Step EndSearch::pass_over()
{
    phase_ = Phase::walking;
    is_behind_empty_ = true;
    passed_over_ += first_.items;
    auto step = ask();
    step.is_aside = true;
    return step;
}

// Records a page that followed another one.
void EndSearch::record_more(const Answer& answer)
{
    if (answer.items == 0) {
        return;
    }
    const bool is_by_number = way_ == Way::page && answer.items > before_;
    more_ = more_ == More::uneven || before_ < longest_ || is_by_number ? More::uneven : More::even;
    longest_ = std::max(longest_, before_);
    before_ = answer.items;
    behind_ = answer.distinct;
}

// Page 1 of a list whose first page is 0, which followed a later one.
void EndSearch::record_zero(const Answer& answer)
{
    more_ = more_ == More::none && answer.new_keys > 0 ? More::even : more_;
    longest_ = std::max(longest_, answer.items);
    behind_ = answer.distinct;
}

EndSearch::Step EndSearch::ask()
{
    const auto size = std::to_string(names_.page_size);
    // Some services cut a page but compute the next one from the page size that was requested.
    auto base = query_;
    const bool is_page_1 = !Query(query_).has(names_.page_param) && !Query(query_).has("offset");
    if (is_page_1 && first_.items > 0 && first_.items < names_.page_size) {
        base = with(query_, {{names_.page_size_param, std::to_string(first_.items)}});
    }
    switch (way_) {
    case Way::page: {
        const bool is_first = asked_ == query_;
        asked_ = is_first && found_ == Further::page_from_0 ? with(base, {{names_.page_param, "1"}})
                                                            : query_behind(is_first ? base : asked_, names_.page_param);
        break;
    }
    case Way::zero: asked_ = with(base, {{names_.page_param, "1"}}); break;
    case Way::offset:
        asked_ = with(query_, {{"limit", size}, {"offset", std::to_string(behind_ + passed_over_)}});
        break;
    case Way::page_size:
        page_length_ *= 2;
        asked_ = with(query_, {{names_.page_size_param, std::to_string(page_length_)}});
        break;
    case Way::reversed:
    case Way::reversed_first: asked_ = names_.reversed_query; break;
    }
    Step step;
    step.next = asked_;
    return step;
}

EndSearch::Step EndSearch::refused(bool is_missing, bool tells)
{
    newest_ = 0;
    is_unclear_ = is_unclear_ || !tells;
    if (phase_ == Phase::walking) {
        auto step = ends(false);
        // Only a 404 or 410 shows that the list ends here, or an empty page that the service has returned before.
        step.may_lack = step.may_lack || !(is_missing || (is_behind_empty_ && tells));
        return step;
    }
    Answer nothing;
    nothing.distinct = behind_;
    switch (way_) {
    case Way::page:
        // If pages are numbered from 0, there may be two pages.
        second_page_ = is_missing                             ? SecondPage::missing
                       : Query(query_).has(names_.page_param) ? SecondPage::unknown
                                                              : SecondPage::refused;
        return is_missing ? on_page(nothing) : try_next(second_page_ == SecondPage::refused ? Way::zero : Way::offset);
    case Way::zero: return on_zero(nothing);
    case Way::offset: return try_next(Way::page_size);
    case Way::page_size: return found_ == Further::page_size ? ends(true) : try_next(Way::reversed);
    case Way::reversed: return nothing_brings_more();
    case Way::reversed_first: return try_all();
    }
    std::abort();
}

// The first page may not be the last one, although no more rows came.
bool EndSearch::is_full_page() const
{
    const bool is_as_known = is_paged(habit_) && habit_.further == found_ && habit_.whole_rows > 0;
    return is_usual_length(first_.items, names_.page_size) ||
           (is_as_known && first_.items >= habit_.whole_rows + (lacks_ ? 0 : 1));
}

EndSearch::Step EndSearch::ends(bool is_aside)
{
    phase_ = Phase::idle;
    found_ =
        first_.says_end && more_ == More::none ? Further::none : found_;  // its count exceeds the rows that it returns
    Step step;
    // An empty page after one that may have been full belongs to the walk: what moved between the two is unknown.
    step.is_aside = is_aside || (more_ == More::none && newest_ == 0 && !is_full_page());
    step.may_lack = found_ == Further::cut || (first_.is_doubted && is_unclear_ && lacks_);
    // Of an answer that lacks nothing and says that it is the last one, its length alone was tested.
    const bool is_only_length = first_.is_doubted && !lacks_;
    if (is_unclear_ && found_ == Further::none && !is_only_length) {
        return step;
    }
    has_tried_ = looks_anew_;
    SearchedEnd end;
    end.found = found_;
    end.items = first_.items;
    end.is_counted = first_.count.has_value();
    end.is_one_of_many = names_.is_one_of_many;
    end.looked_anew = looks_anew_;
    end.brought = more_ != More::none;
    end.was_uneven = more_ == More::uneven;
    end.longest = longest_;
    habit_ = learned_from(end, habit_);
    return step;
}

}  // namespace shelfd::sync
