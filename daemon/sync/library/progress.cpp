#include "sync/library/progress.hpp"

#include <algorithm>

namespace shelfd::sync {

void PassBoard::begin(Instant now)
{
    Progress shown;
    shown.running = true;
    shown.started = now;
    shown.list = progress_.list;
    shown.lists = progress_.lists;
    shown.round_started = progress_.round_started;
    progress_ = std::move(shown);
}

void PassBoard::begin_details(Instant now, std::uint64_t items)
{
    progress_.running = true;
    progress_.phase = Phase::details;
    progress_.started = now;
    progress_.rows = 0;
    progress_.count = items;
}

void PassBoard::ask_for_page(Phase phase, std::uint32_t page)
{
    progress_.phase = phase;
    progress_.page = page;
}

void PassBoard::page_arrived(Place place, std::uint64_t items, std::uint64_t fresh, std::uint64_t count)
{
    progress_.rows += fresh;
    progress_.count = count;
    progress_.note.clear();
    progress_.held_up_since.reset();
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

void PassBoard::enter_list(std::uint64_t list, std::uint64_t lists)
{
    progress_.list = list;
    progress_.lists = lists;
}

void PassBoard::item_arrived()
{
    ++progress_.rows;
    progress_.note.clear();
}

}  // namespace shelfd::sync
