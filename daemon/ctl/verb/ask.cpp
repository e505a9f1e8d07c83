#include "config/load.hpp"
#include "ctl/context/places.hpp"
#include "ctl/login/ask_letter.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace shelfd::ctl {
namespace {

// What the daemon knows about the set; empty if no daemon answers or this user may not ask.
std::optional<control::TokenStatus> present_token(const Context& context)
{
    const auto answer = client_of(context).get("/v1/status");
    const auto status = answer && answer->check() ? read_status(answer->body) : Error(ErrorKind::network, "");
    if (!status) {
        return std::nullopt;
    }
    const auto& libraries = status->libraries;
    const auto found = std::find_if(libraries.begin(), libraries.end(),
                                    [&](const auto& one) { return one.name == context.command.library; });
    return found == libraries.end() ? std::nullopt : std::optional(found->token);
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
    const auto* library = loaded.configuration->find_library(context.command.library);
    if (library == nullptr) {
        return fail(context, no_library(context.command, *loaded.configuration));
    }
    const auto token = present_token(context);
    if (!token) {
        context.terminal.complain("no daemon reports the state of the present set; the letter leaves it out");
    }
    const auto letter = ask_letter(*library, token, context.clock.now());
    if (context.command.output == Output::json) {
        const boost::json::object line{{"library", library->name}, {"letter", letter}};
        context.terminal.print_json(boost::json::serialize(line) + "\n");
    } else {
        context.terminal.print(letter);
    }
    return ExitCode::done;
}

}  // namespace shelfd::ctl
