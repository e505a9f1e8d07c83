// What each verb does. All of them block, write to the terminal, and end with an exit code.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "ctl/authorization.hpp"
#include "ctl/command.hpp"
#include "ctl/daemon_client.hpp"
#include "ctl/exit_code.hpp"
#include "ctl/places.hpp"
#include "ctl/terminal.hpp"
#include "runtime/clock.hpp"

#include <functional>
#include <string>

namespace shelfd::ctl {

// References to what the caller keeps alive.
struct Context {
    const Command& command;
    const Environment& environment;
    Terminal& terminal;
    Clock& clock;
    // All of standard input; a terminal is asked, and does not show what is typed.
    std::function<Result<Secret>(const std::string& prompt)> read_input;
    // One line of it; a terminal is asked, and shows what is typed.
    std::function<Result<Secret>(const std::string& prompt)> read_line = {};
    RandomBytes random = {};
    // Shows a page in the person's browser; false where none can be started.
    std::function<bool(const std::string& url)> browse = {};

    DaemonClient client() const { return DaemonClient(find_places(command, environment).socket); }
};

ExitCode run_status(const Context& context);
ExitCode run_sync(const Context& context);
ExitCode run_wait(const Context& context);
ExitCode run_sql(const Context& context);
ExitCode run_changes(const Context& context);
ExitCode run_schema(const Context& context);
ExitCode run_held(const Context& context);
ExitCode run_snapshot(const Context& context);
ExitCode run_explain(const Context& context);
ExitCode run_plan(const Context& context);
ExitCode run_probe(const Context& context);
ExitCode run_verify(const Context& context);
ExitCode run_get(const Context& context);
ExitCode run_auth_import(const Context& context);
ExitCode run_auth_login(const Context& context);
ExitCode run_auth_ask(const Context& context);
ExitCode run_auth_move_out(const Context& context);
ExitCode run_auth_move_in(const Context& context);
ExitCode run_auth_status(const Context& context);
ExitCode run_auth_token(const Context& context);
ExitCode run_auth_adopt(const Context& context);
ExitCode run_auth_forget(const Context& context);
ExitCode run_config_check(const Context& context);
ExitCode run_config_show(const Context& context);
ExitCode run_reload(const Context& context);
ExitCode run_completion(const Context& context);
ExitCode run_version(const Context& context);

// Says it and gives the exit code that goes with it.
ExitCode fail(const Context& context, const Error& error);
// The same for a daemon that cannot be reached.
ExitCode fail_without_daemon(const Context& context, const Error& error);

}  // namespace shelfd::ctl
