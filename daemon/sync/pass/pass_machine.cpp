#include "sync/pass/pass_machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/core.h>

namespace shelfd::sync {

PassAction PassMachine::resume(PassEvent event, double random)
{
    switch (event) {
    case PassEvent::begin:
        begin_walk();
        state_ = settings_.has_identity ? PassState::identifying : PassState::walking;
        return settings_.has_identity ? PassAction::ask_identity : PassAction::fetch_page;
    case PassEvent::identity_ours:
        tries_.succeeded();
        state_ = state_ == PassState::confirming ? PassState::publishing : PassState::walking;
        return state_ == PassState::publishing ? PassAction::publish : PassAction::fetch_page;
    case PassEvent::dropped: return PassAction::fetch_page;
    case PassEvent::page_past_end:
        if (state_ != PassState::walking || walk_.pages == 0) {
            return give_up("page 1 of the list does not exist");
        }
        return past_end();
    case PassEvent::page_refused: walk_.is_cut = true; return after_last_page();
    case PassEvent::order_refused:
        if (walk_.pages > 0 || settings_.plain_query.empty() || order_refused_) {
            return give_up("");
        }
        order_refused_ = true;
        settings_.first_query = settings_.plain_query;
        advance_.begin_anew();
        ask_for(settings_.first_query);
        return PassAction::fetch_page;
    case PassEvent::row_gone:
    case PassEvent::row_unclear: return next_witness();
    case PassEvent::row_there: witness_ = witnesses_; return confirm();
    case PassEvent::unauthorized:
        if (tries_.was_renewed()) {
            return give_up("the request was refused (401) with a token that was just refreshed");
        }
        asking_ = state_;
        state_ = PassState::renewing;
        return PassAction::renew_token;
    case PassEvent::token_renewed:
        tries_.token_renewed();
        interrupted_ = asking_;
        return ask_again();
    case PassEvent::passing_trouble: return try_again(random);
    case PassEvent::throttled:
        interrupted_ = state_ == PassState::renewing ? asking_ : state_;
        // The driver knows the service's reason, and the pages so far stay valid.
        return tries_.may_repeat_throttled(settings_.max_throttled) ? ask_again() : give_up("");
    case PassEvent::waited: return ask_again();
    case PassEvent::published: state_ = PassState::ended; return PassAction::finish;
    case PassEvent::failed: return give_up("");
    }
    std::abort();
}

void PassMachine::begin_walk()
{
    walk_ = {};
    walk_.newest_first = settings_.newest_first;
    walk_.previous_key_set = settings_.previous_key_set;
    walk_.repeats = settings_.repeats;
    advance_.begin_anew();
    chain_.begin_anew();
    ask_for(settings_.first_query);
    guesses_ = false;
    early_ = false;
    astray_.clear();
}

PassAction PassMachine::start_over()
{
    begin_walk();
    state_ = PassState::walking;
    return PassAction::start_over;
}

// Pages after recalled ones may have skipped a row if rows were added or deleted meanwhile. With newest keys first, the
// closing look shows it; a cursor does not depend on the rows before it.
bool PassMachine::has_moved(const PageSeen& page) const
{
    return !walk_.is_ordered() && !page.is_chain && page.count && page.count != walk_.count_last;
}

PassAction PassMachine::page_recalled(const PageSeen& page)
{
    recalled_ = false;
    const auto action = page_arrived(page);
    recalled_ = true;
    return action;
}

PassAction PassMachine::page_arrived(const PageSeen& page)
{
    if ((std::exchange(recalled_, false) && has_moved(page)) || (page.is_early && page.moved > 0)) {
        return start_over();
    }
    early_ = early_ || page.is_early;
    tries_.succeeded();
    walk_.distinct_keys += page.new_keys;
    walk_.entered += page.entered;
    if (page.count) {
        walk_.count_last = page.count;
        walk_.count_least = std::min(walk_.count_least.value_or(*page.count), *page.count);
        walk_.count_most = std::max(walk_.count_most.value_or(*page.count), *page.count);
    }
    walk_.key_set = page.key_set;
    if (state_ == PassState::closing) {
        walk_.closed = true;
        walk_.above_newest = page.above_newest;
        walk_.entered += page.new_keys - std::min(page.new_keys, page.above_newest);
        // A closing page of only new keys may have more of them after it: the added rows can no longer be counted.
        walk_.descending = walk_.descending && page.falling && (page.above_newest < page.items || !page.next_query);
        return after_last_page();
    }
    walk_.is_cut = walk_.is_cut || page.may_lack;
    guesses_ = false;
    if (page.is_aside) {
        return follow(page);
    }
    if (walk_.pages == 0) {
        walk_.count_first = page.count;
        walk_.newest_key = page.highest_key;
        first_items_ = page.items;
    }
    last_items_ = page.items;
    walk_.is_chain = page.is_chain;
    walk_.by_key = walk_.by_key && chain_.follows({page.items, page.next_query.has_value(), page.cursor_key,
                                                   page.lowest_key, page.highest_key});
    walk_.fresh += page.fresh;
    ++walk_.pages;
    walk_.repeated += page.items - std::min(page.items, page.new_keys);
    walk_.descending = walk_.descending && page.descending;
    advance_.page_arrived(page.items, page.new_keys);
    return follow(page);
}

PassAction PassMachine::follow(const PageSeen& page)
{
    // Services repeat the last page for every number behind it. A test for the end decides for itself.
    const bool is_repeated = page.items > 0 && page.new_keys == 0 && !page.next_is_guess && !page.is_aside;
    if (!page.next_query || (is_repeated && has_all())) {
        return end_of_list();
    }
    if (const auto in_vain = advance_.pages_in_vain(settings_.advance); in_vain > 0) {
        return end_astray(fmt::format("{} pages in a row returned no new key", in_vain));
    }
    if (!ask_for(*page.next_query)) {
        return end_astray(fmt::format("page {} names a next page that was already read", walk_.pages));
    }
    guesses_ = page.next_is_guess;
    return PassAction::fetch_page;
}

bool PassMachine::has_all() const
{
    return walk_.count_last && walk_.distinct_keys == *walk_.count_last;
}

// The list leads nowhere. Perhaps that is its end, perhaps the service lost the next page.
PassAction PassMachine::end_astray(std::string where)
{
    if (has_all()) {
        return end_of_list();
    }
    astray_ = std::move(where);
    walk_.is_cut = true;
    return after_last_page();
}

PassAction PassMachine::end_of_list()
{
    if (walk_.pages > 1 && walk_.is_ordered()) {
        return begin_closing();
    }
    walk_.closed = true;
    return after_last_page();
}

// If all rows that the service counts have arrived, the list names one page too many. Without a count, a page shorter
// than others can be the last one, and so can the only page; several full pages may be all that a service returns of a
// longer list.
PassAction PassMachine::past_end()
{
    if (has_all()) {
        return end_of_list();
    }
    walk_.shrank = true;
    walk_.closed = !walk_.count_last && (last_items_ < first_items_ || walk_.pages == 1);
    return after_last_page();
}

// False if this walk has requested it before.
bool PassMachine::ask_for(const std::string& query)
{
    query_ = query;
    return advance_.ask_for(query);
}

PassAction PassMachine::begin_closing()
{
    query_ = settings_.first_query;
    state_ = PassState::closing;
    return PassAction::fetch_page;
}

PassAction PassMachine::after_last_page()
{
    // An unproven walk is no evidence against any row.
    if (settings_.seeks_missing && proof().complete()) {
        state_ = PassState::seeking;
        return PassAction::find_missing;
    }
    return confirm();
}

PassAction PassMachine::missing_found(const MissingSeen& missing)
{
    if (missing.any && early_) {
        return start_over();
    }
    witnesses_ = missing.askable;
    witness_ = 0;
    if (witnesses_ == 0) {
        return confirm();
    }
    state_ = PassState::witnessing;
    return PassAction::ask_witness;
}

PassAction PassMachine::next_witness()
{
    tries_.succeeded();
    return ++witness_ < witnesses_ ? PassAction::ask_witness : confirm();
}

PassAction PassMachine::confirm()
{
    tries_.other_request();
    state_ = settings_.has_identity ? PassState::confirming : PassState::publishing;
    return settings_.has_identity ? PassAction::ask_identity : PassAction::publish;
}

PassAction PassMachine::try_again(double random)
{
    const bool nothing_yet = walk_.pages == 0;
    const auto wait = tries_.failed(nothing_yet ? settings_.max_first_attempts : settings_.max_attempts, random);
    if (!wait && state_ == PassState::walking && !nothing_yet && has_all()) {
        astray_ = fmt::format("page {} is named, and could not be read", page_number());
        walk_.is_cut = true;
        return after_last_page();
    }
    if (!wait) {
        return give_up("");
    }
    interrupted_ = state_;
    state_ = PassState::waiting;
    wait_time_ = *wait;
    return PassAction::wait;
}

PassAction PassMachine::ask_again()
{
    state_ = interrupted_;
    if (state_ == PassState::renewing) {
        return PassAction::renew_token;
    }
    if (state_ == PassState::witnessing) {
        return PassAction::ask_witness;
    }
    const bool canary = state_ == PassState::identifying || state_ == PassState::confirming;
    return canary ? PassAction::ask_identity : PassAction::fetch_page;
}

PassAction PassMachine::give_up(std::string why)
{
    failure_ = std::move(why);
    state_ = PassState::ended;
    return PassAction::give_up;
}

}  // namespace shelfd::sync
