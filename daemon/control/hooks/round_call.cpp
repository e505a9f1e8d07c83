#include "control/hooks/round_call.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace shelfd::control {
namespace {

namespace json = boost::json;

constexpr std::size_t listed_in_line = 5;
const std::string name_prefix = "rounds of ";
constexpr std::array<const char*, 4> summed = {"rounds", "added", "changed", "deleted"};

json::value text_or_null(const std::string& text)
{
    return text.empty() ? json::value(nullptr) : json::value(text);
}

std::uint64_t count_in(const json::object& object, const char* name)
{
    const auto* value = object.if_contains(name);
    boost::system::error_code error;
    const auto count = value != nullptr && value->is_number() ? value->to_number<std::uint64_t>(error) : 0;
    return error ? 0 : count;
}

std::string text_in(const json::object& object, const char* name)
{
    const auto* value = object.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

// "antwerp: recipes 2 added, 1 changed, 0 deleted; orders …".
std::string line_of(const json::object& body)
{
    const auto& tables = body.at("tables").get_array();
    std::string text;
    for (std::size_t i = 0; i < std::min(listed_in_line, tables.size()); ++i) {
        const auto& one = tables[i].get_object();
        text += fmt::format("{} {} {} added, {} changed, {} deleted", i == 0 ? ":" : ";", text_in(one, "table"),
                            count_in(one, "added"), count_in(one, "changed"), count_in(one, "deleted"));
    }
    if (tables.size() > listed_in_line) {
        text += fmt::format("; and {} more tables", tables.size() - listed_in_line);
    }
    return text_in(body, "library") + text;
}

json::object table_json(const TableRounds& rounds)
{
    return {{"table", rounds.table},
            {"run", rounds.run_id},
            {"rounds", rounds.rounds},
            {"rows", rounds.rows},
            {"added", rounds.added},
            {"changed", rounds.changed},
            {"deleted", rounds.deleted},
            {"as_of", rounds.as_of ? json::value(rounds.as_of->to_text()) : json::value(nullptr)}};
}

// Empty if the text is not the body of a call for rounds.
std::optional<json::object> parse_body(const std::string& text)
{
    boost::system::error_code error;
    auto document = json::parse(text, error);
    if (error || !document.is_object()) {
        return std::nullopt;
    }
    const auto* tables = document.get_object().if_contains("tables");
    const auto is_table = [](const json::value& one) { return one.is_object(); };
    if (tables == nullptr || !tables->is_array() ||
        !std::all_of(tables->get_array().begin(), tables->get_array().end(), is_table)) {
        return std::nullopt;
    }
    return std::move(document.get_object());
}

}  // namespace

std::string rounds_body(const std::string& hook, const LibraryRounds& rounds, const NotificationPlace& place)
{
    json::array tables;
    for (const auto& one : rounds.tables) {
        tables.push_back(table_json(one));
    }
    json::object body{{"format_version", 1},
                      {"hook", hook},
                      {"event", to_string(CallEvent::published)},
                      {"library", rounds.library},
                      {"service", rounds.origin},
                      {"mirror", rounds.mirror},
                      {"position_before", text_or_null(rounds.position_before)},
                      {"position", text_or_null(rounds.position)},
                      {"tables", std::move(tables)},
                      {"host", place.host},
                      {"time", place.now.to_short_text()}};
    body["text"] = line_of(body);
    return json::serialize(body);
}

std::string join_rounds(const std::string& earlier, const std::string& later)
{
    auto first = parse_body(earlier);
    auto last = parse_body(later);
    if (!first || !last) {
        return later;
    }
    auto& tables = last->at("tables").get_array();
    for (auto& value : first->at("tables").get_array()) {
        auto& before = value.get_object();
        const auto same = std::find_if(tables.begin(), tables.end(), [&](const json::value& one) {
            return text_in(one.get_object(), "table") == text_in(before, "table");
        });
        if (same == tables.end()) {
            tables.push_back(std::move(before));
            continue;
        }
        auto& table = same->get_object();
        for (const auto* name : summed) {
            table[name] = count_in(table, name) + count_in(before, name);
        }
    }
    (*last)["position_before"] = text_or_null(text_in(*first, "position_before"));
    (*last)["text"] = line_of(*last);
    return json::serialize(*last);
}

std::string position_before(const std::string& body)
{
    const auto parsed = parse_body(body);
    return parsed ? text_in(*parsed, "position_before") : "";
}

std::string rounds_name(const std::string& library)
{
    return name_prefix + library;
}

std::string library_of_rounds(const std::string& name)
{
    return name.substr(std::min(name_prefix.size(), name.size()));
}

}  // namespace shelfd::control
