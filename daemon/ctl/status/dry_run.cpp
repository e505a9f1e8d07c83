#include "ctl/status/dry_run.hpp"

#include "base/words/digits.hpp"
#include "base/words/library_names.hpp"
#include "base/words/natural_order.hpp"
#include "control/model/mask.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/status/status_text.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// Numbers and the times in addresses become "0".
std::string without_numbers(std::string_view text)
{
    std::string plain;
    for (const char c : text) {
        if (!is_digit(c) || plain.empty() || plain.back() != '0') {
            plain += is_digit(c) ? '0' : c;
        }
    }
    return plain;
}

std::string describe_requests(std::uint64_t least, std::uint64_t most)
{
    return least == most ? requests_text(most) : fmt::format("{} to {}", least, requests_text(most));
}

}  // namespace

DryRun::Line DryRun::take(std::string_view line)
{
    boost::system::error_code broken;
    const auto document = json::parse({line.data(), line.size()}, broken);
    const auto* members = broken ? nullptr : document.if_object();
    if (members == nullptr) {
        return Line::other;
    }
    const JsonReader in(*members);
    const auto* object = in.object("plan");
    if (object == nullptr) {
        return in.text("event") == "done" ? Line::end : Line::other;
    }
    const JsonReader plan(*object);
    Planned planned;
    planned.library = in.text("library");
    planned.resource = in.text("resource");
    planned.mode = plan.text("mode");
    planned.why = plan.text("why");
    planned.target = plan.text("target");
    planned.tries_filter = plan.flag("tries_filter");
    planned.asks_identity = plan.flag("asks_identity");
    if (const auto* requests = object->if_contains("requests"); requests != nullptr && !requests->is_null()) {
        planned.requests = plan.count("requests");
    }
    planned_.push_back(std::move(planned));
    return Line::plan;
}

std::string DryRun::alike(const Planned& planned)
{
    const auto plain = [&](const std::string& text) {
        return without_numbers(control::mask(text, planned.library, {planned.resource}));
    };
    return fmt::format("{}\n{}\n{}\n{}\n{}{}{}", planned.resource, planned.mode, plain(planned.why),
                       plain(planned.target), planned.tries_filter, planned.asks_identity,
                       planned.requests.has_value());
}

std::string DryRun::describe(const std::vector<const Planned*>& group)
{
    const auto& first = *group.front();
    std::vector<std::string> libraries;
    auto least = first.requests;
    auto most = first.requests;
    bool differs = false;
    for (const auto* one : group) {
        libraries.push_back(one->library);
        least = std::min(least, one->requests);
        most = std::max(most, one->requests);
        differs = differs || one->why != first.why || one->target != first.target;
    }
    const bool is_one = group.size() == 1;
    std::sort(libraries.begin(), libraries.end(), natural_less);
    auto text = is_one ? fmt::format("{} {}", first.library, first.resource)
                       : fmt::format("{} of {}", first.resource, name_libraries(libraries));
    text += fmt::format(": {}: {}{}\n  ", first.mode, first.why, differs ? " (" + first.library + ")" : "");
    text += most ? fmt::format("about {}{}", describe_requests(*least, *most), is_one ? "" : " each")
                 : "the number of requests is unknown before the first pass";
    text += first.tries_filter ? ", one to test the filter" : "";
    text += first.asks_identity ? ", up to two to check which library the token belongs to" : "";
    return text + "; the first is GET " + first.target + "\n";
}

DryRun::Total DryRun::total(const std::optional<StatusView>& status) const
{
    std::map<std::string, const control::BudgetStatus*> budgets;
    if (status) {
        for (const auto& library : status->libraries) {
            budgets[library.name] = &library.budget;
        }
    }
    struct Load {
        double requests = 0;
        std::uint32_t limit = 0;  // requests a minute
    };
    std::map<std::string, Load> loads;  // by limit group
    Total all;
    for (const auto& one : planned_) {
        const auto requests = one.requests.value_or(0) + (one.tries_filter ? 1 : 0);
        all.requests += requests;
        all.identity_requests += one.asks_identity ? 2 : 0;
        all.unknown += one.requests ? 0 : 1;
        const auto budget = budgets.find(one.library);
        if (budget != budgets.end() && budget->second->limit.value_or(0) > 0) {
            auto& load = loads[budget->second->group];
            load.requests += static_cast<double>(requests);
            load.limit = *budget->second->limit;
        }
    }
    for (const auto& [group, load] : loads) {
        // The requests of the first minute are sent at once.
        const auto minutes = std::max(load.requests / load.limit - 1.0, 0.0);
        all.at_limit =
            std::max(all.at_limit.value_or(Duration(0)), Duration(static_cast<std::int64_t>(minutes * 60e6)));
    }
    return all;
}

std::string DryRun::text(const std::optional<StatusView>& status) const
{
    std::vector<std::vector<const Planned*>> groups;
    std::map<std::string, std::size_t> places;
    for (const auto& one : planned_) {
        const auto [place, is_new] = places.try_emplace(alike(one), groups.size());
        if (is_new) {
            groups.emplace_back();
        }
        groups[place->second].push_back(&one);
    }
    std::string text;
    for (const auto& group : groups) {
        text += describe(group);
    }
    if (planned_.size() < 2) {
        return text;
    }
    const auto all = total(status);
    text += fmt::format("in all {} passes: about {}", planned_.size(), requests_text(all.requests));
    text += all.identity_requests > 0
                ? fmt::format(", and up to {} to check which library a token belongs to", all.identity_requests)
                : "";
    text += all.unknown > 0 ? fmt::format("; the number of requests of {} pass{} is unknown", all.unknown,
                                          all.unknown == 1 ? "" : "es")
                            : "";
    if (all.at_limit) {
        text += *all.at_limit > Duration(0)
                    ? fmt::format("; at the request limit, at least {}", describe_duration(*all.at_limit))
                    : "; the request limit lets them start within a minute";
    }
    return text + "\n";
}

std::string DryRun::total_json(const std::optional<StatusView>& status) const
{
    const auto all = total(status);
    const auto seconds = [](Duration time) { return std::chrono::duration<double>(time).count(); };
    return json::serialize(
        json::object{{"event", "total"},
                     {"passes", planned_.size()},
                     {"requests", all.requests},
                     {"identity_requests", all.identity_requests},
                     {"passes_unknown", all.unknown},
                     {"at_limit_seconds", all.at_limit ? json::value(seconds(*all.at_limit)) : json::value(nullptr)}});
}

}  // namespace shelfd::ctl
