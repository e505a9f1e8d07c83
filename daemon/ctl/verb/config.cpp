#include "config/check/values.hpp"
#include "config/load.hpp"
#include "config/show.hpp"
#include "config/tree/toml_reader.hpp"
#include "config/unknown_readers.hpp"
#include "ctl/context/former_names.hpp"
#include "ctl/context/places.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// What is found in a configuration: told on standard error, or kept for one JSON object.
class Findings {
public:
    explicit Findings(const Context& context) : context_(context) {}

    void fault(const config::Fault& one)
    {
        is_json() ? faults_.push_back(with_position(one)) : context_.terminal.complain(config::to_text(one));
    }
    void warning(const config::Fault& one)
    {
        is_json() ? warnings_.push_back(with_position(one))
                  : context_.terminal.complain("warning: " + config::to_text(one));
    }
    // About something that no line of a file holds.
    void warning(const std::string& text)
    {
        is_json() ? warnings_.push_back(json::object{{"text", text}}) : context_.terminal.complain("warning: " + text);
    }
    bool is_json() const { return context_.command.output == Output::json; }
    // The object without the findings, which it gets here.
    void print(json::object answer)
    {
        answer["faults"] = std::move(faults_);
        answer["warnings"] = std::move(warnings_);
        context_.terminal.print_json(json::serialize(answer) + "\n");
    }

private:
    static json::object with_position(const config::Fault& one)
    {
        const auto& at = one.position;
        return {{"file", at.file}, {"line", at.line}, {"column", at.column}, {"text", one.text}};
    }

    const Context& context_;
    json::array faults_;
    json::array warnings_;
};

std::optional<config::Configuration> load(const Context& context, config::KeepOrigins keep, Findings& findings)
{
    auto loaded = config::load(context.command.config_file, context.environment, keep);
    for (const auto& fault : loaded.faults) {
        findings.fault(fault);
    }
    for (const auto& warning : loaded.warnings) {
        findings.warning(warning);
    }
    return std::move(loaded.configuration);
}

// The daemon would end at once; here the command may run on another machine than the daemon.
void warn_of_missing_directories(Findings& findings, const config::Storage& storage)
{
    for (const auto& [key, directory] : {std::pair("mirrors", storage.mirrors), std::pair("tokens", storage.tokens),
                                         std::pair("tokens_copy", storage.tokens_copy)}) {
        std::error_code unknown;
        if (!directory.empty() && !std::filesystem::exists(directory, unknown) && !unknown) {
            findings.warning(fmt::format("storage.{}: there is no directory {} on this machine", key, directory));
        }
    }
}

// What is kept of libraries that the configuration does not have, as far as this user may look.
void warn_of_kept(Findings& findings, const config::Configuration& configuration)
{
    std::map<std::string, std::pair<bool, bool>> kept;  // by name: set, mirror
    const auto look = [&](const std::string& folder, const char* suffix, auto record) {
        std::error_code failed;
        for (std::filesystem::directory_iterator each(folder, failed), end; !failed && each != end;
             each.increment(failed)) {
            const auto name = each->path().filename().string();
            std::error_code unknown;
            const auto file = each->path() / (*suffix == '.' ? name + suffix : suffix);
            if (config::is_name(name) && configuration.find_library(name) == nullptr &&
                std::filesystem::exists(file, unknown)) {
                record(kept[name]);
            }
        }
    };
    look(configuration.storage.tokens, "journal.a", [](auto& found) { found.first = true; });
    look(configuration.storage.mirrors, ".db", [](auto& found) { found.second = true; });
    for (const auto& [name, found] : kept) {
        if (is_former_name(configuration, name)) {
            continue;
        }
        const auto* what = !found.first   ? "its mirror is kept"
                           : found.second ? "its token journals and its mirror are kept"
                                          : "its token journals are kept";
        findings.warning(fmt::format("{0} is no longer configured; {1}. Renamed? shelfctl library rename {0} NEW; "
                                     "otherwise: shelfctl library forget {0}",
                                     name, what));
    }
}

