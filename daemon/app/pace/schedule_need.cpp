#include "app/pace/schedule_need.hpp"

#include <algorithm>
#include <cmath>

namespace shelfd::app {
namespace {

constexpr double minutes_a_week = 7 * 24 * 60;
// Canaries a minute of a library, however many passes need one, as `shelfctl plan` counts them.
constexpr double max_canaries_of_whole_passes = 1.0;
constexpr double max_canaries_of_incremental_passes = 0.1;

double minutes(Duration length)
{
    return static_cast<double>(length.count()) / 60e6;
}

double passes_a_minute(const config::Schedule& schedule)
{
    return schedule.at.empty() ? 1.0 / minutes(schedule.interval)
                               : static_cast<double>(schedule.at.size() * schedule.days.count()) / minutes_a_week;
}

class Sum {
public:
    Sum(const config::Library& library, const std::map<std::string, std::uint64_t>& rows)
        : library_(library), rows_(rows)
    {
    }

    double take()
    {
        for (const auto& resource : library_.resources) {
            add(resource);
        }
        if (library_.application.token_kind == config::TokenKind::personal) {
            return requests_ + 2 * walks_;
        }
        return requests_ + std::min(2 * whole_, max_canaries_of_whole_passes) +
               std::min(2 * incremental_, max_canaries_of_incremental_passes);
    }

private:
    double rows_of(const std::string& table) const
    {
        const auto known = rows_.find(table);
        return known == rows_.end() ? 0 : static_cast<double>(known->second);
    }

    // Of a walk over the whole list, or over all lists of its parents: a second look at page 1 follows several pages.
    double full_requests(const config::Resource& resource, double lists) const
    {
        const auto pages = std::ceil(rows_of(resource.name) / lists / library_.service.page_size);
        return lists * (pages <= 1 || resource.answers == config::Answers::object ? 1 : pages + 1);
    }

    void add(const config::Resource& resource)
    {
        const auto lists = resource.parent ? std::max(rows_of(resource.parent->resource), 1.0) : 1.0;
        const auto ordinary = passes_a_minute(resource.schedule);
        const auto full = resource.full ? passes_a_minute(*resource.full) : 0;
        if (resource.window) {
            add_passes(whole_, ordinary, 1, 1);
        } else if (resource.incremental) {
            add_passes(incremental_, std::max(ordinary - full, 0.0), lists, lists);
            add_passes(whole_, full, full_requests(resource, lists), lists);
        } else {
            add_passes(whole_, resource.full ? full : ordinary, full_requests(resource, lists), lists);
        }
        if (resource.detail) {
            requests_ += rows_of(resource.name) / minutes(resource.detail->refresh_within);
        }
    }

    void add_passes(double& kind, double passes, double requests, double lists)
    {
        kind += passes;
        walks_ += passes * lists;
        requests_ += passes * requests;
    }

    const config::Library& library_;
    const std::map<std::string, std::uint64_t>& rows_;
    double requests_ = 0;
    double whole_ = 0;
    double incremental_ = 0;
    double walks_ = 0;
};

}  // namespace

double requests_needed(const config::Library& library, const std::map<std::string, std::uint64_t>& rows)
{
    return library.paused ? 0 : Sum(library, rows).take();
}

}  // namespace shelfd::app
