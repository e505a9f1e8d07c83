#include "ctl/daemon/exposition.hpp"
#include "ctl/daemon/report.hpp"
#include "ctl/verb/verbs.hpp"
#include "storage/filesystem.hpp"

#include <fmt/core.h>

namespace shelfd::ctl {

ExitCode run_metrics(const Context& context)
{
    const auto& command = context.command;
    if (!command.library.empty()) {
        if (const auto checked = check_library_name(command.library); !checked) {
            return fail(context, checked.error());
        }
    }
    const std::string detail = command.all ? "all" : command.library;
    const auto answer = client_of(context).get(detail.empty() ? "/v1/metrics" : "/v1/metrics?detail=" + detail);
    if (!answer) {
        return fail_without_daemon(context, answer.error());
    }
    if (const auto checked = answer->check(); !checked) {
        return fail(context, checked.error());
    }
    if (!command.library.empty() &&
        answer->body.find(fmt::format("{{library=\"{}\"", command.library)) == std::string::npos) {
        return fail(context, Error(ErrorKind::not_found, fmt::format("there is no library {}; shelfctl status shows "
                                                                     "their names",
                                                                     command.library)));
    }
    if (!command.print.textfile.empty()) {
        const auto replaced = storage::replace_file(command.print.textfile, answer->body,
                                                    {.mode = 0644, .durability = storage::Durability::disk});
        if (replaced) {
            return ExitCode::done;
        }
        const auto code = fail(context, replaced.error());
        return replaced.error().kind() == ErrorKind::storage ? ExitCode::storage : code;
    }
    if (command.output == Output::json) {
        context.terminal.print_json(exposition_to_json(answer->body) + "\n");
    } else {
        context.terminal.print_exact(answer->body);
    }
    return ExitCode::done;
}

}  // namespace shelfd::ctl
