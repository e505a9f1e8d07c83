#include "ctl/setup/token_step.hpp"

#include "config/check/values.hpp"
#include "ctl/context/ending_signals.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/daemon/report.hpp"
#include "ctl/login/import_set.hpp"
#include "ctl/login/log_in.hpp"
#include "ctl/login/secret_input.hpp"
#include "ctl/setup/questions.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// The daemon's verdict on a set that it did not take; empty if it was not asked.
std::string kind_of_refusal(const json::object& report)
{
    const auto* error = report.if_contains("error");
    return error != nullptr && error->is_object() ? JsonReader(error->get_object()).text("kind") : "";
}

ExitCode get_once(const Context& step, InitPlan& plan, json::object& report)
{
    report.clear();
    const auto code = plan.way == TokenWay::login ? log_in(step, report) : import_set(step, report);
    if (code == ExitCode::done && plan.scopes.empty()) {
        plan.scopes = JsonReader(report).texts("scopes");
        std::erase_if(plan.scopes, [](const std::string& scope) { return !config::is_printable(scope); });
    }
    return code == ExitCode::done ? print_report(step, report) : code;
}

}  // namespace

ExitCode get_token_set(const Context& context, StepContext& steps, Exploration& exploration, InitPlan& plan)
{
    if (exploration.has_good_set()) {
        steps.say(fmt::format("a token set of {0} is there already, perhaps from an init that was interrupted: it is "
                              "used; to replace it later: shelfctl auth import {0}",
                              plan.library));
        return ExitCode::done;
    }
    auto command = steps.command();
    command.verb = plan.way == TokenWay::login ? Verb::auth_login : Verb::auth_import;
    auto step = steps.with(command);
    const auto& file = context.command.start.token_file;
    if (!file.empty()) {
        step.read_input = [&file](const std::string&) { return read_secret_file(file); };
    }
    const bool can_paste_again = plan.way == TokenWay::import_set && file.empty() && can_ask(context);
    json::object report;
    for (;;) {
        const auto code = get_once(step, plan, report);
        const auto refusal = kind_of_refusal(report);
        if (code == ExitCode::done || refusal.empty() || was_interrupted()) {
            return code;
        }
        if (refusal == to_string(ErrorKind::protocol) && plan.paths.empty()) {
            // Perhaps this service has no such page.
            const auto path = ask_for_list(context);
            if (!path) {
                (void)fail(context, path.error());
                return code;
            }
            plan.paths = {*path};
            if (const auto changed = exploration.use_canary(*path); !changed) {
                return fail(context, changed.error());
            }
        } else if (can_paste_again) {
            context.terminal.complain("paste another set; Enter alone, or Ctrl-C, ends init");
        } else {
            return code;
        }
    }
}

}  // namespace shelfd::ctl
