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
        attempts_ = 0;
        backoff_.reset();
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
        query_hashes_.clear();
        ask_for(settings_.first_query);
        return PassAction::fetch_page;
    case PassEvent::row_gone:
    case PassEvent::row_unclear: return next_witness();
    case PassEvent::row_there: witness_ = witnesses_; return confirm();
    case PassEvent::unauthorized:
        if (renewed_) {
            return give_up("the request was refused (401) with a token that was just renewed");
        }
        asking_ = state_;
        state_ = PassState::renewing;
        return PassAction::renew_token;
    case PassEvent::token_renewed:
        renewed_ = true;
        interrupted_ = asking_;
        return ask_again();
    case PassEvent::passing_trouble: return try_again(random);
    case PassEvent::throttled:
        interrupted_ = state_;
        // The driver knows what the service said, and the pages that came are as good as before.
        return ++throttled_ < settings_.max_throttled ? ask_again() : give_up("");
    case PassEvent::waited: return ask_again();
    case PassEvent::published: state_ = PassState::ended; return PassAction::finish;
    case PassEvent::failed: return give_up("");
    case PassEvent::page_arrived: break;  // comes by page_arrived(), with what it told
    }
    std::abort();
}

void PassMachine::begin_walk()
{
    walk_ = {};
    walk_.newest_first = settings_.newest_first;
    walk_.previous_key_set = settings_.previous_key_set;
    walk_.repeats = settings_.repeats;
    query_hashes_.clear();
    ask_for(settings_.first_query);
    idle_pages_ = 0;
    empty_pages_ = 0;
    guesses_ = false;
    early_ = false;
    cursor_key_.reset();
}

PassAction PassMachine::start_over()
{
    begin_walk();
    state_ = PassState::walking;
    return PassAction::start_over;
}

// Pages behind recalled ones may have passed a row over, where rows came or went meanwhile. Newest keys first, the
// closing look tells; the place of a cursor does not depend on rows before it.
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
    attempts_ = throttled_ = 0;
    renewed_ = false;
    backoff_.reset();
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
        // A closing page full of new keys may hide more of them behind it: what came can no longer be counted.
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
    walk_.by_key = walk_.by_key && goes_on_by_key(page);
    walk_.fresh += page.fresh;
    ++walk_.pages;
    walk_.repeated += page.items - std::min(page.items, page.new_keys);
    walk_.descending = walk_.descending && page.descending;
    idle_pages_ = page.new_keys > 0 ? 0 : page.items > 0 ? idle_pages_ + 1 : idle_pages_;
    empty_pages_ = page.items > 0 ? 0 : empty_pages_ + 1;
    return follow(page);
}

// Whether the page has the keys behind its cursor, up to that of the next one, and no others.
bool PassMachine::goes_on_by_key(const PageSeen& page)
{
    const auto before = std::exchange(cursor_key_, page.cursor_key);
    if (page.next_query && (!page.cursor_key || !page.lowest_key || page.lowest_key == page.highest_key)) {
        return false;
    }
    falls_ = walk_.pages == 0 ? page.cursor_key == page.lowest_key : falls_;
    if (page.next_query && page.cursor_key != (falls_ ? page.lowest_key : page.highest_key)) {
        return false;
    }
    if (walk_.pages == 0 || page.items == 0) {
        return true;
    }
    const bool has_keys = before && page.lowest_key && page.highest_key;
    return has_keys && (falls_ ? *page.highest_key < *before : *page.lowest_key > *before);
}

PassAction PassMachine::follow(const PageSeen& page)
{
    if (!page.next_query) {
        return end_of_list();
    }
    if (idle_pages_ >= settings_.max_idle_pages || empty_pages_ >= settings_.max_empty_pages) {
        return give_up(fmt::format("{} pages in a row brought no new key: the list does not advance",
                                   std::max(idle_pages_, empty_pages_)));
    }
    if (!ask_for(*page.next_query)) {
        return give_up(fmt::format("page {} names a page as next that was already read", walk_.pages));
    }
    guesses_ = page.next_is_guess;
    return PassAction::fetch_page;
}

PassAction PassMachine::end_of_list()
{
    if (walk_.pages > 1 && walk_.is_ordered()) {
        return begin_closing();
    }
    walk_.closed = true;
    return after_last_page();
}

// Where all rows came that the service counts, the list names one page too many. Where nobody counts, only a page that
// was shorter than others looks like the last one.
PassAction PassMachine::past_end()
{
    if (walk_.count_last && walk_.distinct_keys == *walk_.count_last) {
        return end_of_list();
    }
    walk_.shrank = true;
    walk_.closed = !walk_.count_last && last_items_ < first_items_;
    return after_last_page();
}

// False when this walk has asked for it before.
bool PassMachine::ask_for(const std::string& query)
{
    query_ = query;
    const auto hash = std::hash<std::string>()(query);
    const auto place = std::lower_bound(query_hashes_.begin(), query_hashes_.end(), hash);
    const bool is_new = place == query_hashes_.end() || *place != hash;
    if (is_new) {
        query_hashes_.insert(place, hash);
    }
    return is_new;
}

PassAction PassMachine::begin_closing()
{
    query_ = settings_.first_query;
    state_ = PassState::closing;
    return PassAction::fetch_page;
}

PassAction PassMachine::after_last_page()
{
    // What proves nothing witnesses against no row.
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
    attempts_ = throttled_ = 0;
    renewed_ = false;
    backoff_.reset();
    return ++witness_ < witnesses_ ? PassAction::ask_witness : confirm();
}

PassAction PassMachine::confirm()
{
    attempts_ = throttled_ = 0;
    state_ = settings_.has_identity ? PassState::confirming : PassState::publishing;
    return settings_.has_identity ? PassAction::ask_identity : PassAction::publish;
}

PassAction PassMachine::try_again(double random)
{
    const bool nothing_yet = walk_.pages == 0;
    if (++attempts_ >= (nothing_yet ? settings_.max_first_attempts : settings_.max_attempts)) {
        return give_up("");
    }
    interrupted_ = state_;
    state_ = PassState::waiting;
    wait_time_ = backoff_.next(random);
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
