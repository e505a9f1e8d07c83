#include "ctl/daemon/answer.hpp"
#include "ctl/daemon/incidents.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/screen/table.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <utility>
#include <vector>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// Which hooks have accepted a call of the incident, which have not yet, and which never will.
std::string describe_calls(const JsonReader& incident)
{
    std::string text;
    if (const auto called = incident.texts("called"); !called.empty()) {
        text += fmt::format("  called: {}\n", fmt::join(called, ", "));
    }
    for (const auto* object : incident.objects("waiting")) {
        const JsonReader call(*object);
        const auto since = call.instant("since");
        text += fmt::format("  has not been accepted by {} since {}\n", call.text("hook"),
                            since ? since->to_short_text() : "?");
    }
    if (const auto dropped = incident.texts("dropped"); !dropped.empty()) {
        text += fmt::format("  never accepted, and dropped: {}\n", fmt::join(dropped, ", "));
    }
    return text.empty() ? "  no hook was called yet\n" : text;
}

void print_hooks(const Context& context, const JsonReader& answer)
{
    const auto hooks = answer.objects("hooks");
    if (hooks.empty()) {
        context.terminal.print("no hook is configured, so nothing is announced; see [hooks.NAME] in shelfd.toml(5)\n");
        return;
    }
    Table table({{"HOOK"}, {"CALLS"}, {"ON"}, {"LAST CALL"}, {"WAITING"}});
    for (const auto* object : hooks) {
        const JsonReader hook(*object);
        const auto called = hook.instant("called");
        const auto waiting = hook.count("waiting");
        const auto oldest = hook.instant("waiting_since");
        table.add({{hook.text("name"), Colour::none},
                   {hook.text("target"), Colour::none},
                   {fmt::format("{}", fmt::join(hook.texts("on"), " ")), Colour::none},
                   {called ? called->to_short_text() : "-", Colour::none},
                   {oldest ? fmt::format("{}, since {}", waiting, oldest->to_short_text()) : std::to_string(waiting),
                    waiting > 0 ? Colour::yellow : Colour::none}});
    }
    context.terminal.print(table.take(context.terminal));
    for (const auto* object : hooks) {
        const JsonReader hook(*object);
        if (const auto trouble = hook.text("trouble"); !trouble.empty()) {
            const auto next = hook.instant("next_try");
            context.terminal.print(fmt::format(
                "{} does not accept its calls: {}{}\n  correct that, then: shelfctl hooks "
                "test {}\n",
                hook.text("name"), trouble, next ? "; next try " + next->to_short_text() : "", hook.text("name")));
        }
    }
    if (const auto dropped = answer.count("dropped"); dropped > 0) {
        context.terminal.print(fmt::format("{} calls have been dropped since the daemon started: refused, not accepted "
                                           "for a week, or too many were waiting; the log of the daemon names them\n",
                                           dropped));
    }
}

void print_incidents(const Context& context, const JsonReader& answer)
{
    const auto incidents = answer.objects("incidents");
    if (incidents.empty()) {
        context.terminal.print("\nno incident\n");
    }
    for (const auto* object : incidents) {
        const JsonReader incident(*object);
        const auto since = incident.instant("since");
        context.terminal.print(fmt::format("\n{} {} {}: {}, since {}\n", incident.text("id"), incident.text("severity"),
                                           describe_libraries(incident.texts("libraries")), incident.text("title"),
                                           since ? since->to_short_text() : "?"));
        if (const auto why = incident.text("why"); !why.empty()) {
            context.terminal.print(fmt::format("  {}\n", why));
        }
        if (const auto cure = incident.text("do_this"); !cure.empty()) {
            context.terminal.print(fmt::format("  do this: {}\n", cure));
        }
        context.terminal.print(describe_calls(incident));
    }
    const auto ended = answer.objects("ended");
    context.terminal.print(ended.empty() ? "" : "\nended within the last week:\n");
    for (const auto* object : ended) {
        context.terminal.print(describe_ended(JsonReader(*object)) + "\n");
    }
    context.terminal.print(describe_silences(answer));
}

}  // namespace

ExitCode run_hooks_list(const Context& context)
{
    const auto answer = client_of(context).get("/v1/alerts");
    if (!answer) {
        return fail_without_daemon(context, answer.error());
    }
    if (const auto checked = answer->check(); !checked) {
        return fail(context, checked.error());
    }
    if (context.command.output == Output::json) {
        context.terminal.print_json(answer->body);
        return ExitCode::done;
    }
    boost::system::error_code error;
    const auto document = json::parse(answer->body, error);
    if (error || !document.is_object()) {
        return fail(context, Error(ErrorKind::protocol, "the daemon's answer is not a JSON object"));
    }
    const JsonReader report(document.get_object());
    print_hooks(context, report);
    print_incidents(context, report);
    return ExitCode::done;
}

ExitCode run_hooks_test(const Context& context)
{
    const json::object body{{"hook", context.command.alerts.hook}};
    json::object answer;
    if (const auto code = ask_to_act(context, "/v1/hooks/test", body, answer); code != ExitCode::done) {
        return code;
    }
    if (context.command.output == Output::json) {
        context.terminal.print_json(json::serialize(answer) + "\n");
        return ExitCode::done;
    }
    context.terminal.print(fmt::format("hook {} has accepted the test\n", context.command.alerts.hook));
    return ExitCode::done;
}

ExitCode run_silence(const Context& context)
{
    const auto& command = context.command;
    const auto library = command.library == "*" ? std::string() : command.library;
    const auto length = command.alerts.silence.value_or(Duration(0));
    const json::object body{{"library", library}, {"seconds", std::chrono::duration<double>(length).count()}};
    json::object answer;
    if (const auto code = ask_to_act(context, "/v1/silence", body, answer); code != ExitCode::done) {
        return code;
    }
    if (command.output == Output::json) {
        context.terminal.print_json(json::serialize(answer) + "\n");
        return ExitCode::done;
    }
    const auto until = JsonReader(answer).instant("until");
    if (!until) {
        context.terminal.print(library.empty() ? "no library is silenced any longer\n"
                                               : fmt::format("{} is no longer silenced\n", library));
        return ExitCode::done;
    }
    const auto longer = JsonReader(answer).count("longer");
    const auto before = longer == 0       ? std::string()
                        : library.empty() ? fmt::format(" ({} of them for longer, as before)", longer)
                                          : std::string(" (as before: a shorter silence changes nothing)");
    context.terminal.print(fmt::format("{} is silenced until {}{}: its problems are not announced, only the end of "
                                       "those announced before\n",
                                       library.empty() ? "every library" : library, until->to_short_text(), before));
    return ExitCode::done;
}

}  // namespace shelfd::ctl
