#include "ctl/status/selection.hpp"

#include "base/words/names.hpp"
#include "control/model/unknown_names.hpp"
#include "ctl/daemon/json_reader.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

using Tables = std::set<std::pair<std::string, std::string>>;  // library and table

bool is_selected(const json::object& table, const Selection& selection)
{
    const JsonReader in(table);
    return (selection.resource.empty() || in.text("name") == selection.resource) &&
           (!selection.state || parse_table_state(in.text("state")) == selection.state);
}

// The selected tables of one library; empty if it has none.
json::object select_library(const json::object& library, const Selection& selection, Tables& tables)
{
    const JsonReader in(library);
    const auto name = in.text("name");
    if (!selection.library.empty() && name != selection.library) {
        return {};
    }
    json::array kept;
    const auto* all = in.array("resources");
    for (std::size_t i = 0; all != nullptr && i < all->size(); ++i) {
        const auto* table = (*all)[i].if_object();
        if (table != nullptr && is_selected(*table, selection)) {
            tables.emplace(name, JsonReader(*table).text("name"));
            kept.push_back(*table);
        }
    }
    if (kept.empty() && (!selection.resource.empty() || selection.state)) {
        return {};
    }
    auto limited = library;
    limited["resources"] = std::move(kept);
    return limited;
}

bool affects(const json::object& affected, const Selection& selection, const Tables& tables)
{
    const JsonReader in(affected);
    const auto library = in.text("library");
    if (!selection.library.empty() && library != selection.library) {
        return false;
    }
    if (selection.resource.empty() && !selection.state) {
        return true;
    }
    const auto* names = in.array("tables");
    return names != nullptr && std::any_of(names->begin(), names->end(), [&](const json::value& name) {
               return name.is_string() && tables.contains({library, std::string(name.get_string())});
           });
}

json::array limit_problems(const json::array* problems, const Selection& selection, const Tables& tables)
{
    json::array selected;
    for (std::size_t i = 0; problems != nullptr && i < problems->size(); ++i) {
        const auto* problem = (*problems)[i].if_object();
        const auto* all = problem != nullptr ? JsonReader(*problem).array("affected") : nullptr;
        json::array kept;
        for (std::size_t j = 0; all != nullptr && j < all->size(); ++j) {
            if ((*all)[j].is_object() && affects((*all)[j].get_object(), selection, tables)) {
                kept.push_back((*all)[j]);
            }
        }
        if (!kept.empty()) {
            auto limited = *problem;
            limited["affected"] = std::move(kept);
            selected.push_back(std::move(limited));
        }
    }
    return selected;
}

Result<json::object> parse_status(std::string_view text)
{
    boost::system::error_code broken;
    auto document = json::parse({text.data(), text.size()}, broken);
    if (broken || !document.is_object()) {
        return Error(ErrorKind::protocol, "the answer is not a status of shelfd; which program uses that socket?");
    }
    return std::move(document.get_object());
}

std::vector<std::string> names_of(const StatusView& status)
{
    std::vector<std::string> names;
    for (const auto& library : status.libraries) {
        names.push_back(library.name);
    }
    return names;
}

// Of one library, or of all for "".
std::vector<std::string> table_names(const StatusView& status, const std::string& library)
{
    std::set<std::string> names;
    for (const auto& one : status.libraries) {
        if (library.empty() || one.name == library) {
            std::transform(one.resources.begin(), one.resources.end(), std::inserter(names, names.end()),
                           [](const auto& table) { return table.name; });
        }
    }
    return {names.begin(), names.end()};
}

}  // namespace

Result<void> check_names(const StatusView& status, const Selection& selection)
{
    const auto& absent = status.absent;
    const auto& library = selection.library;
    if (!library.empty() && std::find(absent.begin(), absent.end(), library) != absent.end()) {
        return Error(ErrorKind::needs_person,
                     fmt::format("{} is configured but not running; shelfctl status shows why", library));
    }
    const auto is_named = [&library](const auto& one) { return library.empty() || one.name == library; };
    if (!library.empty() && std::none_of(status.libraries.begin(), status.libraries.end(), is_named)) {
        return control::unknown_library(library, names_of(status));
    }
    const auto has_table = [&](const auto& one) {
        const auto& tables = one.resources;
        return is_named(one) && std::any_of(tables.begin(), tables.end(),
                                            [&](const auto& table) { return table.name == selection.resource; });
    };
    if (selection.resource.empty() || std::any_of(status.libraries.begin(), status.libraries.end(), has_table)) {
        return {};
    }
    auto known = table_names(status, library);
    return library.empty()
               ? Error(ErrorKind::not_found,
                       fmt::format("no library has a table {} (known: {}); all of them: "
                                   "shelfctl status --all",
                                   selection.resource, list_nearest_first(selection.resource, std::move(known))))
               : control::unknown_table(library, selection.resource, std::move(known));
}

Result<std::string> select(std::string_view text, const Selection& selection)
{
    SHELFD_TRY_ASSIGN(status, parse_status(text));
    Tables tables;
    json::array libraries;
    if (const auto* all = JsonReader(status).array("libraries")) {
        for (const auto& value : *all) {
            auto library = value.is_object() ? select_library(value.get_object(), selection, tables) : json::object();
            if (!library.empty()) {
                libraries.push_back(std::move(library));
            }
        }
    }
    auto problems = limit_problems(JsonReader(status).array("problems"), selection, tables);
    status["libraries"] = std::move(libraries);
    status["problems"] = std::move(problems);
    for (const auto* name : {"notices", "absent", "headline", "exit_code"}) {
        status.erase(name);
    }
    return json::serialize(status);
}

Result<std::string> select_problems(std::string_view text, std::string_view id)
{
    SHELFD_TRY_ASSIGN(status, parse_status(text));
    json::array selected;
    if (const auto* all = JsonReader(status).array("problems")) {
        for (const auto& value : *all) {
            const auto* problem = value.if_object();
            const auto has = [&](const char* name) { return JsonReader(*problem).text(name) == id; };
            if (problem != nullptr && (has("id") || has("incident") || has("cause"))) {
                selected.push_back(value);
            }
        }
    }
    return json::serialize(selected);
}

}  // namespace shelfd::ctl
