#include "control/hooks/joined_ends.hpp"

#include "base/words/names.hpp"
#include "base/words/natural_order.hpp"
#include "control/hooks/notification.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace shelfd::control {
namespace {

namespace json = boost::json;

constexpr std::size_t listed_in_line = 5;
constexpr std::size_t named_of_each = 3;
constexpr std::array<const char*, 10> of_each = {"incident",     "cause",   "severity",  "title",         "since",
                                                 "recovered_at", "service", "libraries", "library_count", "left_out"};

std::string text_in(const json::object& object, const char* name)
{
    const auto* value = object.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::string_view text_of(const json::value& value)
{
    const auto* text = value.if_string();
    return text != nullptr ? std::string_view(*text) : std::string_view();
}

json::array list_in(const json::object& object, const char* name)
{
    const auto* value = object.if_contains(name);
    return value != nullptr && value->is_array() ? value->get_array() : json::array();
}

std::size_t count_in(const json::object& object, const char* name)
{
    const auto* value = object.if_contains(name);
    boost::system::error_code error;
    const auto count = value != nullptr ? value->to_number<std::size_t>(error) : 0;
    return error ? 0 : count;
}

std::optional<json::object> parse_body(const std::string& text)
{
    boost::system::error_code error;
    auto document = json::parse(text, error);
    return error || !document.is_object() ? std::nullopt : std::optional(std::move(document.get_object()));
}

// "antwerp, ghent: there is no usable token set".
std::string describe(const json::object& end)
{
    const auto libraries = list_in(end, "libraries");
    std::vector<std::string> names;
    for (const auto& name : libraries) {
        names.emplace_back(text_of(name));
    }
    const auto all = std::max(names.size(), count_in(end, "library_count"));
    const auto who = list_some(names, named_of_each, all - names.size());
    return who.empty() ? text_in(end, "title") : who + ": " + text_in(end, "title");
}

std::string line_of(const json::array& over, const std::string& host)
{
    std::vector<std::string> ends;
    std::vector<std::string> ids;
    for (const auto& one : over) {
        ends.push_back(describe(one.get_object()));
        ids.push_back(text_in(one.get_object(), "incident"));
    }
    return fmt::format("[ok] {} incidents are over: {} (incidents {} on {})", over.size(),
                       list_clauses(ends, listed_in_line), list_some(ids, listed_in_line), host);
}

// One incident of a body that is not joined.
json::object end_of(const json::object& body)
{
    json::object end;
    for (const auto* name : of_each) {
        const auto* value = body.if_contains(name);
        end[name] = value != nullptr ? *value : json::value(nullptr);
    }
    return end;
}

void add_names(const json::object& body, json::array& names)
{
    for (auto& name : list_in(body, "libraries")) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(std::move(name));
        }
    }
}

}  // namespace

std::optional<Announcement> end_for(const Incident& incident, const HookRule& rule, const Told& told, Instant now,
                                    Duration quiet)
{
    const auto is_of_hook = [&rule](const std::string& library) {
        return library.empty() ||
               std::find(rule.libraries.begin(), rule.libraries.end(), library) != rule.libraries.end();
    };
    auto view = incident.cause;
    std::erase_if(view.affected, [&](const Affected& one) { return !is_of_hook(one.library); });
    if (rule.libraries.empty() || !view.affected.empty() || told.members.empty()) {
        return std::nullopt;
    }
    Instant last;
    for (const auto& [member, affected_last] : told.members) {
        auto library = member.substr(0, member.find(' '));
        last = std::max(last, affected_last);
        if (view.affected.empty() || view.affected.back().library != library) {
            view.affected.emplace_back().library = std::move(library);
        }
    }
    // A time in the future was noted before the wall clock was set back.
    if (last <= now && now - last < quiet) {
        return std::nullopt;
    }
    for (const auto& [library, tables] : incident.named) {
        const bool is_listed = std::any_of(view.affected.begin(), view.affected.end(),
                                           [&library](const Affected& one) { return one.library == library; });
        if (is_of_hook(library) && !is_listed) {
            view.affected.emplace_back().library = library;
        }
    }
    sort_by_library(view.affected);
    auto end = end_of(incident, rule.name, std::move(view), told);
    end.incident.clear_since = std::min(last, now);
    return end;
}

std::string join_ends(const std::vector<std::string>& bodies)
{
    std::optional<json::object> joined;
    json::array over;
    json::array libraries;
    std::size_t left_out = 0;  // of the incident that leaves out most: no other number is certain
    auto severity = Severity::info;
    for (const auto& text : bodies) {
        auto body = parse_body(text);
        if (!body) {
            continue;
        }
        over.push_back(end_of(*body));
        add_names(*body, libraries);
        left_out = std::max(left_out, count_in(*body, "left_out"));
        severity = std::max(severity, parse_severity(text_in(*body, "severity")).value_or(severity));
        joined = joined ? std::move(joined) : std::move(body);
    }
    if (!joined) {
        return bodies.front();
    }
    if (over.size() > 1) {
        (*joined)["severity"] = to_string(severity);
        (*joined)["why"] = "";  // each has its own
        const auto listed = std::min(libraries.size(), max_listed);
        (*joined)["library_count"] = libraries.size() + left_out;
        (*joined)["left_out"] = libraries.size() - listed + left_out;
        std::stable_sort(libraries.begin(), libraries.end(), [](const json::value& a, const json::value& b) {
            return natural_less(text_of(a), text_of(b));
        });
        libraries.resize(listed);
        (*joined)["libraries"] = std::move(libraries);
        (*joined)["text"] = line_of(over, text_in(*joined, "host"));
    }
    (*joined)["over"] = std::move(over);
    return json::serialize(*joined);
}

}  // namespace shelfd::control
