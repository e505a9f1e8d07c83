#include "control/hooks/call_queue.hpp"

#include "base/backoff.hpp"
#include "control/hooks/round_call.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace shelfd::control {
namespace {

using namespace std::chrono_literals;

constexpr Duration first_wait = 10s;
constexpr Duration longest_wait = 15min;
constexpr Duration longest_told_wait = 1h;
constexpr std::size_t max_joined = 256U << 10U;  // of the bodies that are joined

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
        make_room();  // news may be longer than what they replace
        return;
    }
    if (call.severity == Severity::page && is_alert(call.event)) {
        for (auto& before : calls_) {
            before.next_try = is_same(before, call) ? std::nullopt : before.next_try;
        }
    }
    call.number = ++last_number_;
    bytes_ += call.body.size();
    calls_.push_back(std::move(call));
    make_room();
}

void CallQueue::make_room()
{
    while (calls_.size() > max_calls || bytes_ > max_bytes) {
        const auto at = least_important(calls_);
        if (!at) {
            return;
        }
        const auto gone = calls_.begin() + static_cast<std::ptrdiff_t>(*at);
        bytes_ -= gone->body.size();
        gone->body.clear();
        crowded_out_.push_back(std::move(*gone));
        calls_.erase(gone);
        ++dropped_;
    }
}

// True when nothing is left to be added.
bool CallQueue::merge(PendingCall& call)
{
    const auto last =
        std::find_if(calls_.rbegin(), calls_.rend(), [&](const PendingCall& one) { return is_same(one, call); });
    if (last == calls_.rend() || call.event == CallEvent::test || call.event == CallEvent::opened) {
        return false;
    }
    if (call.event == CallEvent::repeated) {
        return true;
    }
    if (call.event == CallEvent::recovered) {
        return merge_end(call);
    }
    if (last->tries > 0 || last->event == CallEvent::recovered) {
        return false;
    }
    auto body = call.event == CallEvent::published ? join_rounds(last->body, call.body) : std::move(call.body);
    if (last->event == CallEvent::repeated ||
        (is_alert(last->event) && last->event != CallEvent::opened && call.event == CallEvent::escalated)) {
        last->event = call.event;
    }
    render(last->number, std::move(body), call.severity);
    return true;
}

// What was not tried yet is not told any more; nor is the end of it, if nobody may have heard of the beginning.
bool CallQueue::merge_end(const PendingCall& end)
{
    bool may_be_known = false;
    bool has_beginning = false;
    for (const auto& one : calls_) {
        if (is_same(one, end)) {
            // An end that waits tells of a beginning that was accepted.
            may_be_known = may_be_known || one.tries > 0 || one.event == CallEvent::recovered;
            has_beginning = has_beginning || one.event == CallEvent::opened;
        }
    }
    std::erase_if(calls_, [&](const PendingCall& one) {
        const bool goes = is_same(one, end) && goes_with_end(one);
        bytes_ -= goes ? one.body.size() : 0;
        return goes;
    });
    return has_beginning && !may_be_known;
}

void CallQueue::render(std::uint64_t number, std::string body, Severity severity)
{
    if (auto* call = find(number)) {
        bytes_ = bytes_ - call->body.size() + body.size();
        call->body = std::move(body);
        call->severity = severity;
    }
}

void CallQueue::withdraw(std::uint64_t number)
{
    std::erase_if(calls_, [&](const PendingCall& one) {
        bytes_ -= one.number == number ? one.body.size() : 0;
        return one.number == number;
    });
}

PendingCall* CallQueue::find(std::uint64_t number)
{
    const auto found =
        std::find_if(calls_.begin(), calls_.end(), [&](const PendingCall& one) { return one.number == number; });
    return found == calls_.end() ? nullptr : &*found;
}

// The next call of each kind.
CallQueue::Heads CallQueue::heads(const std::string& hook, Instant now) const
{
    struct Line {
        const PendingCall* first = nullptr;
        int urgency = least_urgency;
    };
    std::map<std::string_view, Line> lines;  // by incident
    for (const auto& call : calls_) {
        if (call.hook == hook) {
            auto& line = lines[call.incident];
            line.first = line.first == nullptr ? &call : line.first;
            line.urgency = std::min(line.urgency, urgency_of(call));
        }
    }
    Heads heads{};
    std::array<int, kinds> urgencies{};
    for (const auto& [incident, line] : lines) {
        if (is_held(*line.first, now)) {
            continue;
        }
        const auto kind = static_cast<std::size_t>(kind_of(line.urgency));
        if (heads[kind] == nullptr ||
            std::pair(line.urgency, line.first->number) < std::pair(urgencies[kind], heads[kind]->number)) {
            heads[kind] = line.first;
            urgencies[kind] = line.urgency;
        }
    }
    return heads;
}

CallQueue::Kind CallQueue::effective_kind(const PendingCall& call) const
{
    auto urgency = least_urgency;
    for (const auto& one : calls_) {
        urgency = is_same(one, call) ? std::min(urgency, urgency_of(one)) : urgency;
    }
    return kind_of(urgency);
}