std::string counted(std::size_t count, const char* one, const char* many)
{
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

json::value value_of(const config::Node& node)
{
    using Kind = config::Node::Kind;
    switch (node.kind) {
    case Kind::string:
    case Kind::real:
    case Kind::time: return json::value(node.text);
    case Kind::integer: return node.integer;
    case Kind::boolean: return node.boolean;
    case Kind::array: {
        json::array elements;
        for (const auto& child : node.children) {
            elements.push_back(value_of(child));
        }
        return elements;
    }
    case Kind::table: {
        json::object members;
        for (const auto& child : node.children) {
            members[child.key] = value_of(child);
        }
        return members;
    }
    }
    std::abort();
}

// The tables of the TOML that is shown as text.
ExitCode print_as_json(const Context& context, const std::string& toml, const config::Origins& origins,
                       const std::string& prefix)
{
    config::FaultList faults;
    const auto tables = config::read_toml(toml, "", faults);
    if (!tables) {
        return fail(context, Error(ErrorKind::corrupt, "bug: the configuration was written as invalid TOML"));
    }
    auto answer = value_of(*tables);
    if (context.command.print.origin) {
        json::object places;
        for (const auto& [key, at] : origins) {
            if (at.line > 0 && key.starts_with(prefix)) {
                places[key] = json::object{{"file", at.file}, {"line", at.line}};
            }
        }
        answer.as_object()["origins"] = std::move(places);
    }
    context.terminal.print_json(json::serialize(answer) + "\n");
    return ExitCode::done;
}

}  // namespace

ExitCode run_config_check(const Context& context)
{
    Findings findings(context);
    const auto& file = context.command.config_file;
    const auto refuse = [&] {
        if (findings.is_json()) {
            findings.print({{"file", file}, {"ok", false}, {"libraries", nullptr}, {"tables", nullptr}});
        }
        return ExitCode::config;
    };
    const auto configuration = load(context, config::KeepOrigins::yes, findings);
    if (!configuration) {
        return refuse();
    }
    const auto unknown = config::find_unknown_readers(*configuration);
    for (const auto& fault : unknown) {
        findings.fault(fault);
    }
    if (!unknown.empty()) {
        return refuse();
    }
    warn_of_missing_directories(findings, configuration->storage);
    std::size_t tables = 0;
    for (const auto& library : configuration->libraries) {
        tables += library.resources.size();
    }
    warn_of_kept(findings, *configuration);
    const auto libraries = configuration->libraries.size();
    if (findings.is_json()) {
        findings.print({{"file", file}, {"ok", true}, {"libraries", libraries}, {"tables", tables}});
        return ExitCode::done;
    }
    context.terminal.print(fmt::format("{}: ok, {}, {}\n", file, counted(libraries, "library", "libraries"),
                                       counted(tables, "table", "tables")));
    return ExitCode::done;
}

ExitCode run_config_show(const Context& context)
{
    const bool origin = context.command.print.origin;
    const bool is_json = context.command.output == Output::json;
    Findings findings(context);
    const auto configuration = load(context, origin ? config::KeepOrigins::yes : config::KeepOrigins::no, findings);
    if (!configuration) {
        if (is_json) {
            findings.print({});
        }
        return ExitCode::config;
    }
    const auto show_origin = origin && !is_json ? config::ShowOrigin::yes : config::ShowOrigin::no;
    const auto& name = context.command.library;
    const auto* library = name.empty() ? nullptr : configuration->find_library(name);
    if (library == nullptr && !name.empty()) {
        return fail(context, no_library(context.command, *configuration));
    }
    const auto toml = library == nullptr ? config::show(*configuration, show_origin)
                                         : config::show(*configuration, *library, show_origin);
    if (is_json) {
        return print_as_json(context, toml, configuration->origins,
                             library == nullptr ? "" : fmt::format("library.{}.", name));
    }
    context.terminal.print_exact(toml);
    return ExitCode::done;
}

}  // namespace shelfd::ctl
