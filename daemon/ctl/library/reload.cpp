#include "base/words/named_command.hpp"
#include "config/load.hpp"
#include "config/show.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/plan/change_costs.hpp"
#include "ctl/plan/configuration_diff.hpp"
#include "ctl/plan/folded_changes.hpp"
#include "ctl/plan/table_sizes.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// The sizes of a renamed library are found under either name.
std::vector<PlannedLibrary> planned(const Context& context, const config::Configuration& configuration)
{
    std::vector<PlannedLibrary> libraries;
    for (const auto& library : configuration.libraries) {
        auto sizes = known_sizes(context, configuration, library.name);
        if (sizes.empty() && !library.formerly.empty()) {
            sizes = known_sizes(context, configuration, library.formerly);
        }
        libraries.push_back({&library, std::move(sizes)});
    }
    return libraries;
}

// The daemon's configuration as it is read again: its text is a file that nobody has written.
std::optional<config::Configuration> read_shown(const Context& context, const std::string& text)
{
    const std::string nowhere = "/nonexistent/shelfd-in-effect.toml";
    return config::load(nowhere, context.environment, config::KeepOrigins::no, config::Secrets::as_anybody,
                        {{nowhere, text}})
        .configuration;
}

struct ComingChanges {
    std::vector<ConfigurationChange> all;
    // Why the configuration cannot be read here, while the daemon can: mostly the rights of who asks.
    std::string unread = {};
};

ComingChanges coming_changes(const Context& context, const std::string& in_effect)
{
    const auto next = config::load(context.command.config_file, context.environment, config::KeepOrigins::no);
    if (!next.configuration) {
        return {{}, next.faults.empty() ? "it cannot be read" : to_text(next.faults.front())};
    }
    auto changes = compare_configurations(in_effect, config::show(*next.configuration, config::ShowOrigin::no));
    if (const auto now = read_shown(context, in_effect)) {
        add_costs(changes, planned(context, *now), planned(context, *next.configuration), context.clock.now());
    }
    return {std::move(changes)};
}

json::object json_of(const ConfigurationChange& change)
{
    const auto* kind = change.kind == ConfigurationChange::Kind::added     ? "added"
                       : change.kind == ConfigurationChange::Kind::removed ? "removed"
                                                                           : "changed";
    const auto cost = change.requests_an_hour ? json::value(*change.requests_an_hour) : json::value(nullptr);
    return {{"kind", kind},
            {"what", change.what},
            {"consequence", change.consequence},
            {"requests_an_hour", cost},
            {"is_unknown", change.is_unknown},
            {"unknown_lists", json::array(change.unread.begin(), change.unread.end())}};
}

// All changes as values, and what they cost together; null if they are not known.
void add_differences(json::object& said, const ComingChanges& coming)
{
    if (!coming.unread.empty()) {
        for (const auto* name : {"differences", "requests_an_hour", "unknown"}) {
            said[name] = nullptr;
        }
        said["unread"] = coming.unread;
        return;
    }
    const auto& changes = coming.all;
    auto& all = said["differences"] = json::array();
    for (const auto& change : changes) {
        all.as_array().push_back(json_of(change));
    }
    const auto total = total_of(changes);
    said["requests_an_hour"] = total.requests_an_hour;
    said["unknown"] = total.unknown;
}

void print_changes(const Context& context, const std::vector<ConfigurationChange>& changes)
{
    for (const auto& change : fold_changes(changes)) {
        context.terminal.print(to_text(change) + "\n");
    }
}

// The daemon reports what became of the others in its own words.
std::vector<ConfigurationChange> of_libraries(std::vector<ConfigurationChange> changes)
{
    std::erase_if(changes,
                  [](const ConfigurationChange& change) { return change.area == ConfigurationChange::Area::daemon; });
    return changes;
}

// "library ghent added": the differences say the same, and which keys. The daemon sends its changes as sentences only,
// and may be of another version than this program.
bool is_detailed(const std::string& line)
{
    return line.starts_with("library ") &&
           (line.ends_with(" added") || line.ends_with(" changed") || line.ends_with(" on disk") ||
            line.find(" is the new name of ") != std::string::npos);
}

constexpr auto to_correct = "correct that (shelfctl config check tests it without a reload), then: shelfctl reload";

// "shelfd.toml:3:1: unknown key", as the daemon writes each fault; other lines have a text only.
json::object fault_of(const std::string& line)
{
    constexpr std::string_view digits = "0123456789";
    constexpr std::size_t longest = 9;  // so that the number is an int
    for (auto at = line.find(':'); at != std::string::npos; at = line.find(':', at + 1)) {
        const auto middle = line.find_first_not_of(digits, at + 1);
        const auto end = middle == std::string::npos ? middle : line.find_first_not_of(digits, middle + 1);
        const bool is_place = end != std::string::npos && line[middle] == ':' && line.compare(end, 2, ": ") == 0 &&
                              middle > at + 1 && end > middle + 1 && middle - at <= longest && end - middle <= longest;
        if (is_place) {
            return {{"file", line.substr(0, at)},
                    {"line", std::stoi(line.substr(at + 1))},
                    {"column", std::stoi(line.substr(middle + 1))},
                    {"text", line.substr(end + 2)}};
        }
    }
    return {{"file", nullptr}, {"line", nullptr}, {"column", nullptr}, {"text", line}};
}

