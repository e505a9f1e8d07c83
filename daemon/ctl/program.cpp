#include "ctl/program.hpp"

#include "base/version.hpp"
#include "ctl/context/places.hpp"
#include "ctl/context/user_mode.hpp"
#include "ctl/library/library_verbs.hpp"
#include "ctl/line/command_line.hpp"
#include "ctl/login/browser.hpp"
#include "ctl/login/secret_input.hpp"
#include "ctl/setup/setup.hpp"
#include "ctl/start/start.hpp"
#include "ctl/verb/verbs.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <system_error>

#include <sys/random.h>

namespace shelfd::ctl {
namespace {

ExitCode dispatch(const Context& context)
{
    switch (context.command.verb) {
    case Verb::status: return run_status(context);
    case Verb::sync: return run_sync(context);
    case Verb::wait: return run_wait(context);
    case Verb::sql: return run_sql(context);
    case Verb::changes: return run_changes(context);
    case Verb::schema: return run_schema(context);
    case Verb::held: return run_held(context);
    case Verb::snapshot: return run_snapshot(context);
    case Verb::explain: return run_explain(context);
    case Verb::plan: return run_plan(context);
    case Verb::probe: return run_probe(context);
    case Verb::try_list: return run_try(context);
    case Verb::init: return run_init(context);
    case Verb::verify: return run_verify(context);
    case Verb::get: return run_get(context);
    case Verb::auth_import: return run_auth_import(context);
    case Verb::auth_login: return run_auth_login(context);
    case Verb::auth_ask: return run_auth_ask(context);
    case Verb::auth_move_out: return run_auth_move_out(context);
    case Verb::auth_move_in: return run_auth_move_in(context);
    case Verb::auth_status: return run_auth_status(context);
    case Verb::auth_token: return run_auth_token(context);
    case Verb::auth_adopt: return run_auth_adopt(context);
    case Verb::auth_forget: return run_auth_forget(context);
    case Verb::library_list: return run_library_list(context);
    case Verb::library_add: return run_library_add(context);
    case Verb::library_rename: return run_library_rename(context);
    case Verb::library_pause: return run_library_pause(context);
    case Verb::library_resume: return run_library_resume(context);
    case Verb::library_forget: return run_library_forget(context);
    case Verb::hooks_list: return run_hooks_list(context);
    case Verb::hooks_test: return run_hooks_test(context);
    case Verb::silence: return run_silence(context);
    case Verb::doctor: return run_doctor(context);
    case Verb::bugreport: return run_bugreport(context);
    case Verb::log: return run_log(context);
    case Verb::config_check: return run_config_check(context);
    case Verb::config_show: return run_config_show(context);
    case Verb::metrics: return run_metrics(context);
    case Verb::reload: return run_reload(context);
    case Verb::completion: return run_completion(context);
    case Verb::version: return run_version(context);
    }
    std::abort();
}

void unguessable(std::span<std::byte> bytes)
{
    // Up to 256 bytes are returned whole, whatever interrupts (getrandom(2)).
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        std::abort();
    }
}

// A user without root has a configuration in the home directory. It counts where the system has none.
void find_user_configuration(Command& command, const Environment& environment)
{
    std::error_code hidden;
    const bool is_default = command.config_file == Command().config_file;
    if (command.verb == Verb::init || !is_default || std::filesystem::exists(command.config_file, hidden)) {
        return;
    }
    if (const auto file = user_config_file(environment); std::filesystem::exists(file, hidden)) {
        command.config_file = file;
    }
}

}  // namespace

ExitCode run_version(const Context& context)
{
    if (context.command.output == Output::json) {
        context.terminal.print_json(fmt::format("{{\"version\":\"{}\"}}\n", version));
        return ExitCode::done;
    }
    context.terminal.print(fmt::format("shelfctl {}\n", version));
    return ExitCode::done;
}

ExitCode run(int argc, const char* const* argv, const Environment& environment, const rlimit& core_limit)
{
    auto parsed = parse_command_line(argc, argv);
    if (const auto* nothing = std::get_if<NoCommand>(&parsed)) {
        auto terminal = Terminal::standard(false);
        if (nothing->exit_code != ExitCode::done) {
            terminal.complain(nothing->text);
        } else if (nothing->text.starts_with('{')) {
            terminal.print_json(nothing->text);
        } else {
            terminal.print(nothing->text);
        }
        return nothing->exit_code;
    }
    auto& command = std::get<Command>(parsed);
    find_user_configuration(command, environment);
    const auto no_color = environment.find("NO_COLOR");
    const bool plain = command.no_color || (no_color != environment.end() && !no_color->second.empty());
    auto terminal = Terminal::standard(!plain);
    SystemClock clock;
    auto browse = [&](const std::string& url) { return open_in_browser(url, environment, core_limit); };
    const Context context{command,   environment, terminal, clock,           read_standard_input,
                          read_line, unguessable, browse,   read_secret_line};
    if (const auto checked = check_places(command, environment); !checked) {
        return fail(context, checked.error());
    }
    const auto code = dispatch(context);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        terminal.complain("cannot write to standard output (disk full?): the output is incomplete");
        return ExitCode::storage;
    }
    return code;
}

}  // namespace shelfd::ctl
