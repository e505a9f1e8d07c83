// One function for each verb. All of them block, write to the terminal, and return an exit code.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/line/exit_code.hpp"

namespace shelfd::ctl {

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
ExitCode run_hooks_list(const Context& context);
ExitCode run_hooks_test(const Context& context);
ExitCode run_silence(const Context& context);
ExitCode run_doctor(const Context& context);
ExitCode run_bugreport(const Context& context);
ExitCode run_log(const Context& context);
ExitCode run_config_check(const Context& context);
ExitCode run_config_show(const Context& context);
ExitCode run_metrics(const Context& context);
ExitCode run_reload(const Context& context);
ExitCode run_completion(const Context& context);
ExitCode run_version(const Context& context);

}  // namespace shelfd::ctl
