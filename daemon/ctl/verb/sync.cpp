#include "ctl/daemon/line_stream.hpp"
#include "ctl/status/dry_run.hpp"
#include "ctl/status/progress.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/core.h>

#include <optional>
#include <string>
#include <utility>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// The limits in force; empty if they cannot be asked for.
std::optional<StatusView> status_of_daemon(const Context& context)
{
    const auto answer = client_of(context).get("/v1/status");
    if (!answer || !answer->check()) {
        return std::nullopt;
    }
    auto status = read_status(answer->body);
    return status ? std::optional(std::move(*status)) : std::nullopt;
}

void show_total(const Context& context, const DryRun& dry_run)
{
    const auto status = status_of_daemon(context);
    if (context.command.output == Output::json) {
        context.terminal.print_json(dry_run.total_json(status) + "\n");
    } else {
        context.terminal.print(dry_run.text(status));
    }
}

// `limit`: the `timeout_seconds` of the body.
ExitCode follow(const Context& context, const std::string& path, const json::object& body,
                std::optional<Duration> limit)
{
    Progress progress(context.terminal, context.clock, context.command.output);
    DryRun dry_run;
    std::string end;  // the last line of a dry run
    const auto on_line = [&](std::string_view line) {
        using Line = DryRun::Line;
        const auto kind = context.command.sync.dry_run ? dry_run.take(line) : Line::other;
        if (kind == Line::end) {
            end = line;
        } else if (kind == Line::other || context.command.output == Output::json) {
            progress.take(line);
        }
    };
    const auto answer = client_of(context).stream(path, Secret(json::serialize(body)), on_line, limit);
    if (!answer) {
        return end_with(context, answer.error(), fail_without_daemon(context, answer.error()));
    }
    if (const auto checked = answer->check(); !checked) {
        return end_with(context, checked.error(), fail(context, checked.error()));
    }
    if (!end.empty()) {
        show_total(context, dry_run);
        progress.take(end);
    }
    if (!progress.outcome()) {
        const Error error(ErrorKind::stopped,
                          "the daemon stopped before it was done; it continues after the next start");
        return end_with(context, error, fail(context, error));
    }
    return *progress.outcome();
}

double seconds(Duration duration)
{
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

ExitCode run_sync(const Context& context)
{
    const auto& command = context.command;
    json::object body;
    if (command.sync.all_libraries) {
        body["all"] = true;
    } else {
        body["library"] = command.library;
    }
    body["full"] = command.sync.full;
    body["background"] = command.sync.background;
    if (command.sync.timeout) {
        body["timeout_seconds"] = seconds(*command.sync.timeout);
    }
    if (!command.resource.empty()) {
        body["resource"] = command.resource;
    }
    if (command.sync.if_older) {
        body["if_older_seconds"] = seconds(*command.sync.if_older);
    }
    if (command.sync.dry_run) {
        body["dry_run"] = true;
    }
    if (!command.sync.window_from.empty()) {
        body["from"] = command.sync.window_from;
        body["to"] = command.sync.window_to;
    }
    const auto code = follow(context, "/v1/sync", body, command.sync.timeout);
    if (code == ExitCode::done && command.sync.background && !command.sync.dry_run && command.output == Output::text) {
        const auto where = command.library.empty() ? "" : " " + command.library;
        context.terminal.print(fmt::format("requested; watch it with: shelfctl status{} --watch\n", where));
    }
    return code;
}

ExitCode run_wait(const Context& context)
{
    const auto& command = context.command;
    json::object body{{"timeout_seconds", seconds(command.timeout)}};
    if (!command.library.empty()) {
        body["library"] = command.library;
    }
    if (!command.resource.empty()) {
        body["resource"] = command.resource;
    }
    if (command.wait.fresh) {
        body["fresh_seconds"] = seconds(*command.wait.fresh);
    }
    if (!command.wait.as_of.empty()) {
        body["as_of"] = command.wait.as_of == "now" ? context.clock.now().to_text() : command.wait.as_of;
    }
    const auto code = follow(context, "/v1/wait", body, command.timeout);
    if (code == ExitCode::done && command.output == Output::text) {
        const auto what = command.resource.empty() ? command.library : command.library + " " + command.resource;
        const auto state =
            command.wait.as_of.empty() ? std::string("fresh") : "as of " + command.wait.as_of + " or later";
        context.terminal.print((what.empty() ? "all tables are " : what + " is ") + state + "\n");
    }
    return code;
}

}  // namespace shelfd::ctl
