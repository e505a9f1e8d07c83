#include "config/check/values.hpp"
#include "config/load.hpp"
#include "ctl/context/places.hpp"
#include "ctl/login/ask_letter.hpp"
#include "ctl/verb/verbs.hpp"
#include "storage/filesystem.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace shelfd::ctl {
namespace {

// What the daemon knows; empty if no daemon answers or this user may not ask.
std::optional<StatusView> present_status(const Context& context)
{
    const auto answer = client_of(context).get("/v1/status");
    auto status = answer && answer->check() ? read_status(answer->body) : Error(ErrorKind::network, "");
    return status ? std::optional(std::move(*status)) : std::nullopt;
}

std::optional<PresentAccess> access_to(const std::optional<StatusView>& status, const std::string& library)
{
    if (!status) {
        return std::nullopt;
    }
    const auto& all = status->libraries;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == library; });
    return found == all.end() ? std::nullopt : std::optional(access_of(*found));
}

Result<void> create_folder(const std::string& folder)
{
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (std::error_code unknown; failed || !std::filesystem::is_directory(folder, unknown)) {
        return Error(ErrorKind::usage, fmt::format("cannot create the directory {} for the letters: {}; name another "
                                                   "one after --into",
                                                   folder, failed ? failed.message() : "it is a file"));
    }
    return {};
}

Result<void> write_letter(const Context& context, const config::Library& library,
                          const std::optional<PresentAccess>& access)
{
    const auto& auth = context.command.auth;
    const auto& language = auth.language.empty() ? library.service.language : auth.language;
    if (!config::is_name(language)) {
        return Error(ErrorKind::usage, fmt::format("\"{}\" is not the name of a language: en, nl, fr, de or your own, "
                                                   "of a-z, 0-9 and _",
                                                   language));
    }
    SHELFD_TRY_ASSIGN(letter, find_letter(context.command.config_file, language));
    const auto text = ask_letter(letter, library, access, context.clock.now());
    const bool as_json = context.command.output == Output::json;
    const auto print_object = [&](const char* member, const std::string& value) {
        const boost::json::object line{{"library", library.name}, {member, value}};
        context.terminal.print_json(boost::json::serialize(line) + "\n");
    };
    if (auth.folder.empty()) {
        if (as_json) {
            print_object("letter", text);
        } else {
            context.terminal.print(context.command.all ? text + "\n\n" : text);
        }
        return {};
    }
    SHELFD_TRY(create_folder(auth.folder));
    const auto path = fmt::format("{}/{}.txt", auth.folder, library.name);
    SHELFD_TRY(storage::replace_file(path, text, {.mode = 0644}));
    if (as_json) {
        print_object("path", path);
    } else {
        context.terminal.print(path + "\n");
    }
    return {};
}

// Without a daemon nobody knows whose owner need not be asked: then all are.
ExitCode ask_all(const Context& context, const config::Configuration& configuration,
                 const std::optional<StatusView>& status)
{
    std::size_t written = 0;
    for (const auto& library : configuration.libraries) {
        const auto access = access_to(status, library.name);
        if (access && !needs_owner(*access)) {
            continue;
        }
        if (const auto done = write_letter(context, library, access); !done) {
            return fail(context, done.error());
        }
        ++written;
    }
    if (written == 0) {
        context.terminal.complain("no token set needs its owner now; a letter for one library: shelfctl auth ask LIB");
    }
    return ExitCode::done;
}

}  // namespace

ExitCode run_auth_ask(const Context& context)
{
    const auto loaded = config::load(context.command.config_file, context.environment, config::KeepOrigins::no);
    if (!loaded.configuration) {
        for (const auto& fault : loaded.faults) {
            context.terminal.complain(config::to_text(fault));
        }
        return ExitCode::config;
    }
    const auto status = present_status(context);
    if (!status) {
        context.terminal.complain("no daemon reports the state of the present set; the letter leaves it out");
    }
    if (context.command.all) {
        return ask_all(context, *loaded.configuration, status);
    }
    const auto* library = loaded.configuration->find_library(context.command.library);
    if (library == nullptr) {
        return fail(context, no_library(context.command, *loaded.configuration));
    }
    const auto done = write_letter(context, *library, access_to(status, library->name));
    return done ? ExitCode::done : fail(context, done.error());
}

}  // namespace shelfd::ctl
