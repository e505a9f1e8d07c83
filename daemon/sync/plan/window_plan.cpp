#include "sync/plan/window_plan.hpp"

#include "base/backoff.hpp"

#include <algorithm>

namespace shelfd::sync {
namespace {

using schedule::lateness;

// One number for all windows after the current one, the same every day, so that their failures add up.
constexpr std::int64_t number_ahead = -1;
// The longest pause between two walks of a window that fails every time.
constexpr Duration max_pause = std::chrono::hours(24);
// A row that left its window, with no trace where it went, costs a walk over every other window. With this time for
// each window between two such searches they take at most a tenth of 100 requests a minute, however often rows leave.
constexpr Duration for_each_seek = std::chrono::seconds(6);

}  // namespace

Instant Repetition::after(Instant proven) const
{
    if (const auto* interval = std::get_if<Duration>(&rhythm_)) {
        return proven + *interval;
    }
    return std::get<schedule::PlannedTimes>(rhythm_).next_after(proven);
}

schedule::Window WindowPlan::window(std::int64_t number) const
{
    while (cut_.size() <= static_cast<std::size_t>(number)) {
        cut_.push_back(settings_.windows.window(static_cast<std::int64_t>(cut_.size())));
    }
    return cut_[static_cast<std::size_t>(number)];
}

bool WindowPlan::is_settled(const schedule::Window& window, const WindowStanding& standing) const
{
    return standing.proven && *standing.proven >= window.to + lateness;
}

std::vector<WindowChoice> WindowPlan::recent(Instant now, const Known& known) const
{
    const WindowStandings ledger(known);
    // A round ends at its first failure, so windows that failed come last, the newest failure at the end.
    std::vector<std::pair<Instant, WindowChoice>> chosen;
    const auto current = settings_.windows.at(now);
    for (auto number = current.number; number >= 0; --number) {
        const auto window = this->window(number);
        if (window.is_empty()) {
            continue;
        }
        auto standing = ledger.of(window);
        // Windows never proven are loaded later; the current one is what readers look at.
        if (number == current.number || (standing.proven && !is_settled(window, standing))) {
            const auto failed = failed_at(window, standing, now).value_or(Instant());
            chosen.push_back({failed, {window, WindowReason::recent, std::move(standing.key_set)}});
        }
    }
    std::stable_sort(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<WindowChoice> ordered;
    for (auto& [failed, choice] : chosen) {
        ordered.push_back(std::move(choice));
    }
    return ordered;
}

// Planned times use our clock. If the service's clock is slow, the walk made at a planned time is as of a moment before
// it, and the same time would make it due again.
Instant WindowPlan::proven_by_our_clock(const WindowStanding& standing, Instant now)
{
    const bool is_last = standing.walked == standing.proven;
    const bool counts = is_last && standing.asked && *standing.asked <= now;
    return counts ? std::max(*standing.proven, *standing.asked) : *standing.proven;
}

Duration WindowPlan::between_seeks(Instant now) const
{
    const Duration tour = for_each_seek * (settings_.windows.at(now).number + 1);
    return std::clamp<Duration>(tour, std::min(settings_.pause, max_pause), max_pause);
}

// Empty for a window that ordinary rounds walk, or that need not be walked again.
std::optional<WindowPlan::Due> WindowPlan::due(const schedule::Window& window, const WindowStanding& standing,
                                               Instant now) const
{
    if (window.is_empty() || (standing.proven && !is_settled(window, standing))) {
        return std::nullopt;
    }
    Due due{{window, WindowReason::load, standing.key_set}, now, standing.proven};
    if (standing.proven) {
        const bool within = window.to + settings_.back > now;
        const bool settles = settings_.settle && (!settings_.settle_back || window.to + *settings_.settle_back > now);
        if (!within && !settles && !standing.waits && !standing.sought) {
            return std::nullopt;
        }
        const auto proven = proven_by_our_clock(standing, now);
        due.choice.reason = within || standing.waits ? WindowReason::again
                            : settles                ? WindowReason::settle
                                                     : WindowReason::seek;
        if (!standing.waits) {
            due.at = within    ? settings_.again.after(proven)
                     : settles ? settings_.settle->after(proven)
                               : proven + between_seeks(now);
            if (standing.sought && due.at > proven + between_seeks(now)) {
                due.choice.reason = WindowReason::seek;
                due.at = proven + between_seeks(now);
            }
        } else if (standing.walked && *standing.walked <= now) {
            due.at = *standing.walked + settings_.pause;
        }
    }
    put_off(due, standing, now);
    return due;
}

// A walk that proved nothing is not repeated at once. A walk in the future was recorded by a wrong clock.
void WindowPlan::put_off(Due& due, const WindowStanding& standing, Instant now) const
{
    const auto& window = due.choice.window;
    if (standing.proved_nothing() && *standing.walked <= now) {
        due.at = std::max(due.at, *standing.walked + settings_.pause);
    }
    if (failed_at(window, standing, now)) {
        due.at = std::max(due.at, not_before(failures_.at(window.number)));
    }
}

// All windows after the current one, as one walk. Due if rows left their windows or the last walk is unproven, unless
// it is proven and no row is sought since.
std::optional<WindowPlan::Due> WindowPlan::due_ahead(const Known& known, const WindowStandings& ledger,
                                                     Instant now) const
{
    const auto from = settings_.windows.at(now).to;
    const schedule::Window ahead{number_ahead, from, Instant::from_seconds(mirror::behind_all)};
    const auto standing = ledger.of(ahead);
    const bool is_in_doubt = std::any_of(known.begin(), known.end(), [](const auto& slice) {
        return slice.past == mirror::behind_all && !slice.proven_as_of && !slice.key_set.empty();
    });
    const bool is_good = standing.proven && !standing.sought && !standing.waits;
    if (is_good || (!rows_left_ && !is_in_doubt && !standing.waits)) {
        return std::nullopt;
    }
    Due due{{ahead, WindowReason::seek, standing.key_set}, now, standing.proven};
    if (standing.proven && *standing.proven <= now) {
        due.at = *standing.proven + between_seeks(now);
    }
    put_off(due, standing, now);
    due.choice.is_plain = failed_at(ahead, standing, now) && failures_.at(number_ahead).count > 0;
    return due;
}

std::optional<Instant> WindowPlan::failed_at(const schedule::Window& window, const WindowStanding& standing,
                                             Instant now) const
{
    const auto failure = failures_.find(window.number);
    const bool counts = failure != failures_.end() && failure->second.at <= now &&
                        (!standing.walked || *standing.walked < failure->second.at);
    return counts ? std::optional(failure->second.at) : std::nullopt;
}

Instant WindowPlan::not_before(const Failure& failure) const
{
    return failure.at + doubled(settings_.pause, std::max(failure.count, 1u) - 1, max_pause);
}

void WindowPlan::failed(Instant from, bool had_pages, Instant now)
{
    const auto number = settings_.windows.at(from).number;
    auto& failure = failures_[number > settings_.windows.at(now).number ? number_ahead : number];
    failure.at = now;
    failure.count += had_pages ? 1 : 0;
}

void WindowPlan::walked(const std::vector<Instant>& begins, Instant now, const Known& before)
{
    const WindowStandings ledger(before);
    const auto current = settings_.windows.at(now).number;
    for (const auto begin : begins) {
        const auto window = settings_.windows.at(begin);
        if (window.number >= current) {
            continue;
        }
        const auto standing = ledger.of(window);
        if (!standing.proven || is_settled(window, standing)) {
            owes_load_ = standing.proven.has_value();
        }
    }
}

std::vector<WindowChoice> WindowPlan::next(Instant now, const Known& known, std::size_t most) const
{
    const WindowStandings ledger(known);
    std::vector<Due> again;
    std::vector<Due> load;
    std::vector<Due> settle;
    std::vector<Due> seek;
    if (auto ahead = due_ahead(known, ledger, now); ahead && ahead->at <= now) {
        seek.push_back(std::move(*ahead));
    }
    const auto is_enough = [&](const schedule::Window& window) {
        const bool are_again = again.size() >= most;
        const bool are_load = load.size() >= most;
        // No older window precedes these.
        return owes_load_ ? are_load : are_again || (are_load && window.to + settings_.back <= now);
    };
    for (auto number = settings_.windows.at(now).number - 1; number >= 0; --number) {
        const auto window = this->window(number);
        if (is_enough(window)) {
            break;
        }
        auto found = due(window, ledger.of(window), now);
        if (!found || found->at > now) {
            continue;
        }
        switch (found->choice.reason) {
        case WindowReason::again: again.push_back(std::move(*found)); break;
        case WindowReason::settle: settle.push_back(std::move(*found)); break;
        case WindowReason::seek: seek.push_back(std::move(*found)); break;
        default: load.push_back(std::move(*found));
        }
    }
    std::stable_sort(settle.begin(), settle.end(), [](const Due& a, const Due& b) { return a.proven < b.proven; });
    const bool loads = !load.empty() && (owes_load_ || again.empty());
    auto& best = loads ? load : !again.empty() ? again : !seek.empty() ? seek : settle;
    std::vector<WindowChoice> choices;
    for (std::size_t i = 0; i < std::min(best.size(), most); ++i) {
        choices.push_back(std::move(best[i].choice));
    }
    return choices;
}

std::optional<Instant> WindowPlan::next_at(Instant now, const Known& known) const
{
    const WindowStandings ledger(known);
    const auto ahead = due_ahead(known, ledger, now);
    auto first = ahead ? std::optional(std::max(ahead->at, now)) : std::nullopt;
    for (auto number = settings_.windows.at(now).number - 1; number >= 0; --number) {
        const auto window = this->window(number);
        if (const auto found = due(window, ledger.of(window), now)) {
            if (found->at <= now) {
                return now;
            }
            first = std::min(first.value_or(found->at), found->at);
        }
    }
    return first;
}

bool WindowPlan::is_behind(Instant now, const Known& known) const
{
    const WindowStandings ledger(known);
    for (auto number = settings_.windows.at(now).number - 1; number >= 0; --number) {
        const auto window = this->window(number);
        if (window.to + settings_.back <= now) {
            break;
        }
        const auto standing = ledger.of(window);
        const bool counts = !window.is_empty() && standing.proven && is_settled(window, standing);
        const auto& again = settings_.again;
        if (counts && again.after(again.after(again.after(*standing.proven))) < now) {
            return true;
        }
    }
    return false;
}

std::size_t WindowPlan::keep_fresh(const std::vector<WindowChoice>& choices, Instant now, const Known& known) const
{
    std::size_t so_many = 0;
    for (const auto& recent : this->recent(now, known)) {
        const auto found = std::find_if(choices.begin(), choices.end(),
                                        [&](const auto& choice) { return choice.window == recent.window; });
        if (found == choices.end()) {
            return 0;
        }
        so_many = std::max(so_many, static_cast<std::size_t>(found - choices.begin()) + 1);
    }
    return so_many;
}

std::vector<WindowChoice> WindowPlan::between(Instant from, Instant to, Instant now, const Known& known) const
{
    const WindowStandings ledger(known);
    std::vector<WindowChoice> chosen;
    for (auto number = settings_.windows.at(now).number; number >= 0; --number) {
        const auto window = this->window(number);
        if (!window.is_empty() && window.from < to && window.to > from) {
            auto standing = ledger.of(window);
            chosen.push_back({window, WindowReason::asked, std::move(standing.key_set)});
        }
    }
    return chosen;
}

}  // namespace shelfd::sync
