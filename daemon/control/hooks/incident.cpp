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

// What it was about at its end is told, whichever library comes first.
void tell_first(Cause& cause)
{
    const auto told = std::find_if(cause.affected.begin(), cause.affected.end(),
                                   [](const Affected& one) { return !one.why.empty(); });
    if (told != cause.affected.end() && told != cause.affected.begin()) {
        cause.affected.front().why = told->why;
    }
}

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

std::vector<Incident>::iterator with_key(std::vector<Incident>& incidents, const std::string& key)
{
    return std::find_if(incidents.begin(), incidents.end(),
                        [&](const Incident& incident) { return incident.cause.key == key; });
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

void add_left(Cause& cause, std::vector<Affected>& left)
{
    std::erase_if(left, [&cause](const Affected& before) {
        return std::any_of(cause.affected.begin(), cause.affected.end(),
                           [&before](const Affected& one) { return one.library == before.library; });
    });
    cause.affected.insert(cause.affected.end(), left.begin(), left.end());
}

std::optional<CallEvent> due_event(const Told& told, const Cause& cause, Duration repeat, bool waits, Instant now)
{
    if (cause.severity > told.severity) {
        return CallEvent::escalated;
    }
    if (waits) {
        return std::nullopt;
    }
    if (now - told.at >= repeat) {
        return told.news > 0 ? CallEvent::changed : CallEvent::repeated;
    }
    return is_time_for_news(told, now) ? std::optional(CallEvent::changed) : std::nullopt;
}

Announcement end_of(const Incident& incident, const std::string& hook, Cause view, const Told& told)
{
    Announcement one{hook, CallEvent::recovered, incident};
    one.incident.cause = std::move(view);
    one.incident.cause.severity = told.severity;
    tell_first(one.incident.cause);
    for (auto& affected : one.incident.cause.affected) {
        const auto deadline = told.deadlines.find(affected.library);
        affected.deadline = deadline == told.deadlines.end() ? std::nullopt : std::optional(deadline->second);
    }
    for (const auto& [library, deadline] : told.deadlines) {
        take_earlier(one.deadline, deadline);
    }
    return one;
}

void note_named(Incident& incident)
{
    for (const auto& one : incident.cause.affected) {
        if (!one.library.empty()) {
            incident.named[one.library].insert(one.tables.begin(), one.tables.end());
        }
    }
}

Cause widest_of(const Incident& incident)
{
    auto cause = incident.cause;
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < cause.affected.size(); ++i) {
        known.emplace(cause.affected[i].library, i);
    }
    for (const auto& [library, tables] : incident.named) {
        const auto [at, is_new] = known.emplace(library, cause.affected.size());
        if (is_new) {
            cause.affected.emplace_back().library = library;
        }
        auto& listed = cause.affected[at->second].tables;
        for (const auto& table : tables) {
            if (std::find(listed.begin(), listed.end(), table) == listed.end()) {
                listed.push_back(table);
            }
        }
    }
    sort_by_library(cause.affected);
    return cause;
}

Cause without_silenced(Cause cause, const std::map<std::string, Instant>& silences, Instant now)
{
    std::erase_if(cause.affected, [&](const Affected& one) {
        const auto silence = silences.find(one.library);
        return silence != silences.end() && silence->second > now;
    });
    return cause;
}

std::optional<Instant> silenced_until(const Cause& cause, const std::map<std::string, Instant>& silences, Instant now)
{
    std::optional<Instant> first;
    for (const auto& one : cause.affected) {
        const auto silence = silences.find(one.library);
        if (silence == silences.end() || silence->second <= now) {
            return std::nullopt;
        }
        take_earlier(first, std::optional(silence->second));
    }
    return first;
}

Instant set_silence(std::map<std::string, Instant>& silences, const std::string& library, Instant until, Instant now)
{
    auto& end = silences.try_emplace(library, until).first->second;
    end = until > now ? std::max(end, until) : until;
    const auto silent_until = end;
    std::erase_if(silences, [now](const auto& silence) { return silence.second <= now; });
    return silent_until;
}

void make_small(Incident& incident)
{
    auto& cause = incident.cause;
    cause = widest_of(incident);
    incident.told.clear();
    incident.named.clear();
    incident.library_count = static_cast<std::size_t>(std::count_if(
        cause.affected.begin(), cause.affected.end(), [](const Affected& one) { return !one.library.empty(); }));
    constexpr std::size_t most = 100;
    tell_first(cause);
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

bool rename_named(Incident& incident, const std::string& library, const std::string& present)
{
    auto named = incident.named.extract(library);
    if (!named) {
        return false;
    }
    incident.named[present].merge(named.mapped());
    return true;
}

bool is_old(Instant at, Instant now, Duration life)
{
    return at > now || now - at >= life;
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
