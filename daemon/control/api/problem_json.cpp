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
            {"since", instant(affected.since)},
            {"note", affected.note},
            {"contact", affected.contact}};
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

json::array incidents_json(const std::vector<IncidentStatus>& incidents)
{
    const auto texts = [](const std::vector<std::string>& lines) { return json::array(lines.begin(), lines.end()); };
    json::array all;
    for (const auto& incident : incidents) {
        json::array waiting;
        for (const auto& call : incident.waiting) {
            waiting.push_back(json::object{{"hook", call.hook}, {"since", instant(call.since)}});
        }
        all.push_back(json::object{{"id", incident.id},
                                   {"cause", incident.cause},
                                   {"severity", incident.severity},
                                   {"title", incident.title},
                                   {"why", incident.why},
                                   {"do_this", incident.do_this},
                                   {"who", incident.who},
                                   {"since", instant(incident.since)},
                                   {"ended", instant(incident.ended)},
                                   {"libraries", texts(incident.libraries)},
                                   {"library_count", std::max(incident.libraries.size(), incident.library_count)},
                                   {"called", texts(incident.called)},
                                   {"waiting", std::move(waiting)},
                                   {"dropped", texts(incident.dropped)}});
    }
    return all;
}

}  // namespace shelfd::control
