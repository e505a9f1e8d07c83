#include "config/check/values.hpp"
#include "config/load.hpp"
#include "config/show.hpp"
#include "config/unknown_readers.hpp"
#include "ctl/context/former_names.hpp"
#include "ctl/context/places.hpp"
#include "ctl/verb/verbs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

namespace shelfd::ctl {
namespace {

std::optional<config::Configuration> load(const Context& context, config::KeepOrigins keep)
{
    auto loaded = config::load(context.command.config_file, context.environment, keep);
    for (const auto& fault : loaded.faults) {
        context.terminal.complain(config::to_text(fault));
    }
    for (const auto& warning : loaded.warnings) {
        context.terminal.complain("warning: " + config::to_text(warning));
    }
    return std::move(loaded.configuration);
}

// The daemon would end at once; here the command may run on another machine than the daemon.
void warn_of_missing_directories(const Context& context, const config::Storage& storage)
{
    for (const auto& [key, directory] : {std::pair("mirrors", storage.mirrors), std::pair("tokens", storage.tokens),
                                         std::pair("tokens_copy", storage.tokens_copy)}) {
        std::error_code unknown;
        if (!directory.empty() && !std::filesystem::exists(directory, unknown) && !unknown) {
            context.terminal.complain(
                fmt::format("warning: storage.{}: there is no directory {} on this machine", key, directory));
        }
    }
}

// What is kept of libraries that the configuration does not have, as far as this user may look.
void warn_of_kept(const Context& context, const config::Configuration& configuration)
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
        context.terminal.complain(fmt::format("warning: {0} is no longer configured; {1}. Renamed? shelfctl library "
                                              "rename {0} NEW; otherwise: shelfctl library forget {0}",
                                              name, what));
    }
}

std::string counted(std::size_t count, const char* one, const char* many)
{
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

ExitCode run_config_check(const Context& context)
{
    const auto configuration = load(context, config::KeepOrigins::yes);
    if (!configuration) {
        return ExitCode::config;
    }
    const auto unknown = config::find_unknown_readers(*configuration);
    for (const auto& fault : unknown) {
        context.terminal.complain(config::to_text(fault));
    }
    if (!unknown.empty()) {
        return ExitCode::config;
    }
    warn_of_missing_directories(context, configuration->storage);
    std::size_t tables = 0;
    for (const auto& library : configuration->libraries) {
        tables += library.resources.size();
    }
    warn_of_kept(context, *configuration);
    context.terminal.print(fmt::format("{}: ok, {}, {}\n", context.command.config_file,
                                       counted(configuration->libraries.size(), "library", "libraries"),
                                       counted(tables, "table", "tables")));
    return ExitCode::done;
}

ExitCode run_config_show(const Context& context)
{
    const bool origin = context.command.print.origin;
    const auto configuration = load(context, origin ? config::KeepOrigins::yes : config::KeepOrigins::no);
    if (!configuration) {
        return ExitCode::config;
    }
    const auto show_origin = origin ? config::ShowOrigin::yes : config::ShowOrigin::no;
    if (context.command.library.empty()) {
        context.terminal.print_exact(config::show(*configuration, show_origin));
        return ExitCode::done;
    }
    const auto* library = configuration->find_library(context.command.library);
    if (library == nullptr) {
        return fail(context, no_library(context.command, *configuration));
    }
    context.terminal.print_exact(config::show(*configuration, *library, show_origin));
    return ExitCode::done;
}

}  // namespace shelfd::ctl
