#include "app/pace/schedule_need.hpp"

#include "config/model/request_cost.hpp"

#include <algorithm>

namespace shelfd::app {
namespace {

class Sum {
public:
    Sum(const config::Library& library, const std::map<std::string, TableDemand>& tables)
        : library_(library), tables_(tables)
    {
    }

    double take(bool is_personal)
    {
        for (const auto& resource : library_.resources) {
            if (!known(resource.name).is_stopped) {
                add(resource);
            }
        }
        return requests_ + config::canaries_a_minute(rates_, is_personal);
    }

private:
    TableDemand known(const std::string& table) const
    {
        const auto found = tables_.find(table);
        return found == tables_.end() ? TableDemand() : found->second;
    }

    void add(const config::Resource& resource)
    {
        const auto table = known(resource.name);
        const auto lists =
            resource.parent ? std::max(static_cast<double>(known(resource.parent->resource).rows), 1.0) : 1.0;
        const auto ordinary = config::passes_a_minute(resource.schedule);
        const auto full = resource.full ? config::passes_a_minute(*resource.full) : 0;
        if (resource.window) {
            add_passes(rates_.whole, ordinary, 1, 1);
        } else if (resource.incremental) {
            rates_.polled += resource.parent ? 0 : 1;
            add_passes(resource.parent ? rates_.whole : rates_.incremental, std::max(ordinary - full, 0.0), lists,
                       lists);
            add_passes(rates_.whole, full, lists, lists);
        } else {
            const auto measured = table.full_requests ? static_cast<double>(*table.full_requests) : lists;
            add_passes(rates_.whole, resource.full ? full : ordinary, measured, lists);
        }
        if (resource.detail) {
            const auto within = static_cast<double>(resource.detail->refresh_within.count()) / 60e6;
            requests_ += static_cast<double>(table.rows) / within;
        }
    }

    void add_passes(double& kind, double passes, double requests, double lists)
    {
        kind += passes;
        rates_.walks += passes * lists;
        requests_ += passes * requests;
    }

    const config::Library& library_;
    const std::map<std::string, TableDemand>& tables_;
    config::PassRates rates_;
    double requests_ = 0;
};

}  // namespace

double requests_needed(const config::Library& library, const std::map<std::string, TableDemand>& tables,
                       bool is_personal)
{
    return library.paused ? 0 : Sum(library, tables).take(is_personal);
}

}  // namespace shelfd::app
