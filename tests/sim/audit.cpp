#include "sim/audit.hpp"

#include <algorithm>

namespace shelfd::sim {

void Audit::request_begins()
{
    ++report.total;
    ++report.in_flight;
    report.peak_in_flight = std::max(report.peak_in_flight, report.in_flight);
}

void Audit::request_ends(const AuditKey& key, std::uint64_t bytes_sent)
{
    ++report.requests[key];
    report.bytes_sent += bytes_sent;
    --report.in_flight;
}

void Audit::api_request(const std::string& library, Instant now)
{
    auto& times = last_minute_[library];
    times.push_back(now);
    while (times.front() <= now - std::chrono::seconds(60)) {
        times.pop_front();
    }
    auto& most = report.busiest_minute[library];
    most = std::max<std::uint64_t>(most, times.size());
}

void Audit::reset()
{
    const auto in_flight = report.in_flight;
    report = AuditReport{};
    report.in_flight = in_flight;
    report.peak_in_flight = in_flight;
    last_minute_.clear();
}

std::uint64_t AuditReport::count(std::string_view method, std::string_view path_prefix, std::string_view library,
                                 std::size_t generation, int status) const
{
    std::uint64_t sum = 0;
    for (const auto& [key, number] : requests) {
        const bool fits = (method.empty() || key.method == method) && key.path.starts_with(path_prefix) &&
                          (library.empty() || key.library == library) &&
                          (generation == 0 || key.generation == generation) && (status == 0 || key.status == status);
        sum += fits ? number : 0;
    }
    return sum;
}

Json AuditReport::to_json() const
{
    auto lines = Json::array();
    for (const auto& [key, number] : requests) {
        lines.items.push_back(Json::object({{"method", key.method},
                                            {"path", key.path},
                                            {"library", key.library},
                                            {"generation", std::uint64_t(key.generation)},
                                            {"status", key.status},
                                            {"count", number}}));
    }
    auto busiest = Json::object();
    for (const auto& [library, number] : busiest_minute) {
        busiest.set(library, number);
    }
    return Json::object({{"total", total},
                         {"token_posts", token_posts},
                         {"refreshes", refreshes},
                         {"exchanges", exchanges},
                         {"reuses_of_spent", reuses_of_spent},
                         {"throttled", throttled},
                         {"bytes_sent", bytes_sent},
                         {"connections", connections},
                         {"in_flight", in_flight},
                         {"peak_in_flight", peak_in_flight},
                         {"busiest_minute", std::move(busiest)},
                         {"requests", std::move(lines)}});
}

}  // namespace shelfd::sim
