#include "base/pause.hpp"
#include "control/model/quiet.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/mirror/file.hpp"
#include "ctl/mirror/mirror_format.hpp"
#include "ctl/mirror/story.hpp"
#include "ctl/status/limit_text.hpp"
#include "ctl/status/status_text.hpp"
#include "ctl/status/status_view.hpp"
#include "ctl/verb/verbs.hpp"

#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

// A pause that the service asks for holds up what runs, and what is about to.
std::string with_pause(std::string text, const control::BudgetStatus& budget, Instant now)
{
    if (budget.paused_until && *budget.paused_until > now && !says_pause(text)) {
        text += "; " + describe_pause(*budget.paused_until);
    }
    return text;
}

// A pass that has a limit to itself only in part is under way for longer than its requests take.
std::string with_limit(std::string text, const control::BudgetStatus& budget)
{
    const bool is_used_up = budget.limit && budget.used + budget.foreign >= *budget.limit;
    if (is_used_up) {
        text += fmt::format("; the request limit is used up ({})", limit_text(budget));
    }
    return text;
}

PresentTable what_happens_now(const Context& context)
{
    const auto answer = client_of(context).get("/v1/status");
    const auto status = answer && answer->check() ? read_status(answer->body)
                                                  : Result<StatusView>(Error(ErrorKind::not_found, "no status"));
    if (!status) {
        return {};
    }
    for (const auto& library : status->libraries) {
        for (const auto& table : library.resources) {
            if (library.name != context.command.library || table.name != context.command.resource) {
                continue;
            }
            const auto quiet =
                table.quiet_until ? control::describe_quiet(*table.quiet_until, library.name) : std::string();
            if (!table.running) {
                const auto text = !quiet.empty()      ? "it " + quiet
                                  : table.why.empty() ? "it starts in a moment"
                                                      : table.why;
                const bool is_due = table.next_due && *table.next_due <= status->now;
                const auto& pause = library.budget.paused_until;
                const bool is_held_up = pause && *pause > status->now && table.next_due < pause;
                return {with_pause(is_due ? with_limit(text, library.budget) : text, library.budget, status->now),
                        !quiet.empty() || !is_held_up ? quiet : "waits: " + describe_pause(*pause), is_due};
            }
            const auto& running = *table.running;
            const auto text =
                running.waits_for_limit_since
                    ? fmt::format("it has been waiting for the request limit since {} ({})",
                                  running.waits_for_limit_since->to_short_text(), limit_text(library.budget))
                    : with_limit("it is running: " + progress_text(running), library.budget);
            return {with_pause(text, library.budget, status->now), "", true};
        }
    }
    return {"the daemon reports no such table: shelfctl status shows whether its library runs; if the configuration "
            "was changed: shelfctl reload"};
}

}  // namespace

ExitCode run_explain(const Context& context)
{
    const auto& command = context.command;
    const auto now = what_happens_now(context);  // before the transaction
    auto database = open_mirror(context);
    if (!database) {
        return fail(context, database.error());
    }
    // One transaction, so that all parts see the same state of the mirror.
    if (auto begun = database->execute("BEGIN"); !begun) {
        return fail(context, begun.error());
    }
    ResourceStory story(*database, command.resource, command.library, now);
    if (command.output == Output::json) {
        const auto object = story.as_json(command.key);
        if (!object) {
            return fail(context, object.error());
        }
        context.terminal.print_json(*object + "\n");
        return ExitCode::done;
    }
    auto text = story.of_resource();
    if (!text) {
        return fail(context, with_list(text.error(), command.library));
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