double CallQueue::allowance(const std::string& hook, Kind kind, Instant now) const
{
    const auto known = allowances_.find({hook, kind});
    if (known == allowances_.end()) {
        return burst;
    }
    const auto passed = std::max(now - known->second.at, Duration(0));
    return std::min<double>(burst, known->second.calls + std::chrono::duration<double>(passed) / between_calls);
}

Instant CallQueue::wait_of(const PendingCall& call, Instant now)
{
    // A time further away than any wait was written before the wall clock was set back.
    return call.next_try && *call.next_try - now <= longest_told_wait ? *call.next_try : now;
}

Instant CallQueue::due_at(const PendingCall& call, Kind kind, Instant now) const
{
    const auto left = kind == Kind::rounds ? 0 : 1 - allowance(call.hook, kind, now);
    const auto refill = left <= 0 ? Duration(0) : std::chrono::duration_cast<Duration>(left * between_calls);
    return std::max(wait_of(call, now), now + refill);
}

const PendingCall* CallQueue::next(const std::string& hook, Instant now)
{
    notice_clock(now);
    const auto all = heads(hook, now);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        if (all[kind] != nullptr && due_at(*all[kind], static_cast<Kind>(kind), now) <= now) {
            return all[kind];
        }
    }
    return nullptr;
}

std::optional<Instant> CallQueue::next_time(const std::string& hook, Instant now) const
{
    std::optional<Instant> first;
    const auto all = heads(hook, now);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        if (all[kind] != nullptr) {
            const auto at = due_at(*all[kind], static_cast<Kind>(kind), now);
            first = first ? std::min(*first, at) : at;
        }
    }
    return first;
}

std::vector<PendingCall> CallQueue::together_with(const PendingCall& first, Instant now) const
{
    std::vector<PendingCall> joined{first};
    if (first.event != CallEvent::recovered || first.refusals > 0 || effective_kind(first) != Kind::recovered) {
        return joined;
    }
    std::size_t bytes = first.body.size();
    for (const auto& call : calls_) {
        const bool is_end = call.event == CallEvent::recovered && call.hook == first.hook &&
                            call.number != first.number && call.refusals == 0 && wait_of(call, now) <= now;
        // Nothing of its incident goes before it, or follows it and is more urgent.
        if (is_end && bytes + call.body.size() <= max_joined && oldest(call.hook, call.incident) == &call &&
            effective_kind(call) == Kind::recovered) {
            bytes += call.body.size();
            joined.push_back(call);
        }
    }
    const bool would_wait = static_cast<double>(joined.size()) > allowance(first.hook, Kind::recovered, now);
    joined.resize(would_wait || first.tries > 0 ? joined.size() : 1);
    return joined;
}

void CallQueue::begin(std::uint64_t number, Instant now)
{
    if (auto* call = find(number)) {
        ++call->tries;
        call->next_try.reset();
        if (const auto kind = effective_kind(*call); kind != Kind::rounds) {
            allowances_[{call->hook, kind}] = {allowance(call->hook, kind, now) - 1, now};
        }
    }
}

void CallQueue::begin(const std::vector<PendingCall>& calls, Instant now)
{
    begin(calls.front().number, now);
    for (const auto& joined : calls) {
        if (auto* call = joined.number == calls.front().number ? nullptr : find(joined.number)) {
            ++call->tries;
            call->next_try.reset();
        }
    }
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

void CallQueue::hold_untried(std::optional<Instant> until, const std::string& incident)
{
    for (auto& call : calls_) {
        const bool is_meant = is_untried_alert(call) && (incident.empty() || call.incident == incident);
        call.held_until = is_meant ? until : call.held_until;
    }
}

void CallQueue::try_now(const std::string& hook, Instant now)
{
    for (auto& call : calls_) {
        call.next_try = call.hook == hook && call.next_try ? std::optional(now) : call.next_try;
    }
}

std::size_t CallQueue::drop_stale(const std::vector<std::string>& hooks, Instant now)
{
    const auto before = calls_.size();
    std::erase_if(calls_, [&](const PendingCall& one) {
        const bool is_known = std::find(hooks.begin(), hooks.end(), one.hook) != hooks.end();
        const bool is_old = now - one.made > max_age;
        const bool goes = !is_known || is_old;
        dropped_ += is_known && is_old ? 1 : 0;
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

const PendingCall* CallQueue::oldest(const std::string& hook, const std::optional<std::string>& incident) const
{
    const auto found = std::find_if(calls_.begin(), calls_.end(), [&](const PendingCall& one) {
        return one.hook == hook && (!incident || one.incident == *incident);
    });
    return found == calls_.end() ? nullptr : &*found;
}

std::size_t CallQueue::waiting(const std::string& hook) const
{
    return static_cast<std::size_t>(
        std::count_if(calls_.begin(), calls_.end(), [&](const PendingCall& one) { return one.hook == hook; }));
}

}  // namespace shelfd::control
