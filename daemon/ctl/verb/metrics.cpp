#include "control/model/unknown_names.hpp"
#include "ctl/daemon/exposition.hpp"
#include "ctl/daemon/report.hpp"
#include "ctl/status/status_view.hpp"
#include "ctl/verb/verbs.hpp"
#include "storage/filesystem.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace shelfd::ctl {
namespace {

// Why the daemon has no numbers of that library; with the names that there are, if it tells them.
Error no_numbers(const Context& context)
{
    const auto& name = context.command.library;
    const auto answer = client_of(context).get("/v1/status");
    const auto status = answer && answer->check() ? read_status(answer->body)
                                                  : Result<StatusView>(Error(ErrorKind::not_found, "no status"));
    if (!status) {
        return Error(ErrorKind::not_found,
                     fmt::format("there is no library {}; the libraries are listed by: shelfctl status", name));
    }
    std::vector<std::string> names;
    for (const auto& library : status->libraries) {
        names.push_back(library.name);
    }
    if (std::find(status->absent.begin(), status->absent.end(), name) != status->absent.end()) {
        return Error(ErrorKind::stopped,
                     fmt::format("{} is configured, but does not run now; why: shelfctl status {}", name, name));
    }
    names.insert(names.end(), status->absent.begin(), status->absent.end());
    return control::unknown_library(name, std::move(names));
}

}  // namespace

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
        return fail(context, no_numbers(context));
    }
    if (!command.print.textfile.empty()) {
        const auto replaced = storage::replace_file(
            command.print.textfile, answer->body,
            {.mode = 0644, .durability = storage::Durability::disk, .replacers = storage::Replacers::several});
        if (replaced) {
            return ExitCode::done;
        }
        const auto code = fail_to_write(context, replaced.error(), "shelfctl metrics --textfile FILE");
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
