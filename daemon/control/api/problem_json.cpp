#include "control/api/problem_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace shelfd::control {
namespace {

namespace json = boost::json;

json::value instant(const std::optional<Instant>& at)
{
    return at ? json::value(at->to_text()) : json::value(nullptr);
}

json::object affected_json(const Affected& affected)
{
    return {{"library", affected.library.empty() ? json::value(nullptr) : json::value(affected.library)},
            {"tables", json::array(affected.tables.begin(), affected.tables.end())},
            {"tables_in_all", affected.tables_in_all},
            {"state", affected.state ? json::value(to_string(*affected.state)) : json::value(nullptr)},
            {"why", affected.why},
            {"do_this", affected.do_this},
            {"next", affected.next},
            {"next_try", instant(affected.next_try)},
            {"deadline", instant(affected.deadline)},
            {"late_at", instant(affected.late_at)},
            {"note", affected.note}};
}

}  // namespace

json::array problems_json(const std::vector<Cause>& problems)
{
    json::array all;
    for (const auto& problem : problems) {
        json::array affected;
        for (const auto& one : problem.affected) {
            affected.push_back(affected_json(one));
        }
        all.push_back(
            json::object{{"id", problem_id(problem)},
                         {"incident", problem.incident.empty() ? json::value(nullptr) : json::value(problem.incident)},
                         {"cause", to_string(problem.kind)},
                         {"severity", to_string(problem.severity)},
                         {"title", title_of(problem.kind)},
                         {"who", who_can_act(problem.kind)},
                         {"key", problem.key},
                         {"origin", problem.origin},
                         {"contact", problem.contact},
                         {"since", instant(problem.since)},
                         {"momentary", problem.momentary},
                         {"affected", std::move(affected)}});
    }
    return all;
}

}  // namespace shelfd::control