// What to do about a reload that was refused; "" = the error says it, or it is no fault of the configuration or disk.
std::string cure_of(const Error& error)
{
    if (error.kind() == ErrorKind::config) {
        return to_correct;
    }
    const bool may_be_corrected = error.kind() == ErrorKind::storage || error.kind() == ErrorKind::not_found ||
                                  error.kind() == ErrorKind::needs_person || error.kind() == ErrorKind::usage;
    return may_be_corrected && !names_command(error.text()) ? "correct that, then: shelfctl reload" : "";
}

ExitCode refused(const Context& context, const Error& error)
{
    const bool is_config = error.kind() == ErrorKind::config;
    const auto cure = cure_of(error);
    if (context.command.output == Output::json) {
        json::array faults;
        std::istringstream lines(is_config ? error.text() : "");
        for (std::string line; std::getline(lines, line);) {
            faults.push_back(fault_of(line));
        }
        const json::object said{{"ok", false},
                                {"error", {{"kind", to_string(error.kind())}, {"text", error.text()}}},
                                {"faults", std::move(faults)},
                                {"do_this", cure.empty() ? json::value(nullptr) : json::value(cure)}};
        context.terminal.print_json(json::serialize(said) + "\n");
        return exit_code_of(error);
    }
    context.terminal.complain(error.text());
    if (!cure.empty()) {
        context.terminal.complain("the running configuration stays in use; " + cure);
    }
    return exit_code_of(error);
}

void print_warnings(const Context& context, const JsonReader& answer)
{
    for (const auto& warning : answer.texts("warnings")) {
        context.terminal.print(fmt::format("warning: {}\n", warning));
    }
}

ExitCode print_dry_run(const Context& context, const json::object& answer)
{
    const JsonReader in(answer);
    const auto changes = coming_changes(context, in.text("before"));
    if (context.command.output == Output::json) {
        const auto* warnings = answer.if_contains("warnings");
        const auto* lines = answer.if_contains("changes");
        json::object said{{"changes", lines != nullptr ? *lines : json::value(json::array())},
                          {"warnings", warnings != nullptr ? *warnings : json::value(json::array())}};
        add_differences(said, changes);
        context.terminal.print_json(json::serialize(said) + "\n");
        return ExitCode::done;
    }
    print_warnings(context, in);
    for (const auto& line : in.texts("changes")) {
        context.terminal.print(line + "\n");
    }
    print_changes(context, changes.all);
    if (!changes.unread.empty()) {
        context.terminal.print(fmt::format("what would change cannot be shown: {}\n", changes.unread));
    }
    const bool is_same = changes.all.empty() && changes.unread.empty() && in.texts("changes").empty();
    context.terminal.print(is_same ? "nothing would change\n" : "nothing was changed (--dry-run)\n");
    return ExitCode::done;
}

ExitCode print_reload(const Context& context, json::object& answer)
{
    const auto before = JsonReader(answer).text("before");
    answer.erase("before");
    // Another configuration may have been written meanwhile: then this says what the next reload changes, too.
    const auto changes = before.empty() ? ComingChanges() : coming_changes(context, before);
    if (context.command.output == Output::json) {
        add_differences(answer, changes);
        context.terminal.print_json(json::serialize(answer) + "\n");
        return ExitCode::done;
    }
    const JsonReader in(answer);
    print_warnings(context, in);
    const auto told = in.texts("changes");
    const auto detailed = of_libraries(changes.all);
    for (const auto& line : told) {
        if (detailed.empty() || !is_detailed(line)) {
            context.terminal.print(line + "\n");
        }
    }
    print_changes(context, detailed);
    if (told.empty() && changes.all.empty()) {
        context.terminal.print("configuration and client secrets were read again; nothing has changed\n");
    }
    return ExitCode::done;
}

}  // namespace

ExitCode run_reload(const Context& context)
{
    const bool is_dry = context.command.sync.dry_run;
    const auto answer =
        client_of(context).post(is_dry ? "/v1/reload?before=true&dry_run=true" : "/v1/reload?before=true", Secret());
    if (!answer) {
        return fail_without_daemon(context, answer.error());
    }
    if (const auto checked = answer->check(); !checked) {
        return refused(context, checked.error());
    }
    boost::system::error_code broken;
    auto document = json::parse(answer->body, broken);
    if (broken || !document.is_object()) {
        return fail(context, Error(ErrorKind::protocol, "the answer does not come from shelfd"));
    }
    return is_dry ? print_dry_run(context, document.get_object()) : print_reload(context, document.get_object());
}

}  // namespace shelfd::ctl
