#include "base/words/names.hpp"
#include "base/words/renames.hpp"
#include "config/check/values.hpp"
#include "config/load.hpp"
#include "config/show.hpp"
#include "config/tree/toml_reader.hpp"
#include "config/unknown_readers.hpp"
#include "ctl/context/former_names.hpp"
#include "ctl/context/places.hpp"
#include "ctl/mirror/file.hpp"
#include "ctl/verb/verbs.hpp"
#include "storage/posix_journal_file.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

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

struct Kept {
    bool has_journals = false;
    bool has_mirror = false;
};

// By name: the stored data of libraries that the configuration does not have, as far as this user may look.
std::map<std::string, Kept> find_kept(const config::Configuration& configuration)
{
    std::map<std::string, Kept> kept;
    const auto look = [&](const std::string& folder, auto is_kept, auto record) {
        std::error_code failed;
        for (std::filesystem::directory_iterator each(folder, failed), end; !failed && each != end;
             each.increment(failed)) {
            const auto name = each->path().filename().string();
            if (config::is_name(name) && configuration.find_library(name) == nullptr &&
                !is_former_name(configuration, name) && is_kept(each->path(), name)) {
                record(kept[name]);
            }
        }
    };
    const auto has_journal = [](const std::filesystem::path& directory, const std::string&) {
        return storage::has_journal(directory.string());
    };
    const auto has_mirror = [](const std::filesystem::path& directory, const std::string& name) {
        std::error_code unknown;
        return std::filesystem::exists(directory / (name + ".db"), unknown);
    };
    look(configuration.storage.tokens, has_journal, [](Kept& found) { found.has_journals = true; });
    look(configuration.storage.mirrors, has_mirror, [](Kept& found) { found.has_mirror = true; });
    return kept;
}

// One value of a mirror; "" if there is none, or this user may not read it.
std::string read_mirror(const config::Storage& storage, const std::string& library, const char* sql)
{
    const auto path = fmt::format("{0}/{1}/{1}.db", storage.mirrors, library);
    std::error_code unknown;
    if (!std::filesystem::exists(path, unknown)) {
        return "";
    }
    auto database = open_to_read(path);
    auto query = database ? database->prepare(sql) : Result<storage::Statement>(database.error());
    const auto row = query ? query->step() : Result<bool>(query.error());
    return row && *row ? std::string(query->text(0)) : "";
}

// By its mirror, which records the generation of each set that fills it. False if that cannot be read.
bool never_had_set(const config::Storage& storage, const std::string& library)
{
    const auto says = [&](const char* sql) { return !read_mirror(storage, library, sql).empty(); };
    return says("SELECT key FROM _meta LIMIT 1") && !says("SELECT key FROM _meta WHERE key = 'token_generation'") &&
           !says("SELECT 1 FROM _resources WHERE as_of > ''");
}

// As the daemon guesses it. Of token sets only the daemon knows anything.
std::vector<LikelyName> guess_new_names(const config::Configuration& configuration,
                                        const std::map<std::string, Kept>& kept)
{
    std::vector<OldName> old;
    for (const auto& [name, found] : kept) {
        const auto id = read_mirror(configuration.storage, name, "SELECT value FROM _meta WHERE key = 'library_id'");
        old.push_back({name, id.empty() ? std::vector<std::string>() : std::vector{id}});
    }
    std::vector<NewName> unfilled;
    for (const auto& library : configuration.libraries) {
        if (read_mirror(configuration.storage, library.name, "SELECT 1 FROM _resources WHERE as_of > ''").empty()) {
            unfilled.push_back({library.name, library.library_id});
        }
    }
    return likely_new_names(old, unfilled);
}

void warn_of_kept(Findings& findings, const config::Configuration& configuration)
{
    const auto kept = find_kept(configuration);
    const auto likely = kept.empty() ? std::vector<LikelyName>() : guess_new_names(configuration, kept);
    auto next = likely.begin();
    for (const auto& [name, found] : kept) {
        const auto now = *next++;
        const bool had_none = never_had_set(configuration.storage, name);
        const auto* what = had_none              ? "its mirror is kept, and no token set was imported yet"
                           : !found.has_journals ? "its mirror is kept"
                           : found.has_mirror ? "its token journals, perhaps with a token set, and its mirror are kept"
                                              : "its token journals, perhaps with a token set, are kept";
        const bool is_renamed = found.has_journals && !had_none && (!now.name.empty() || !now.others.empty());
        const auto which =
            now.name.empty() ? fmt::format("NEW (one of: {})", list_nearest_first(name, now.others)) : now.name;
        findings.warning(
            fmt::format("{} is no longer configured; {}", name, what) +
            (is_renamed ? fmt::format(". Renamed? shelfctl library rename {0} {1}; otherwise: shelfctl library forget "
                                      "{0}",
                                      name, which)
                        : fmt::format(" (to remove it: shelfctl library forget {})", name)));
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
