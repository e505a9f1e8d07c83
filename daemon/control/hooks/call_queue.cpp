#include "control/hooks/call_queue.hpp"

#include "base/backoff.hpp"
#include "control/hooks/round_call.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::control {
namespace {

using namespace std::chrono_literals;

constexpr Duration first_wait = 10s;
constexpr Duration longest_wait = 15min;
constexpr Duration longest_told_wait = 1h;

}  // namespace

CallQueue::CallQueue(std::vector<PendingCall> calls) : calls_(std::move(calls))
{
    for (const auto& call : calls_) {
        last_number_ = std::max(last_number_, call.number);
        bytes_ += call.body.size();
    }
}

void CallQueue::add(PendingCall call)
{
    if (merge(call)) {
        return;
    }
    if (calls_.size() >= max_calls || bytes_ + call.body.size() > max_bytes) {
        ++dropped_;
        return;
    }
    call.number = ++last_number_;
    bytes_ += call.body.size();
    calls_.push_back(std::move(call));
}

// True when nothing is left to be added.
bool CallQueue::merge(PendingCall& call)
{
    const auto is_same = [&](const PendingCall& one) { return one.hook == call.hook && one.incident == call.incident; };
    const auto count = std::count_if(calls_.begin(), calls_.end(), is_same);
    const bool is_tried =
        std::any_of(calls_.begin(), calls_.end(), [&](const auto& one) { return is_same(one) && one.tries > 0; });
    if (count == 0 || call.event == CallEvent::test) {
        return false;
    }
    switch (call.event) {
    case CallEvent::repeated: return true;
    case CallEvent::published:
    case CallEvent::escalated: {
        const auto last = std::find_if(calls_.rbegin(), calls_.rend(), is_same);
        if (last->tries > 0) {
            return false;
        }
        bytes_ -= last->body.size();
        last->body = call.event == CallEvent::published ? join_rounds(last->body, call.body) : std::move(call.body);
        bytes_ += last->body.size();
        return true;
    }
    case CallEvent::recovered: {
        const bool told_nobody = !is_tried && std::any_of(calls_.begin(), calls_.end(), [&](const auto& one) {
            return is_same(one) && one.event == CallEvent::opened;
        });
        std::erase_if(calls_, [&](const PendingCall& one) {
            const bool goes = is_same(one) && one.tries == 0;
            bytes_ -= goes ? one.body.size() : 0;
            return goes;
        });
        return told_nobody;
    }
    default: return false;
    }
}

PendingCall* CallQueue::find(std::uint64_t number)
{
    const auto found =
        std::find_if(calls_.begin(), calls_.end(), [&](const PendingCall& one) { return one.number == number; });
    return found == calls_.end() ? nullptr : &*found;
}

const PendingCall* CallQueue::first_of(const std::string& hook) const
{
    const auto found =
        std::find_if(calls_.begin(), calls_.end(), [&](const PendingCall& one) { return one.hook == hook; });
    return found == calls_.end() ? nullptr : &*found;
}

double CallQueue::allowance(const std::string& hook, Instant now) const
{
    const auto known = allowances_.find(hook);
    if (known == allowances_.end()) {
        return burst;
    }
    const auto passed = std::max(now - known->second.at, Duration(0));
    return std::min<double>(burst, known->second.calls + std::chrono::duration<double>(passed) / between_calls);
}

const PendingCall* CallQueue::next(const std::string& hook, Instant now)
{
    const auto at = next_time(hook, now);
    return at && *at <= now ? first_of(hook) : nullptr;
}

std::optional<Instant> CallQueue::next_time(const std::string& hook, Instant now) const
{
    const auto* first = first_of(hook);
    if (first == nullptr) {
        return std::nullopt;
    }
    // A time further away than any wait was written before the wall clock was set back.
    const auto wait = first->next_try && *first->next_try - now <= longest_told_wait ? *first->next_try : now;
    const auto left = first->event == CallEvent::published ? 0 : 1 - allowance(hook, now);
    const auto refill = left <= 0 ? Duration(0) : std::chrono::duration_cast<Duration>(left * between_calls);
    return std::max(wait, now + refill);
}

void CallQueue::begin(std::uint64_t number, Instant now)
{
    if (auto* call = find(number)) {
        ++call->tries;
        call->next_try.reset();
        if (call->event != CallEvent::published) {
            allowances_[call->hook] = {allowance(call->hook, now) - 1, now};
        }
    }
}

void CallQueue::accepted(std::uint64_t number)
{
    std::erase_if(calls_, [&](const PendingCall& one) {
        bytes_ -= one.number == number ? one.body.size() : 0;
        return one.number == number;
    });
}

void CallQueue::postpone(PendingCall& call, Instant now, std::optional<Duration> told_wait, double random) const
{
    const auto tries = std::max(call.tries, 1U);
    const auto usual = Duration(static_cast<std::int64_t>(
        static_cast<double>(doubled(first_wait, tries - 1, longest_wait).count()) * (0.5 + random / 2)));
    call.next_try = now + (told_wait ? std::clamp<Duration>(*told_wait, 1s, longest_told_wait) : usual);
}

void CallQueue::failed(std::uint64_t number, Instant now, std::optional<Duration> told_wait, double random)
{
    if (auto* call = find(number)) {
        postpone(*call, now, told_wait, random);
    }
}

bool CallQueue::refused(std::uint64_t number, Instant now, double random)
{
    auto* const call = find(number);
    if (call == nullptr) {
        return false;
    }
    if (++call->refusals >= max_refusals) {
        accepted(number);
        ++dropped_;
        return true;
    }
    postpone(*call, now, std::nullopt, random);
    return false;
}

std::size_t CallQueue::drop_stale(const std::vector<std::string>& hooks, Instant now)
{
    const auto before = calls_.size();
    std::erase_if(calls_, [&](const PendingCall& one) {
        const bool is_known = std::find(hooks.begin(), hooks.end(), one.hook) != hooks.end();
        const bool goes = !is_known || now - one.made > max_age;
        bytes_ -= goes ? one.body.size() : 0;
        return goes;
    });
    return before - calls_.size();
}

std::vector<const PendingCall*> CallQueue::waiting_rounds(const std::string& hook) const
{
    std::vector<const PendingCall*> found;
    for (const auto& call : calls_) {
        if (call.hook == hook && call.event == CallEvent::published) {
            found.push_back(&call);
        }
    }
    return found;
}

std::size_t CallQueue::waiting(const std::string& hook) const
{
    return static_cast<std::size_t>(
        std::count_if(calls_.begin(), calls_.end(), [&](const PendingCall& one) { return one.hook == hook; }));
}

}  // namespace shelfd::control
