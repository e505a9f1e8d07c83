#include "sync/library/progress.hpp"

#include <algorithm>

namespace shelfd::sync {

namespace {

// As long as one of its requests waits, a flow does not work.
Duration waited_in(const std::shared_ptr<const budget::FlowWait>& wait, Instant now)
{
    if (!wait) {
        return Duration(0);
    }
    return wait->ended + (wait->requests > 0 ? std::max(now - wait->since, Duration(0)) : Duration(0));
}

}  // namespace

Duration Progress::worked_until(Instant now) const
{
    return std::max(now - started - (waited_in(wait, now) - waited_before), Duration(0));
}

// The lists of a round have one flow.
Duration Progress::round_worked_until(Instant now) const
{
    return std::max(now - round_started - waited_in(wait, now), Duration(0));
}

void PassBoard::begin(Instant now)
{
    Progress shown;
    shown.running = true;
    shown.started = now;
    shown.list = progress_.list;
    shown.lists = progress_.lists;
    shown.round_started = progress_.round_started;
    shown.round_worked = progress_.round_worked;
    progress_ = std::move(shown);
}

void PassBoard::begin_details(Instant now, std::uint64_t items)
{
    progress_.running = true;
    progress_.phase = Phase::details;
    progress_.started = now;
    progress_.rows = 0;
    progress_.worked = Duration(0);
    progress_.count = items;
}

void PassBoard::follow(const budget::Flow& flow)
{
    progress_.wait = flow.wait();
    progress_.waited_before = progress_.wait->ended;
}

void PassBoard::ask_for_page(Phase phase, std::uint32_t page)
{
    progress_.phase = phase;
    progress_.page = page;
}

void PassBoard::page_arrived(Place place, std::uint64_t items, std::uint64_t fresh, std::uint64_t count, Instant now)
{
    progress_.rows += fresh;
    progress_.worked = progress_.worked_until(now);
    progress_.count = count;
    progress_.note.clear();
    progress_.held_up_since.reset();
    obstacle_ = obstacle_ == Met::none ? Met::none : Met::over;
    if (place == Place::first) {
        const auto size = std::max<std::uint64_t>(items, 1);
        progress_.pages = static_cast<std::uint32_t>((count + size - 1) / size);
    }
}

void PassBoard::hold_up(const std::string& why, TroubleSource source, Instant now)
{
    progress_.note = why;
    progress_.source = source;
    progress_.held_up_since = progress_.held_up_since.value_or(now);
}

boost::asio::awaitable<void> PassBoard::meet_obstacle(Obstacle met)
{
    if (show_obstacle_) {
        obstacle_ = Met::in_the_way;
        auto showing = show_obstacle_(std::move(met));
        co_await std::move(showing);
    }
}

boost::asio::awaitable<void> PassBoard::end_obstacle()
{
    obstacle_ = Met::none;
    auto showing = show_obstacle_(std::nullopt);
    co_await std::move(showing);
}

void PassBoard::begin_round(Instant now)
{
    progress_.round_started = now;
    progress_.round_worked = Duration(0);
    progress_.wait.reset();
}

void PassBoard::enter_list(std::uint64_t list, std::uint64_t lists, Instant now)
{
    progress_.round_worked = progress_.round_worked_until(now);
    progress_.list = list;
    progress_.lists = lists;
}

void PassBoard::item_arrived(Instant now)
{
    progress_.worked = progress_.worked_until(now);
    ++progress_.rows;
    progress_.note.clear();
}

}  // namespace shelfd::sync
