#include "ctl/mirror/file.hpp"
#include "ctl/mirror/story.hpp"
#include "ctl/verb/verbs.hpp"

#include <fmt/core.h>

namespace shelfd::ctl {

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
    ResourceStory story(*database, command.resource);
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
