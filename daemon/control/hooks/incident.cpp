#include "control/hooks/incident.hpp"

#include "base/state/earliest.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace shelfd::control {
namespace {

constexpr std::array<std::string_view, 7> events = {"opened", "repeated",  "escalated", "recovered",
                                                    "test",   "published", "changed"};

}  // namespace

std::string_view to_string(CallEvent event)
{
    return events[static_cast<std::size_t>(event)];
}

std::optional<CallEvent> parse_call_event(std::string_view word)
{
    const auto found = std::find(events.begin(), events.end(), word);
    return found == events.end() ? std::nullopt : std::optional(static_cast<CallEvent>(found - events.begin()));
}

std::string make_id(Instant now, std::uint64_t number)
{
    auto day = now.to_short_text().substr(0, 10);
    std::erase(day, '-');
    return fmt::format("{}-{}", day, number);
}

bool is_same_extent(const Cause& a, const Cause& b)
{
    return a.kind == b.kind && a.severity == b.severity &&
           std::equal(a.affected.begin(), a.affected.end(), b.affected.begin(), b.affected.end(),
                      [](const Affected& one, const Affected& other) {
                          return one.library == other.library && one.tables == other.tables &&
                                 one.since.has_value() == other.since.has_value();
                      });
}

void begin_again(Incident& incident, const Cause& cause)
{
    incident.returns += incident.cause.momentary ? 0 : 1;
    incident.clear_since.reset();
    // What ends only if somebody acts does not flicker: this is another case, such as a set that was imported and lost.
    if (who_can_act(cause.kind) == "owner" && cause.since) {
        incident.opened = std::max(incident.opened, *cause.since);
    }
}

void recall_begin(Cause& cause, const std::vector<Affected>& left)
{
    for (auto& affected : cause.affected) {
        const auto before = std::find_if(left.begin(), left.end(),
                                         [&affected](const Affected& one) { return one.library == affected.library; });
        if (before != left.end()) {
            take_earlier(affected.since, before->since);
            take_earlier(cause.since, before->since);
        }
    }
}

Announcement end_of(const Incident& incident, const std::string& hook, Cause view, const Told& told)
{
    Announcement one{hook, CallEvent::recovered, incident};
    one.incident.cause = std::move(view);
    one.incident.cause.severity = told.severity;
    for (auto& affected : one.incident.cause.affected) {
        const auto deadline = told.deadlines.find(affected.library);
        affected.deadline = deadline == told.deadlines.end() ? std::nullopt : std::optional(deadline->second);
    }
    for (const auto& [library, deadline] : told.deadlines) {
        take_earlier(one.deadline, deadline);
    }
    return one;
}

void keep_names(Cause& cause)
{
    constexpr std::size_t most = 100;
    if (cause.affected.size() > most) {
        cause.affected.resize(most);
    }
    for (std::size_t i = 0; i < cause.affected.size(); ++i) {
        auto& one = cause.affected[i];
        Affected name;
        name.library = std::move(one.library);
        name.why = i == 0 ? std::move(one.why) : "";
        one = std::move(name);
    }
}

void keep_latest(std::vector<Incident>& closed, Instant end, std::size_t most)
{
    const auto is_early = [end](const Incident& one) { return one.clear_since && *one.clear_since < end; };
    auto early = static_cast<std::size_t>(std::count_if(closed.begin(), closed.end(), is_early));
    std::erase_if(closed, [&](const Incident& one) { return is_early(one) && early-- > most; });
}

bool rename(Cause& cause, const std::string& library, const std::string& present)
{
    bool is_named = false;
    for (auto& one : cause.affected) {
        if (one.library == library) {
            one.library = present;
            is_named = true;
        }
    }
    return is_named;
}

}  // namespace shelfd::control
