#include "control/hooks/incident_book.hpp"

#include "base/backoff.hpp"
#include "control/hooks/joined_ends.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::control {
namespace {

using namespace std::chrono_literals;

constexpr Duration longest_quiet = 1h;
constexpr Duration returns_within = 1h;
constexpr Duration momentary_life = 24h;

auto with_key(std::vector<Incident>& incidents, const std::string& key)
{
    return std::find_if(incidents.begin(), incidents.end(),
                        [&](const Incident& incident) { return incident.cause.key == key; });
}

// Empty if nothing is to be announced. `waits`: a call of the hook was not tried yet, and will say all.
std::optional<CallEvent> due_event(const Told& told, const Cause& cause, const HookRule& rule, bool waits, Instant now)
{
    if (cause.severity > told.severity) {
        return CallEvent::escalated;
    }
    if (waits) {
        return std::nullopt;
    }
    if (now - told.at >= rule.repeat) {
        return told.news > 0 ? CallEvent::changed : CallEvent::repeated;
    }
    return is_time_for_news(told, now) ? std::optional(CallEvent::changed) : std::nullopt;
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

IncidentBook::IncidentBook(Record record, Instant now) : record_(std::move(record)), started_(now)
{
    for (auto& incident : record_.open) {
        if (!incident.cause.momentary) {
            unseen_[incident.cause.key] = incident.cause.affected;
            left_[incident.cause.key] = incident.cause.affected;
        }
        for (auto& [hook, told] : incident.told) {
            for (auto& [member, affected_last] : told.members) {
                affected_last = now;
            }
        }
    }
}

std::vector<Announcement> IncidentBook::update(const std::vector<Cause>& causes, const std::vector<HookRule>& rules,
                                               Instant now, const Waiting& waiting, const Looked& looked)
{
    started_ = std::min(started_, now);  // the wall clock may be set back
    std::vector<Announcement> out;
    settle(looked);
    for (const auto& cause : causes) {
        see(cause, now);
    }
    // Before that: what is over already is not announced.
    for (auto& incident : record_.open) {
        const bool is_seen = std::any_of(causes.begin(), causes.end(),
                                         [&](const Cause& cause) { return cause.key == incident.cause.key; });
        const bool lasts = is_seen || incident.cause.momentary || is_awaited(incident, now);
        if (!lasts && (!incident.clear_since || *incident.clear_since > now)) {
            incident.clear_since = now;
            changed_ = true;
        }
    }
    for (auto& incident : record_.open) {
        announce(incident, rules, now, waiting, out);
    }
    close(causes, rules, now, out);
    forget_old(now);
    changed_ = changed_ || !out.empty();
    return out;
}

void IncidentBook::settle(const Looked& looked)
{
    for (const auto& incident : record_.open) {
        const auto left = looked ? unseen_.find(incident.cause.key) : unseen_.end();
        if (left == unseen_.end()) {
            continue;
        }
        std::erase_if(left->second, [&](const Affected& one) { return looked(incident.cause, one); });
        if (left->second.empty()) {
            seen_.insert(left->first);
            unseen_.erase(left);
        }
    }
}

// Passes have to be made before what an earlier process saw can be over, unless that process no longer saw it.
bool IncidentBook::is_awaited(const Incident& incident, Instant now) const
{
    return now - started_ < settling && !incident.clear_since && !seen_.contains(incident.cause.key);
}

void IncidentBook::see(Cause cause, Instant now)
{
    seen_.insert(cause.key);
    if (const auto known = with_key(record_.open, cause.key); known != record_.open.end()) {
        if (known->clear_since) {
            begin_again(*known, cause);
            left_.erase(cause.key);
            changed_ = true;
        }
        if (!known->cause.momentary) {
            if (const auto left = left_.find(cause.key); left != left_.end()) {
                recall_begin(cause, left->second);
            }
            add_unseen(cause, now);
            sort_by_library(cause.affected);
            changed_ = changed_ || !is_same_extent(known->cause, cause);
            known->cause = std::move(cause);
        }
        return;
    }
    // Pages get room of their own.
    const auto room = cause.severity == Severity::page ? 2 * max_open : max_open;
    if (record_.open.size() >= room || reopen(cause, now)) {
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

// After a start the passes of some libraries have not been made yet.
void IncidentBook::add_unseen(Cause& cause, Instant now)
{
    const auto left = unseen_.find(cause.key);
    if (left == unseen_.end()) {
        return;
    }
    if (now - started_ >= settling) {
        unseen_.erase(left);
        return;
    }
    std::erase_if(left->second, [&cause](const Affected& before) {
        return std::any_of(cause.affected.begin(), cause.affected.end(),
                           [&before](const Affected& one) { return one.library == before.library; });
    });
    cause.affected.insert(cause.affected.end(), left->second.begin(), left->second.end());
}

bool IncidentBook::reopen(const Cause& cause, Instant now)
{
    const auto known = std::find_if(record_.closed.begin(), record_.closed.end(), [&](const Incident& one) {
        return one.cause.key == cause.key && !is_old(one.clear_since.value_or(now), now, returns_within);
    });
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

void IncidentBook::announce(Incident& incident, const std::vector<HookRule>& rules, Instant now, const Waiting& waiting,
                            std::vector<Announcement>& out)
{
    if (incident.clear_since) {
        return;
    }
    for (const auto& rule : rules) {
        if (const auto told = incident.told.find(rule.name); told != incident.told.end()) {
            if (auto end = end_for(incident, rule, told->second, now, quiet_time(incident))) {
                out.push_back(std::move(*end));
                incident.told.erase(told);
                continue;
            }
        }
        auto view = view_of(incident.cause, rule);
        if (!view || is_silenced(*view, now)) {
            continue;
        }
        Announcement one{rule.name, CallEvent::opened, {}};
        const auto known = incident.told.find(rule.name);
        if (known == incident.told.end()) {
            if (now - incident.opened < patience_of(rule, incident.cause.kind)) {
                continue;
            }
        } else if (incident.cause.momentary) {
            continue;
        } else {
            auto& told = known->second;
            // Set back, the wall clock must not keep a hook silent for longer than `repeat`.
            told.at = std::min(told.at, now);
            const auto audible = without_silenced(*view, now);
            one.news = news_in(audible, told);
            note_news(told, audible, one.news, now);
            const auto event = due_event(told, incident.cause, rule, waiting.contains({rule.name, incident.id}), now);
            if (!event) {
                continue;
            }
            one.event = *event;
            told.changes += one.event == CallEvent::changed ? 1 : 0;
        }
        incident.announced = true;
        auto& told = incident.told[rule.name];
        told.at = now;
        told.severity = incident.cause.severity;
        one.incident = incident;
        one.incident.cause = std::move(*view);
        out.push_back(std::move(one));
    }
}

std::optional<Announcement> IncidentBook::tell(const HookRule& rule, const std::string& incident, CallEvent event,
                                               Instant now)
{
    const auto found =
        std::find_if(record_.open.begin(), record_.open.end(), [&](const Incident& one) { return one.id == incident; });
    if (found == record_.open.end() || !found->told.contains(rule.name)) {
        return std::nullopt;
    }
    auto& told = found->told.at(rule.name);
    Announcement one{rule.name, event, *found};
    one.incident.cause = full_view_of(found->cause, rule);
    one.news = news_in(one.incident.cause, told);
    control::tell(told, one.incident.cause, now);
    changed_ = true;
    return one;
}

void IncidentBook::accept(const std::string& hook, const std::string& incident, Instant now)
{
    for (auto& one : record_.open) {
        if (const auto told = one.told.find(hook); one.id == incident && told != one.told.end()) {
            told->second.accepted = now;
            changed_ = true;
        }
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
            incident.clear_since = incident.opened;
            remember(std::move(incident));
            at = record_.open.erase(at);
            continue;
        }
        if (is_seen || incident.cause.momentary || is_awaited(incident, now) ||
            now - *incident.clear_since < quiet_time(incident)) {
            ++at;
            continue;
        }
        for (const auto& rule : rules) {
            if (const auto told = incident.told.extract(rule.name)) {
                out.push_back(end_of(incident, rule.name, full_view_of(incident.cause, rule), told.mapped()));
            }
        }
        seen_.erase(incident.cause.key);
        unseen_.erase(incident.cause.key);
        left_.erase(incident.cause.key);
        remember(std::move(incident));
        at = record_.open.erase(at);
    }
}

void IncidentBook::remember(Incident incident)
{
    incident.told.clear();
    keep_names(incident.cause);
    record_.closed.push_back(std::move(incident));
    changed_ = true;
}

void IncidentBook::forget_old(Instant now)
{
    const auto count = record_.closed.size() + record_.silences.size();
    std::erase_if(record_.closed, [now](const Incident& one) {
        return is_old(one.clear_since.value_or(now), now, one.announced ? remembered : returns_within);
    });
    keep_latest(record_.closed, now - returns_within, max_remembered);
    std::erase_if(record_.silences, [now](const auto& silence) { return silence.second <= now; });
    changed_ = changed_ || count != record_.closed.size() + record_.silences.size();
}

void IncidentBook::silence(const std::string& library, Instant until, Instant now)
{
    record_.silences[library] = until;
    std::erase_if(record_.silences, [now](const auto& silence) { return silence.second <= now; });
    changed_ = true;
}

void IncidentBook::follow(const std::map<std::string, std::string>& former)
{
    for (const auto& [present, name] : former) {
        if (const auto silence = record_.silences.extract(name)) {
            record_.silences.try_emplace(present, silence.mapped());
            changed_ = true;
        }
        for (auto& incident : record_.closed) {
            changed_ = rename(incident.cause, name, present) || changed_;
        }
    }
}

// Without the libraries that are silenced.
Cause IncidentBook::without_silenced(Cause cause, Instant now) const
{
    std::erase_if(cause.affected, [&](const Affected& one) {
        const auto silence = record_.silences.find(one.library);
        return silence != record_.silences.end() && silence->second > now;
    });
    return cause;
}

bool IncidentBook::is_silenced(const Cause& cause, Instant now) const
{
    return without_silenced(cause, now).affected.empty();
}

}  // namespace shelfd::control
