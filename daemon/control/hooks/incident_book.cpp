#include "control/hooks/incident_book.hpp"

#include "base/backoff.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace shelfd::control {
namespace {

using namespace std::chrono_literals;

constexpr Duration longest_quiet = 1h;
constexpr Duration returns_within = 1h;
constexpr Duration momentary_life = 24h;

// "20261125-3": the day and a number that no other incident has.
std::string make_id(Instant now, std::uint64_t number)
{
    auto day = now.to_short_text().substr(0, 10);
    std::erase(day, '-');
    return fmt::format("{}-{}", day, number);
}

auto with_key(std::vector<Incident>& incidents, const std::string& key)
{
    return std::find_if(incidents.begin(), incidents.end(),
                        [&](const Incident& incident) { return incident.cause.key == key; });
}

// A time in the future was written before the wall clock was set back.
bool is_old(Instant at, Instant now, Duration life)
{
    return at > now || now - at >= life;
}

}  // namespace

Duration IncidentBook::quiet_time(const Incident& incident)
{
    return doubled(usual_quiet(incident.cause.kind), incident.returns, longest_quiet);
}

std::vector<Announcement> IncidentBook::update(const std::vector<Cause>& causes, const std::vector<HookRule>& rules,
                                               Instant now)
{
    started_ = std::min(started_, now);  // the wall clock may be set back
    std::vector<Announcement> out;
    for (const auto& cause : causes) {
        see(cause, now);
    }
    for (auto& incident : record_.open) {
        announce(incident, rules, now, out);
    }
    close(causes, rules, now, out);
    forget_old(now);
    changed_ = changed_ || !out.empty();
    return out;
}

// Passes have to be made before what an earlier process saw can be over.
bool IncidentBook::is_awaited(const Incident& incident, Instant now) const
{
    return now - started_ < settling && !seen_.contains(incident.cause.key);
}

void IncidentBook::see(const Cause& cause, Instant now)
{
    seen_.insert(cause.key);
    if (const auto known = with_key(record_.open, cause.key); known != record_.open.end()) {
        if (known->clear_since) {
            // It was absent, but not over yet: that is a return, too.
            known->returns += known->cause.momentary ? 0 : 1;
            known->clear_since.reset();
            changed_ = true;
        }
        if (!known->cause.momentary) {
            known->cause = cause;
        }
        return;
    }
    if (record_.open.size() >= max_open || reopen(cause, now)) {
        return;
    }
    Incident incident;
    incident.id = make_id(now, ++record_.last_number);
    incident.cause = cause;
    // Tables that are late for no other cause were perhaps late for one that has just ended.
    const bool begins_now = cause.momentary || cause.kind == CauseKind::late;
    incident.opened = begins_now ? now : std::min(cause.since.value_or(now), now);
    record_.open.push_back(std::move(incident));
    changed_ = true;
}

bool IncidentBook::reopen(const Cause& cause, Instant now)
{
    const auto known = with_key(record_.closed, cause.key);
    if (known == record_.closed.end()) {
        return false;
    }
    auto incident = std::move(*known);
    record_.closed.erase(known);
    incident.cause = cause;
    incident.opened = now;
    incident.clear_since.reset();
    ++incident.returns;
    record_.open.push_back(std::move(incident));
    changed_ = true;
    return true;
}

void IncidentBook::announce(Incident& incident, const std::vector<HookRule>& rules, Instant now,
                            std::vector<Announcement>& out)
{
    if (incident.clear_since) {
        return;
    }
    for (const auto& rule : rules) {
        auto view = view_of(incident.cause, rule);
        if (!view || is_silenced(*view, now)) {
            continue;
        }
        const auto told = incident.told.find(rule.name);
        const bool is_told = told != incident.told.end();
        auto event = CallEvent::opened;
        if (!is_told && now - incident.opened < patience_of(rule, incident.cause.kind)) {
            continue;
        }
        if (is_told && incident.cause.momentary) {
            continue;
        }
        if (is_told) {
            event = incident.cause.severity > told->second.severity ? CallEvent::escalated : CallEvent::repeated;
            // Set back, the wall clock must not keep a hook silent for longer than `repeat`.
            told->second.at = std::min(told->second.at, now);
        }
        if (event == CallEvent::repeated && now - told->second.at < rule.repeat) {
            continue;
        }
        incident.told[rule.name] = {now, incident.cause.severity};
        Announcement one{rule.name, event, incident};
        one.incident.cause = std::move(*view);
        out.push_back(std::move(one));
    }
}

void IncidentBook::close(const std::vector<Cause>& causes, const std::vector<HookRule>& rules, Instant now,
                         std::vector<Announcement>& out)
{
    for (auto at = record_.open.begin(); at != record_.open.end();) {
        auto& incident = *at;
        const bool is_seen = std::any_of(causes.begin(), causes.end(),
                                         [&](const Cause& cause) { return cause.key == incident.cause.key; });
        if (incident.cause.momentary && !is_seen && is_old(incident.opened, now, momentary_life)) {
            at = record_.open.erase(at);
            changed_ = true;
            continue;
        }
        if (is_seen || incident.cause.momentary || is_awaited(incident, now)) {
            ++at;
            continue;
        }
        if (!incident.clear_since || *incident.clear_since > now) {
            incident.clear_since = now;
            changed_ = true;
        }
        if (now - *incident.clear_since < quiet_time(incident)) {
            ++at;
            continue;
        }
        for (const auto& rule : rules) {
            if (incident.told.erase(rule.name) == 0) {
                continue;
            }
            Announcement one{rule.name, CallEvent::recovered, incident};
            auto all_words = rule;
            all_words.on = {std::string(to_string(incident.cause.kind))};  // it may have become milder meanwhile
            one.incident.cause = view_of(incident.cause, all_words).value_or(incident.cause);
            out.push_back(std::move(one));
        }
        incident.told.clear();
        seen_.erase(incident.cause.key);
        record_.closed.push_back(std::move(incident));
        at = record_.open.erase(at);
        changed_ = true;
    }
}

void IncidentBook::forget_old(Instant now)
{
    const auto count = record_.closed.size() + record_.silences.size();
    std::erase_if(record_.closed,
                  [now](const Incident& one) { return is_old(one.clear_since.value_or(now), now, returns_within); });
    std::erase_if(record_.silences, [now](const auto& silence) { return silence.second <= now; });
    changed_ = changed_ || count != record_.closed.size() + record_.silences.size();
}

void IncidentBook::silence(const std::string& library, Instant until, Instant now)
{
    if (until <= now) {
        record_.silences.erase(library);
    } else {
        record_.silences[library] = until;
    }
    changed_ = true;
}

bool IncidentBook::is_silenced(const Cause& cause, Instant now) const
{
    return std::all_of(cause.affected.begin(), cause.affected.end(), [&](const Affected& one) {
        const auto silence = record_.silences.find(one.library);
        return silence != record_.silences.end() && silence->second > now;
    });
}

}  // namespace shelfd::control
