#include "config/model/request_cost.hpp"

#include <algorithm>
#include <cmath>

namespace shelfd::config {
namespace {

constexpr double minutes_a_week = 7 * 24 * 60;
constexpr double max_canaries_of_whole_passes = 1.0;
constexpr double canaries_of_polls = 1.0 / 20;
constexpr double canaries_of_a_polled_list = 1.0 / minutes_a_week;

}  // namespace

double passes_a_minute(const Schedule& schedule)
{
    return schedule.at.empty() ? 60e6 / static_cast<double>(schedule.interval.count())
                               : static_cast<double>(schedule.at.size() * schedule.days.count()) / minutes_a_week;
}

double full_pass_requests(const Library& library, const Resource& resource, double rows, double lists)
{
    if (resource.answers != Answers::list) {
        return lists;
    }
    const auto pages = std::ceil(rows / std::max(lists, 1.0) / library.service.page_size);
    return lists * (pages <= 1 ? 1 : pages + 1);
}

double canaries_a_minute(const PassRates& rates, bool is_personal)
{
    if (is_personal) {
        return 2 * rates.walks;
    }
    const auto of_polls = canaries_of_polls + canaries_of_a_polled_list * static_cast<double>(rates.polled);
    return std::min(2 * rates.whole, max_canaries_of_whole_passes) + std::min(2 * rates.incremental, of_polls);
}

}  // namespace shelfd::config
