#include "config/load.hpp"
#include "config/tree/toml_text.hpp"
#include "ctl/context/confirmation.hpp"
#include "ctl/context/ending_signals.hpp"
#include "ctl/daemon/answer.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/daemon/report.hpp"
#include "ctl/login/import_set.hpp"
#include "ctl/login/known_library.hpp"
#include "ctl/moves/libraries_here.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// Sends a POST that names the library; prints `done` if it succeeded.
ExitCode act(const Context& context, const std::string& path, const std::string& done)
{
    const json::object body{{"library", context.command.library}};
    const auto answer = client_of(context).post(path, Secret(json::serialize(body)));
    if (!answer) {
        return fail_without_daemon(context, answer.error());
    }
    if (const auto checked = answer->check(); !checked) {
        return fail(context, checked.error());
    }
    if (context.command.output == Output::json) {
        context.terminal.print_json(answer->body + "\n");
    } else {
        context.terminal.print(done);
    }
    return ExitCode::done;
}

// Says of the adopted sets which are older than what was in use here. A daemon that does not answer now has adopted
// them all the same.
void warn_of_adopted(const Context& context, const std::vector<std::string>& adopted)
{
    if (adopted.empty()) {
        return;
    }
    const auto answer = client_of(context).get("/v1/status");
    const auto status = answer && answer->check() ? read_status(answer->body) : Error(ErrorKind::network, "no status");
    if (!status) {
        return;
    }
    for (const auto& library : status->libraries) {
        const auto& token = library.token;
        const bool is_adopted = std::find(adopted.begin(), adopted.end(), library.name) != adopted.end();
        if (is_adopted && !token.reason.empty()) {
            context.terminal.complain(fmt::format("warning: {}: {}{}{}", library.name, token.reason,
                                                  token.do_this.empty() ? "" : "; ", token.do_this));
        }
    }
}

// Tries all of them: one that refuses stops no other.
ExitCode adopt_all(const Context& context)
{
    auto code = ExitCode::done;
    const auto status = libraries_here(context, code);
    if (!status) {
        return code;
    }
    std::vector<std::string> adopted;
    for (const auto& library : status->libraries) {
        if (library.token.state != TokenState::copied) {
            continue;
        }
        const json::object body{{"library", library.name}};
        json::object ignored;
        const auto done = ask_to_act(context, "/v1/auth/adopt", body, ignored);
        if (done == ExitCode::done) {
            adopted.push_back(library.name);
        }
        code = done == ExitCode::done ? code : done;
    }
    if (context.command.output == Output::json) {
        context.terminal.print_json(json::serialize(json::object{{"adopted", adopted.size()}}) + "\n");
        return code;
    }
    warn_of_adopted(context, adopted);
    context.terminal.print(adopted.empty() && code == ExitCode::done
                               ? std::string("no store waits to be adopted here; see: shelfctl auth status --all\n")
                               : fmt::format("{} {} in use here now; see: shelfctl auth status --all\n", adopted.size(),
                                             adopted.size() == 1 ? "store is" : "stores are"));
    return code;
}

// Of a set that was taken: without library_id, the next one may be of any library.
void tell_of_owner(const Context& context, const std::string& id)
{
    const auto loaded = config::load(context.command.config_file, context.environment);
    const auto* library = loaded.configuration ? loaded.configuration->find_library(context.command.library) : nullptr;
    if (library == nullptr || id.empty() || id == library->library_id) {
        return;
    }
    // A paused one may wait for `library resume`, which writes it.
    if (library->library_id.empty() && !library->paused) {
        context.terminal.print(fmt::format("to refuse sets of other libraries from now on, write library_id = {} in "
                                           "[library.{}] ({}), then: shelfctl reload\n",
                                           config::quote(id), library->name, config::to_text(library->position)));
    }
    if (const auto other = other_holder(context, *loaded.configuration, id); !other.empty()) {
        context.terminal.complain("warning: " + other);
    }
}

// Where another set is needed, who asks for it need not write the letter.
void offer_letter(const Context& context, const json::object& answer)
{
    const auto* error = JsonReader(answer).object("error");
    const auto why = error != nullptr ? JsonReader(*error).text("text") : std::string();
    if (why.find("ask the owner for a new set") != std::string::npos) {
        context.terminal.complain(
            fmt::format("a letter to the owner is printed by: shelfctl auth ask {}", context.command.library));
    }
}

}  // namespace

ExitCode run_auth_import(const Context& context)
{
    if (const auto named = check_library_name(context.command.library); !named) {
        return fail(context, named.error());
    }
    // Whoever pastes a secret learns before that there is such a library.
    if (const auto known = context.terminal.can_ask() ? check_known(context) : Result<void>(); !known) {
        return fail(context, known.error());
    }
    const EndingSignals caught;  // a set that is on its way is taken, or refused, in any case
    json::object answer;
    const auto code = import_set(context, answer);
    if (code != ExitCode::done && was_interrupted()) {
        tell_of_kept_set(context, "import");
    } else if (code != ExitCode::done) {
        offer_letter(context, answer);
    }
    if (code == ExitCode::done) {
        print_report(context, answer);
    }
    if (code == ExitCode::done && context.command.output != Output::json) {
        tell_of_owner(context, JsonReader(answer).text("library_id"));
    }
    return code;
}

ExitCode run_auth_token(const Context& context)
{
    const json::object body{{"library", context.command.library}};
    const auto answer = client_of(context).post("/v1/auth/token", Secret(json::serialize(body)));
    if (!answer) {
        return fail_without_daemon(context, answer.error());
    }
    if (const auto checked = answer->check(); !checked) {
        return fail(context, checked.error());
    }
    if (context.command.output == Output::json) {
        const json::object line{{"library", context.command.library}, {"access_token", answer->body}};
        context.terminal.print_exact(json::serialize(line) + "\n");
    } else {
        context.terminal.print_exact(answer->body + "\n");
    }
    return ExitCode::done;
}

ExitCode run_auth_adopt(const Context& context)
{
    if (context.command.all) {
        return adopt_all(context);
    }
    const auto& library = context.command.library;
    const auto code =
        act(context, "/v1/auth/adopt",
            fmt::format("{}: this store is now in use; see: shelfctl auth status {}\n", library, library));
    if (code == ExitCode::done && context.command.output != Output::json) {
        warn_of_adopted(context, {library});
    }
    return code;
}

ExitCode run_auth_forget(const Context& context)
{
    const auto& library = context.command.library;
    if (const auto known = context.command.force ? Result<void>() : check_known(context); !known) {
        return fail(context, known.error());
    }
    // A refresh token works once, and the daemon cannot issue another.
    const auto what = fmt::format("this destroys the token set of {0} for good, and only the owner can issue another "
                                  "one (to move it to another machine: shelfctl auth move-out {0})",
                                  library);
    const auto otherwise = fmt::format("the token set of {} was not changed", library);
    if (const auto agreed = confirm_by_name(context, what, otherwise); !agreed) {
        return fail(context, agreed.error());
    }
    return act(context, "/v1/auth/forget",
               fmt::format("{0}: both copies of its token set are destroyed; the mirror stays. To import another one: "
                           "shelfctl auth import {0}\n",
                           library));
}

}  // namespace shelfd::ctl
