#include "sync/plan/rhythm.hpp"

#include "base/backoff.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

constexpr Duration first_distance = std::chrono::minutes(1);
constexpr Duration max_without_pages = std::chrono::minutes(15);
constexpr std::uint32_t max_stuck = 2;

}  // namespace

Rhythm::Rhythm(schedule::Schedule ordinary, std::optional<schedule::Schedule> full) : ordinary_{std::move(ordinary)}
{
    if (full) {
        full_.emplace(Line{std::move(*full)});
    }
}

Rhythm::Rhythm(schedule::Schedule ordinary, WindowPlan windows)
    : ordinary_{std::move(ordinary)}, windows_(std::make_shared<const WindowPlan>(std::move(windows)))
{
}

void Rhythm::begin(Instant now, std::optional<Instant> last, std::optional<Instant> last_full, double random)
{
    ordinary_.due = ordinary_.schedule.first_due(now, last, random);
    if (full_) {
        full_->due = full_->schedule.first_due(now, last_full, random);
    }
}

void Rhythm::try_again_at(Instant at)
{
    ordinary_.due = at;
    if (full_) {
        full_->due = std::max(full_->due, at);
    }
}

void Rhythm::Line::passed(Instant started, double random)
{
    due = std::exchange(first_pass, false) ? schedule.second_due(started, random)
                                           : schedule.next_due(due, started, random);
}

void Rhythm::passed(PassKind kind, Instant started, double random)
{
    ordinary_.passed(started, random);
    round_failures_ = 0;
    is_away_ = false;
    if (full_ && kind == PassKind::full) {
        full_->passed(started, random);
        full_failures_ = stuck_ = 0;
    }
}

void Rhythm::failed(PassKind kind, bool had_pages, Instant now)
{
    if (full_ && kind != PassKind::full && stuck_ >= max_stuck) {
        stuck_ = 0;
        is_away_ = true;
        full_->due = std::min(full_->due, now);
    }
    if (!full_ || kind != PassKind::full) {
        return;
    }
    const auto pace = ordinary_.schedule.pace();
    if (!had_pages) {
        full_->due = std::max(full_->due, now + pace);
    } else if (++full_failures_ >= 2) {  // the second pass may resume with the pages of the first
        full_->due = now + doubled(pace, full_failures_ - 2, full_->schedule.pace());
    }
}

void Rhythm::stuck(Instant now)
{
    if (full_ && !is_away_ && ++stuck_ >= max_stuck) {
        full_->due = std::max(full_->due, now + ordinary_.schedule.pace());
    }
}

void Rhythm::round_failed(bool had_pages, Instant now)
{
    const auto pace = ordinary_.schedule.pace();
    const auto most = had_pages ? pace : std::min(pace, max_without_pages);
    ordinary_.due = now + doubled(std::min(pace, first_distance), round_failures_++, most);
}

void Rhythm::clock_set_back(Instant now, Duration left, double random)
{
    const auto due_before = due();
    ordinary_.due = ordinary_.schedule.revised(ordinary_.due, now, left + (ordinary_.due - due_before), random);
    if (full_) {
        full_->due = full_->schedule.revised(full_->due, now, left + (full_->due - due_before), random);
    }
}

// A planned time in quiet hours comes at their end.
std::optional<Instant> Rhythm::late_at(Instant started) const
{
    const auto& schedule = ordinary_.schedule;
    if (quiet_.is_empty()) {
        return schedule.late_at(started);
    }
    const auto planned = schedule.late_at(started);
    return planned ? *planned + quiet_.longest() : quiet_.after(started, schedule.default_late_after());
}

Instant Rhythm::due() const
{
    return full_ ? std::min(ordinary_.due, full_->due) : ordinary_.due;
}

}  // namespace shelfd::sync
