#include "control/hooks/incident_book.hpp"

#include "base/backoff.hpp"
#include "control/hooks/carry_over.hpp"
#include "control/hooks/joined_ends.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::control {
namespace {

using namespace std::chrono_literals;

constexpr Duration longest_quiet = 1h;
constexpr Duration returns_within = 1h;
constexpr Duration momentary_life = 24h;

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
        carry_over(cause, causes);
        see(cause, now);
    }
    find_ends(causes, now);  // before that: what is over already is not announced
    for (auto& incident : record_.open) {
        incident.opened = std::min(incident.opened, now);
        announce(incident, rules, now, waiting, out);
    }
    close(causes, rules, now, out);
    forget_old(now);
    changed_ = changed_ || !out.empty();
    return out;
}

void IncidentBook::find_ends(const std::vector<Cause>& causes, Instant now)
{
    for (auto& incident : record_.open) {
        const auto& key = incident.cause.key;
        const bool is_seen = is_listed(causes, key);
        if (moved_.contains(key) && !is_seen) {
            changed_ = leave_out_well(incident, causes) || changed_;
        }
        const bool has_moved = incident.announced && control::has_moved(incident, causes);
        moved_.erase(key);
        if (has_moved) {
            moved_.insert(key);
        }
        const bool lasts = is_seen || has_moved || incident.cause.momentary || is_awaited(incident, now);
        if (!lasts && (!incident.clear_since || *incident.clear_since > now)) {
            incident.clear_since = now;
            changed_ = true;
        }
    }
}

// A cause that nobody was told of takes the place of one that its tables had before.
void IncidentBook::carry_over(const Cause& cause, const std::vector<Cause>& causes)
{
    const auto own = with_key(record_.open, cause.key);
    const bool has_own = own != record_.open.end();
    const auto former = find_former(record_.open, cause, causes, seen_);
    if (former == record_.open.end() || (has_own && own->announced)) {
        return;
    }
    forget(former->cause.key);
    former->cause.key = cause.key;
    changed_ = true;
    if (has_own) {
        former->opened = std::min(former->opened, own->opened);
        record_.open.erase(own);
    }
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
            if (known->announced) {
                note_named(*known);
            }
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
    add_left(cause, left->second);
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
    if (incident.clear_since || moved_.contains(incident.cause.key)) {
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
        if (!view || silenced_until(*view, record_.silences, now)) {
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
            const auto audible = without_silenced(*view, record_.silences, now);
            one.news = news_in(audible, told);
            note_news(told, audible, one.news, now);
            const bool waits = waiting.contains({rule.name, incident.id});
            const auto event = due_event(told, incident.cause, rule.repeat, waits, now);
            if (!event) {
                continue;
            }
            one.event = *event;
            told.changes += one.event == CallEvent::changed ? 1 : 0;
        }
        incident.announced = true;
        note_named(incident);
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
        const bool is_seen = is_listed(causes, incident.cause.key);
        if (incident.cause.momentary && !is_seen && is_old(incident.opened, now, momentary_life)) {
            incident.clear_since = incident.opened;
            remember(std::move(incident));
            at = record_.open.erase(at);
            continue;
        }
        if (is_seen || incident.cause.momentary || is_awaited(incident, now) || !incident.clear_since ||
            now - *incident.clear_since < quiet_time(incident)) {
            ++at;
            continue;
        }
        leave_out_taken(incident, causes);
        for (const auto& rule : rules) {
            if (const auto told = incident.told.extract(rule.name)) {
                out.push_back(end_of(incident, rule.name, full_view_of(widest_of(incident), rule), told.mapped()));
            }
        }
        forget(incident.cause.key);
        remember(std::move(incident));
        at = record_.open.erase(at);
    }
}

void IncidentBook::forget(const std::string& key)
{
    seen_.erase(key);
    unseen_.erase(key);
    left_.erase(key);
    moved_.erase(key);
}

void IncidentBook::remember(Incident incident)
{
    make_small(incident);
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

Instant IncidentBook::silence(const std::string& library, Instant until, Instant now)
{
    changed_ = true;
    return set_silence(record_.silences, library, until, now);
}

void IncidentBook::follow(const std::map<std::string, std::string>& former)
{
    for (const auto& [present, name] : former) {
        for (auto& incident : record_.open) {
            changed_ = rename_named(incident, name, present) || changed_;
        }
        if (const auto silence = record_.silences.extract(name)) {
            record_.silences.try_emplace(present, silence.mapped());
            changed_ = true;
        }
        for (auto& incident : record_.closed) {
            changed_ = rename(incident.cause, name, present) || changed_;
        }
    }
}

}  // namespace shelfd::control
