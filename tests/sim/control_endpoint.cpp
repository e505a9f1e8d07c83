#include "sim/control_endpoint.hpp"

#include "sim/control_verbs.hpp"

#include <array>

namespace shelfd::sim {

namespace {

Reply control_json(int status, const Json& body)
{
    return {.status = status, .content_type = "application/json", .body = to_text(body), .headers = {}};
}

struct Route {
    std::string_view method;
    std::string_view verb;
    Result<Json> (*run)(World&, MemberReader&);
};

constexpr std::array<Route, 16> routes{{
    {"GET", "libraries", show_libraries},
    {"GET", "audit", show_audit},
    {"GET", "secrets", show_secrets},
    {"GET", "set", show_set},
    {"POST", "reset-audit", reset_audit},
    {"POST", "rows", edit_rows},
    {"POST", "expire", expire_access},
    {"POST", "drop-access-row", drop_access_row},
    {"POST", "revoke", revoke_set},
    {"POST", "sets", issue_set},
    {"POST", "access", change_access},
    {"POST", "policy", change_policy},
    {"POST", "throttle", change_throttle},
    {"POST", "lists", change_list},
    {"DELETE", "faults", forget_faults},
    {"POST", "clock", advance_clock},
}};

// The parameters of a GET as if they had come as JSON.
Json arguments_of(const Request& request)
{
    auto arguments = Json::object();
    for (const auto& [key, value] : request.query()) {
        arguments.set(key, key == "set" ? Json::number(value) : Json(value));
    }
    return arguments;
}

Reply finish(const Result<Json>& outcome)
{
    if (!outcome) {
        return control_json(400, Json::object({{"error", outcome.error().text()}}));
    }
    return control_json(200, *outcome);
}

// Served as it stands: a client that compares wants the very bytes.
Reply rows_answer(World& world, const Request& request)
{
    const auto query = request.query();
    const auto path = find(query, "path").value_or("");
    auto* library = find_library(world, find(query, "library").value_or(""));
    if (library == nullptr || world.find_list(*library, path) == nullptr) {
        return control_json(400, Json::object({{"error", "no such library or path"}}));
    }
    return {.status = 200,
            .content_type = "application/json",
            .body = world.rows(library->name, path, request.origin()),
            .headers = {}};
}

}  // namespace

Reply control_answer(World& world, const Request& request)
{
    const auto verb = request.path().substr(control_root.size());
    if (request.method == "GET" && verb == "rows") {
        return rows_answer(world, request);
    }
    auto arguments = arguments_of(request);
    if (!request.body.empty()) {
        auto parsed = parse_json(request.body);
        if (!parsed) {
            return finish(std::move(parsed));
        }
        arguments = std::move(*parsed);
    }
    if (request.method == "POST" && verb == "faults") {
        return finish(add_fault(world, arguments));
    }
    for (const auto& route : routes) {
        if (route.method == request.method && route.verb == verb) {
            MemberReader reader(arguments);
            return finish(route.run(world, reader));
        }
    }
    return control_json(404, Json::object({{"error", "no such control; see control_endpoint.hpp"}}));
}

}  // namespace shelfd::sim
