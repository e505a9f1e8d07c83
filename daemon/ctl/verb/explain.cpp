#include "control/model/quiet.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/mirror/file.hpp"
#include "ctl/mirror/story.hpp"
#include "ctl/status/status_view.hpp"
#include "ctl/verb/verbs.hpp"

#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

// The mirror does not know quiet hours. Without a daemon no pass waits for their end.
std::string waits_for(const Context& context)
{
    const auto& command = context.command;
    const auto answer = client_of(context).get("/v1/status");
    const auto status = answer && answer->check() ? read_status(answer->body)
                                                  : Result<StatusView>(Error(ErrorKind::not_found, "no daemon"));
    for (const auto& library : status ? status->libraries : std::vector<control::LibraryStatus>()) {
        for (const auto& table : library.resources) {
            if (library.name == command.library && table.name == command.resource && table.quiet_until) {
                return control::describe_quiet(*table.quiet_until, library.name);
            }
        }
    }
    return "";
}

}  // namespace

ExitCode run_explain(const Context& context)
{
    const auto& command = context.command;
    auto database = open_mirror(context);
    if (!database) {
        return fail(context, database.error());
    }
    // One transaction, so that all parts see the same state of the mirror.
    if (auto begun = database->execute("BEGIN"); !begun) {
        return fail(context, begun.error());
    }
    ResourceStory story(*database, command.resource, waits_for(context));
    if (command.output == Output::json) {
        const auto object = story.as_json(command.library, command.key);
        if (!object) {
            return fail(context, object.error());
        }
        context.terminal.print_json(*object + "\n");
        return ExitCode::done;
    }
    auto text = story.of_resource();
    if (!text) {
        return fail(context, text.error());
    }
    if (!command.key.empty()) {
        auto item = story.of_item(command.key);
        if (!item) {
            return fail(context, item.error());
        }
        *text += "\n" + *item;
    }
    context.terminal.print(*text);
    return ExitCode::done;
}

}  // namespace shelfd::ctl
