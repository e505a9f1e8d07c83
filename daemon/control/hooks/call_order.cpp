#include "control/hooks/call_order.hpp"

#include <map>
#include <tuple>
#include <utility>

namespace shelfd::control {
namespace {

constexpr int urgency_of_rounds = least_urgency - 1;

}  // namespace

bool is_same(const PendingCall& one, const PendingCall& other)
{
    return one.hook == other.hook && one.incident == other.incident;
}

bool is_alert(CallEvent event)
{
    return event == CallEvent::opened || event == CallEvent::changed || event == CallEvent::escalated ||
           event == CallEvent::repeated;
}

bool is_untried_alert(const PendingCall& call)
{
    return call.tries == 0 && is_alert(call.event);
}

bool is_held(const PendingCall& call, Instant now)
{
    return call.held_until > now || call.silent_until > now;
}

bool goes_with_end(const PendingCall& call)
{
    return call.tries == 0 || (call.silent_until && call.next_try);
}

void hold_silent(std::vector<PendingCall>& calls, const std::string& hook, const std::string& incident,
                 std::optional<Instant> until)
{
    for (auto& call : calls) {
        if (call.hook == hook && call.incident == incident && is_alert(call.event)) {
            call.silent_until = until;
        }
    }
}

std::set<std::pair<std::string, std::string>> untried_alerts(const std::vector<PendingCall>& calls)
{
    std::set<std::pair<std::string, std::string>> found;
    for (const auto& call : calls) {
        if (is_untried_alert(call)) {
            found.emplace(call.hook, call.incident);
        }
    }
    return found;
}

int urgency_of(const PendingCall& call)
{
    if (call.event == CallEvent::recovered) {
        return least_urgency;
    }
    if (call.event == CallEvent::published) {
        return urgency_of_rounds;
    }
    const int severity = static_cast<int>(Severity::page) - static_cast<int>(call.severity);
    return 2 * severity + (call.event == CallEvent::repeated ? 1 : 0);
}

CallKind kind_of(int urgency)
{
    return urgency == least_urgency       ? CallKind::recovered
           : urgency == urgency_of_rounds ? CallKind::rounds
           : urgency <= 1                 ? CallKind::page
                                          : CallKind::news;
}

std::optional<std::size_t> least_important(const std::vector<PendingCall>& calls)
{
    std::map<std::pair<std::string, std::string>, std::uint64_t> newest;
    for (const auto& call : calls) {
        newest[{call.hook, call.incident}] = call.number;
    }
    using Rank = std::tuple<Severity, bool, std::uint64_t>;
    std::optional<std::size_t> found;
    std::optional<Rank> lowest;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const auto& call = calls[i];
        const bool is_made_now = call.tries > 0 && !call.next_try;
        const Rank rank{call.severity, newest[{call.hook, call.incident}] == call.number, call.number};
        if (!is_made_now && (!lowest || rank < *lowest)) {
            lowest = rank;
            found = i;
        }
    }
    return found;
}

}  // namespace shelfd::control
