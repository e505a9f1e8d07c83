#include "config/load.hpp"
#include "config/show.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

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

std::string counted(std::size_t count, const char* one, const char* many)
{
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

void print_lines(const Context& context, const json::array* lines, const char* before)
{
    if (lines == nullptr) {
        return;
    }
    for (const auto& line : *lines) {
        if (line.is_string()) {
            const auto& text = line.get_string();
            context.terminal.print(fmt::format("{}{}\n", before, std::string_view(text.data(), text.size())));
        }
    }
}

}  // namespace

ExitCode run_config_check(const Context& context)
{
    const auto configuration = load(context, config::KeepOrigins::no);
    if (!configuration) {
        return ExitCode::config;
    }
    warn_of_missing_directories(context, configuration->storage);
    std::size_t tables = 0;
    for (const auto& library : configuration->libraries) {
        tables += library.resources.size();
    }
    context.terminal.print(fmt::format("{}: ok, {}, {}\n", context.command.config_file,
                                       counted(configuration->libraries.size(), "library", "libraries"),
                                       counted(tables, "table", "tables")));
    return ExitCode::done;
}

ExitCode run_config_show(const Context& context)
{
    const bool origin = context.command.origin;
    const auto configuration = load(context, origin ? config::KeepOrigins::yes : config::KeepOrigins::no);
    if (!configuration) {
        return ExitCode::config;
    }
    context.terminal.print_exact(
        config::show(*configuration, origin ? config::ShowOrigin::yes : config::ShowOrigin::no));
    return ExitCode::done;
}

ExitCode run_reload(const Context& context)
{
    const auto answer = client_of(context).post("/v1/reload", Secret());
    if (!answer) {
        return fail_without_daemon(context, answer.error());
    }
    if (const auto checked = answer->check(); !checked) {
        context.terminal.complain(checked.error().text());
        if (checked.error().kind() == ErrorKind::config) {
            context.terminal.complain("the running configuration stays in use; correct that (shelfctl config check "
                                      "tests it without a reload), then: shelfctl reload");
        }
        return exit_code_of(checked.error());
    }
    boost::system::error_code broken;
    const auto document = json::parse(answer->body, broken);
    if (broken || !document.is_object()) {
        return fail(context, Error(ErrorKind::protocol, "the answer does not come from shelfd"));
    }
    const JsonReader in(document.get_object());
    print_lines(context, in.array("warnings"), "warning: ");
    const auto* changes = in.array("changes");
    print_lines(context, changes, "");
    if (changes == nullptr || changes->empty()) {
        context.terminal.print("configuration and client secrets were read again; nothing has changed\n");
    }
    return ExitCode::done;
}

}  // namespace shelfd::ctl
