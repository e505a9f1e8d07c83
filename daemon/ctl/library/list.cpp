#include "base/state/table_state.hpp"
#include "ctl/context/former_names.hpp"
#include "ctl/context/places.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/library/configuration_files.hpp"
#include "ctl/library/library_verbs.hpp"
#include "ctl/screen/table.hpp"
#include "ctl/status/problem_list.hpp"
#include "ctl/status/status_view.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

struct Row {
    std::string name;
    std::string state;        // of its tables; "kept": not configured; "unknown": the daemon does not say
    std::string library_id;   // "" = not known
    std::string application;  // "" = its own
    std::string token;        // the keeper's word; "" = unknown
    std::size_t tables = 0;
    std::string note;
};

// Directories of mirrors that no library of the configuration has.
std::vector<Row> kept_rows(const Context& context, const config::Configuration& configuration)
{
    std::vector<Row> rows;
    std::error_code failed;
    const auto mirrors = find_places(context.command, context.environment).mirrors;
    for (fs::directory_iterator each(mirrors, failed), end; !failed && each != end; each.increment(failed)) {
        const auto name = each->path().filename().string();
        std::error_code unknown;
        if (!name.starts_with('.') && configuration.find_library(name) == nullptr &&
            !is_former_name(configuration, name) && fs::is_directory(each->path() / "", unknown) &&
            fs::exists(each->path() / (name + ".db"), unknown)) {
            rows.emplace_back().name = name;
            rows.back().state = "kept";
        }
    }
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.name < b.name; });
    return rows;
}

Row row_of(const config::Library& library, const std::optional<StatusView>& status)
{
    Row row;
    row.name = library.name;
    row.state = "unknown";
    row.library_id = library.library_id;
    row.application = library.application.name;
    row.tables = library.resources.size();
    row.note = library.note;
    if (!status) {
        return row;
    }
    const auto& all = status->libraries;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == library.name; });
    const auto& absent = status->absent;
    const bool is_absent = std::find(absent.begin(), absent.end(), library.name) != absent.end();
    row.state = found != all.end() ? control::state_word(*found) : is_absent ? "not running" : row.state;
    if (found != all.end()) {
        row.library_id = row.library_id.empty() ? found->library_id : row.library_id;
        row.token = to_string(found->token.state);
    }
    return row;
}

json::object json_of(const Row& row)
{
    const auto text = [](const std::string& value) {
        return value.empty() ? json::value(nullptr) : json::value(value);
    };
    return {{"library", row.name},
            {"state", row.state},
            {"library_id", text(row.library_id)},
            {"application", text(row.application)},
            {"token", text(row.token)},
            {"tables", row.tables},
            {"note", text(row.note)}};
}

std::optional<StatusView> present_status(const Context& context)
{
    const auto answer = client_of(context).get("/v1/status");
    auto status = answer && answer->check() ? read_status(answer->body) : Error(ErrorKind::network, "");
    return status ? std::optional(std::move(*status)) : std::nullopt;
}

}  // namespace

ExitCode run_library_list(const Context& context)
{
    const auto configuration = read_configuration(context);
    if (!configuration) {
        return fail(context, configuration.error());
    }
    const auto status = present_status(context);
    std::vector<Row> rows;
    for (const auto& library : configuration->libraries) {
        rows.push_back(row_of(library, status));
    }
    const auto kept = kept_rows(context, *configuration);
    rows.insert(rows.end(), kept.begin(), kept.end());
    if (context.command.output == Output::json) {
        json::array all;
        for (const auto& row : rows) {
            all.push_back(json_of(row));
        }
        context.terminal.print_json(json::serialize(json::object{{"libraries", std::move(all)}}) + "\n");
        return ExitCode::done;
    }
    const auto for_person = [](const std::string& word) {
        const auto state = parse_table_state(word);
        return state ? std::string(for_people(*state)) : spaced(word);
    };
    Table table({{"LIBRARY"}, {"STATE"}, {"ID"}, {"APPLICATION"}, {"TOKEN SET"}, {"TABLES", Align::right}, {"NOTE"}});
    for (const auto& row : rows) {
        const auto tables = row.state == "kept" ? "" : std::to_string(row.tables);
        table.add({{row.name},
                   {for_person(row.state)},
                   {row.library_id},
                   {row.application},
                   {spaced(row.token)},
                   {tables},
                   {row.note}});
    }
    context.terminal.print(table.take(context.terminal));
    if (!status) {
        context.terminal.complain("no daemon reports the state of these libraries");
    } else if (std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.state == "unknown"; })) {
        context.terminal.complain("unknown: you may not read that library, or the daemon has not read the "
                                  "configuration since it was added (shelfctl reload)");
    }
    return ExitCode::done;
}

}  // namespace shelfd::ctl
