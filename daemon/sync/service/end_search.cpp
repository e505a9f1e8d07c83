#include "sync/service/end_search.hpp"

#include "sync/service/page_queries.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <utility>

namespace shelfd::sync {
namespace {

// The same rows again, apart from rows that moved meanwhile.
bool is_repeated(const EndSearch::Answer& answer)
{
    return answer.items > 0 && answer.new_keys * 2 < answer.items;
}

std::string with(const std::string& query, const http::Params& params)
{
    return Query(query).with(params).text();
}

bool is_numbered(const std::string& query, std::string_view page_param)
{
    return Query(query).has(page_param);
}

}  // namespace

EndSearch::EndSearch(Names names, EndHabit habit, bool looks_anew)
    : names_(std::move(names)), habit_(habit), looks_anew_(looks_anew || habit.further == Further::unknown)
{
}

// Typical page sizes: the requested one, multiples of 10 or 25, powers of 2.
bool EndSearch::is_suspicious(std::uint64_t rows) const
{
    const bool is_round = rows >= 10 && (rows % 10 == 0 || rows % 25 == 0);
    return rows == names_.page_size || is_round || (rows >= 8 && std::has_single_bit(rows));
}

// A new limit makes an answer shorter than it was; as many rows as before are others in their place.
bool EndSearch::has_shrunk(const Answer& answer) const
{
    return habit_.further != Further::none || answer.items < habit_.whole_rows;
}

EndSearch::Step EndSearch::page(const std::string& query, const Answer& answer, const std::function<bool()>& lacks)
{
    newest_ = answer.items;
    if (phase_ != Phase::idle && answer.count && answer.distinct >= *answer.count) {
        found_ = found_ != Further::unknown ? found_ : way_ == Way::offset ? Further::offset : Further::page;
        record_more(answer);
        return ends(false);
    }
    switch (phase_) {
    case Phase::idle: return begin(query, answer, lacks);
    case Phase::trying: return hear(answer);
    case Phase::walking: return walk_on(answer, lacks);
    }
    std::abort();
}

EndSearch::Step EndSearch::begin(const std::string& query, const Answer& answer, const std::function<bool()>& lacks)
{
    if (auto known = without_asking(answer, lacks)) {
        return *known;
    }
    first_ = answer;
    lacks_ = !answer.count && has_shrunk(answer) && lacks();
    query_ = query;
    behind_ = answer.distinct;
    before_ = answer.items;
    const bool is_known = !looks_anew_ && habit_.further != Further::none && habit_.further != Further::cut;
    phase_ = is_known ? Phase::walking : Phase::trying;
    found_ = is_known ? habit_.further : Further::unknown;
    way_ = found_ == Further::offset ? Way::offset : found_ == Further::page_size ? Way::page_size : Way::page;
    page_length_ = names_.page_size;
    asked_ = query;
    return ask();
}

// Empty if only a request can tell.
std::optional<EndSearch::Step> EndSearch::without_asking(const Answer& answer, const std::function<bool()>& lacks)
{
    const bool is_met = answer.count && answer.distinct >= *answer.count;
    if (answer.items == 0 || is_met || (answer.says_end && !answer.count)) {
        return Step{};
    }
    if (looks_anew_) {
        return std::nullopt;
    }
    if (answer.count) {
        // A count above the rows returned was examined before: more is requested only if that returned rows then.
        const bool brings = habit_.further != Further::none && habit_.further != Further::cut;
        return brings ? std::nullopt : std::optional(Step{});
    }
    if (habit_.further == Further::cut) {
        Step step;
        step.may_lack = answer.items == habit_.whole_rows;
        const bool is_below = answer.items < habit_.whole_rows && !lacks();
        return step.may_lack || is_below ? std::optional(step) : std::nullopt;
    }
    if (lacks()) {
        // A list that ignored every way before is not asked in each pass.
        const bool may_be_cut = has_shrunk(answer) && habit_.further == Further::none && names_.reversed_query.empty();
        return may_be_cut ? std::optional(Step{.may_lack = true}) : std::nullopt;
    }
    if (answer.items <= habit_.whole_rows) {
        return Step{};
    }
    if (habit_.further == Further::none && !is_suspicious(answer.items)) {
        habit_.whole_rows = answer.items;
        return Step{};
    }
    return std::nullopt;
}

EndSearch::Step EndSearch::hear(const Answer& answer)
{
    switch (way_) {
    case Way::page: return on_page(answer);
    case Way::zero: return on_zero(answer);
    case Way::offset:
        if (is_repeated(answer)) {
            return try_next(Way::page_size);
        }
        if ((answer.items - answer.new_keys) * 2 >= first_.items) {
            // The same rows and more: the service obeys a page-size parameter under a name that is not configured.
            found_ = Further::cut;
            return ends(false);
        }
        found_ = Further::offset;
        return walk_on(answer, [] { return true; });
    case Way::page_size: return on_longer(answer);
    case Way::reversed: return on_reversed(answer);
    }
    std::abort();
}

EndSearch::Step EndSearch::on_page(const Answer& answer)
{
    if (is_repeated(answer)) {
        return try_next(Way::offset);
    }
    found_ = Further::page;
    second_is_empty_ = answer.items == 0;
    if (is_numbered(query_, names_.page_param)) {
        return walk_on(answer, [] { return true; });
    }
    // If pages are numbered from 0, this was the third one.
    record_more(answer);
    way_ = Way::zero;
    auto step = ask();
    step.is_aside = answer.items == 0;
    return step;
}

EndSearch::Step EndSearch::on_zero(const Answer& answer)
{
    const bool is_new = answer.items > 0 && !is_repeated(answer);
    found_ = is_new ? Further::page_from_0 : Further::page;
    if (is_new) {
        brought_ = true;
        longest_ = std::max(longest_, answer.items);
        behind_ = answer.distinct;
    }
    if (second_is_refused_ && !is_new) {
        return try_next(Way::offset);
    }
    if (second_is_empty_ || second_is_refused_) {
        return ends(!is_new);
    }
    phase_ = Phase::walking;
    way_ = Way::page;
    asked_ = with(asked_, {{names_.page_param, "2"}});
    auto step = ask();
    step.is_aside = !is_new;
    return step;
}

EndSearch::Step EndSearch::on_longer(const Answer& answer)
{
    if (answer.items > before_) {
        found_ = Further::page_size;
        record_more(answer);
        if (answer.items >= page_length_) {
            auto step = ask();
            step.is_aside = true;  // the same rows and more: the longest answer is the list
            return step;
        }
    }
    return found_ == Further::page_size ? ends(true) : try_next(Way::reversed);
}

EndSearch::Step EndSearch::on_reversed(const Answer& answer)
{
    if (answer.new_keys > 0 && answer.items <= first_.items) {
        found_ = Further::cut;
        return ends(false);
    }
    if (answer.items > 1 && answer.falling != first_.falling) {
        found_ = Further::none;  // the rows at the other end are known
        return ends(true);
    }
    return nothing_brings_more();
}

// No way has an effect. If the list has a typical page size, or lacks rows of the mirror, it may have been cut; only
// the configuration (`answers`) can say that it is whole.
EndSearch::Step EndSearch::nothing_brings_more()
{
    const bool may_be_cut = !first_.count && (is_suspicious(first_.items) || lacks_);
    if (may_be_cut && names_.is_one_of_many && first_.items < habit_.whole_rows) {
        phase_ = Phase::idle;  // other lists returned more rows than that
        Step step;
        step.is_aside = true;
        step.may_lack = lacks_;
        return step;
    }
    found_ = may_be_cut ? Further::cut : Further::none;
    return ends(true);
}

// Continues in a way that works until no more rows come.
EndSearch::Step EndSearch::walk_on(const Answer& answer, const std::function<bool()>& lacks)
{
    if (way_ == Way::page_size) {
        return on_longer(answer);
    }
    if (answer.items == 0 || is_repeated(answer)) {
        return ends(answer.items > 0);
    }
    phase_ = Phase::walking;
    record_more(answer);
    const bool is_short = !looks_anew_ && answer.items <= habit_.whole_rows && longest_ > habit_.whole_rows;
    return is_short && !lacks() ? ends(false) : ask();
}

// Records a page that followed another one.
void EndSearch::record_more(const Answer& answer)
{
    if (answer.items == 0) {
        return;
    }
    brought_ = true;
    is_uneven_ = is_uneven_ || before_ < longest_;
    longest_ = std::max(longest_, before_);
    before_ = answer.items;
    behind_ = answer.distinct;
}

EndSearch::Step EndSearch::try_next(Way way)
{
    way_ = way;
    if (way_ == Way::page_size && first_.items < names_.page_size) {
        way_ = Way::reversed;
    }
    if (way_ == Way::reversed && (names_.reversed_query.empty() || first_.count)) {
        return nothing_brings_more();
    }
    auto step = ask();
    step.is_aside = true;
    return step;
}

EndSearch::Step EndSearch::ask()
{
    const auto size = std::to_string(names_.page_size);
    // Some services cut a page but compute the next one from the page size that was requested.
    auto base = query_;
    const bool is_page_1 = !is_numbered(query_, names_.page_param) && !is_numbered(query_, "offset");
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
    case Way::offset: asked_ = with(query_, {{"limit", size}, {"offset", std::to_string(behind_)}}); break;
    case Way::page_size:
        page_length_ *= 2;
        asked_ = with(query_, {{names_.page_size_param, std::to_string(page_length_)}});
        break;
    case Way::reversed: asked_ = names_.reversed_query; break;
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
        // Only a 404 or 410 shows that the list ends here.
        step.may_lack = step.may_lack || !is_missing;
        return step;
    }
    Answer nothing;
    nothing.distinct = behind_;
    switch (way_) {
    case Way::page:
        // If pages are numbered from 0, there may be two pages.
        second_is_refused_ = !is_missing && !is_numbered(query_, names_.page_param);
        return is_missing ? on_page(nothing) : try_next(second_is_refused_ ? Way::zero : Way::offset);
    case Way::zero: return on_zero(nothing);
    case Way::offset: return try_next(Way::page_size);
    case Way::page_size: return found_ == Further::page_size ? ends(true) : try_next(Way::reversed);
    case Way::reversed: return nothing_brings_more();
    }
    std::abort();
}

EndSearch::Step EndSearch::ends(bool is_aside)
{
    phase_ = Phase::idle;
    found_ = first_.says_end && !brought_ ? Further::none : found_;  // its count exceeds the rows that it returns
    Step step;
    // An empty page after one that may have been full belongs to the walk: what moved between the two is unknown.
    step.is_aside = is_aside || (!brought_ && newest_ == 0 && !is_suspicious(first_.items));
    step.may_lack = found_ == Further::cut;
    if (is_unclear_ && found_ == Further::none) {
        return step;
    }
    has_tried_ = looks_anew_;
    if (found_ != habit_.further && !first_.count) {
        habit_.whole_rows = 0;
    }
    habit_.further = found_;
    if (brought_) {
        habit_.whole_rows = is_uneven_ ? 0 : longest_ - 1;
    } else if (found_ == Further::cut) {
        habit_.whole_rows = first_.items;
    } else {
        const bool may_be_full = found_ != Further::none && is_suspicious(first_.items);
        habit_.whole_rows = std::max(habit_.whole_rows, first_.items - (may_be_full ? 1 : 0));
    }
    return step;
}

}  // namespace shelfd::sync
