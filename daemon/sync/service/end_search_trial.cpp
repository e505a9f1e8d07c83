// The test of a list that was never tested: each way to request more rows, one after the other.
#include "sync/service/end_search.hpp"

#include "sync/service/page_queries.hpp"

#include <algorithm>
#include <cstdlib>

namespace shelfd::sync {

EndSearch::Step EndSearch::hear(const Answer& answer)
{
    switch (way_) {
    case Way::page: return on_page(answer);
    case Way::zero: return on_zero(answer);
    case Way::offset:
        if (answer.is_repeated()) {
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
    case Way::reversed_first: return on_reversed_first(answer);
    }
    std::abort();
}

EndSearch::Step EndSearch::on_page(const Answer& answer)
{
    if (answer.is_repeated()) {
        return try_next(Way::offset);
    }
    found_ = Further::page;
    if (Query(query_).has(names_.page_param)) {
        return walk_on(answer, [] { return true; });
    }
    // If pages are numbered from 0, this was the third one.
    is_behind_empty_ = answer.items == 0;
    record_more(answer);
    way_ = Way::zero;
    auto step = ask();
    step.is_aside = answer.items == 0;
    return step;
}

EndSearch::Step EndSearch::on_zero(const Answer& answer)
{
    const bool is_new = answer.items > 0 && !answer.is_repeated();
    // If pages are numbered from 1, this is the first one again.
    found_ = is_new || (answer.items == 0 && !is_unclear_) ? Further::page_from_0 : Further::page;
    if (is_new) {
        record_zero(answer);
    }
    if (second_page_ == SecondPage::refused && !is_new) {
        return try_next(Way::offset);
    }
    const bool is_short = is_new && answer.items < first_.items && is_behind_empty_;
    if (second_page_ != SecondPage::unknown || is_short) {
        return ends(!is_new);
    }
    phase_ = Phase::walking;
    way_ = Way::page;
    asked_ = Query(asked_).with({{names_.page_param, "2"}}).text();
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

// The list was whole when all ways were tried, and the opposite order showed it.
EndSearch::Step EndSearch::on_reversed_first(const Answer& answer)
{
    if (answer.new_keys > 0) {
        // It has more rows now. The next walk tries all ways.
        habit_.tried_at.reset();
        phase_ = Phase::idle;
        Step step;
        step.may_lack = true;
        return step;
    }
    return answer.items > 1 && answer.falling != first_.falling ? on_reversed(answer) : try_all();
}

EndSearch::Step EndSearch::try_all()
{
    way_ = Way::page;
    asked_ = query_;
    auto step = ask();
    step.is_aside = true;
    return step;
}

// No way has an effect. The list may have been cut, unless the service says that it ends here; otherwise only the
// configuration (`answers`) can say that it is whole.
EndSearch::Step EndSearch::nothing_brings_more()
{
    const bool is_cut = !first_.count && !first_.says_end && (may_be_cut(first_.items) || lacks_);
    if (is_cut && names_.is_one_of_many && first_.items < habit_.whole_rows) {
        phase_ = Phase::idle;  // other lists returned more rows than that
        Step step;
        step.is_aside = true;
        step.may_lack = lacks_;
        return step;
    }
    found_ = is_cut ? Further::cut : Further::none;
    return ends(true);
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

}  // namespace shelfd::sync
