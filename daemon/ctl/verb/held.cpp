#include "ctl/daemon/answer.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/screen/table.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

std::string rows(std::uint64_t count)
{
    return count == 1 ? "1 row" : fmt::format("{} rows", count);
}

StyledText table_of(const json::array& held, const Terminal& terminal)
{
    Table table({{"KEY"}, {"SINCE"}, {"STATE"}, {"WHY"}});
    for (const auto& element : held) {
        const auto* object = element.if_object();
        if (object == nullptr) {
            continue;
        }
        const JsonReader row(*object);
        const auto since = row.instant("since");
        const bool kept = row.flag("kept");
        table.add({{row.text("key"), Colour::none},
                   {since ? since->to_short_text() : "", Colour::none},
                   {kept ? "kept" : "held", kept ? Colour::dim : Colour::yellow},
                   {row.text("why"), Colour::none}});
    }
    return table.rows_waiting() > 0 ? table.take(terminal) : StyledText();
}

void print_list(const Context& context, const JsonReader& answer)
{
    const auto& command = context.command;
    const auto waiting = answer.count("waiting");
    const auto* list = answer.array("rows");
    if (list != nullptr) {
        context.terminal.print(table_of(*list, context.terminal));
        if (const auto all = waiting + answer.count("kept"); all > list->size()) {
            context.terminal.print(fmt::format("… and {} more\n", all - list->size()));
        }
    }
    if (waiting == 0) {
        context.terminal.print(
            fmt::format("no row of {} {} waits for a decision\n", command.library, command.resource));
        return;
    }
    context.terminal.print(fmt::format("\n"
                                       "{0} of {1} {2} wait{3} for a decision:\n"
                                       "  shelfctl held {1} {2} --keep     they exist: keep them\n"
                                       "  shelfctl held {1} {2} --accept   they were deleted: delete them now\n",
                                       rows(waiting), command.library, command.resource, waiting == 1 ? "s" : ""));
}

ExitCode look(const Context& context, const json::object& body)
{
    json::object answer;
    if (const auto code = ask_to_act(context, "/v1/held", body, answer); code != ExitCode::done) {
        return code;
    }
    if (context.command.output == Output::json) {
        context.terminal.print_json(json::serialize(answer) + "\n");
    } else {
        print_list(context, JsonReader(answer));
    }
    return ExitCode::done;
}

ExitCode decide(const Context& context, json::object body)
{
    const bool accept = context.command.fate == HeldFate::accept;
    json::array keys;
    for (const auto& key : context.command.keys) {
        keys.emplace_back(key);
    }
    body["keys"] = std::move(keys);
    body["fate"] = accept ? "accept" : "keep";
    json::object answer;
    if (const auto code = ask_to_act(context, "/v1/held/decide", body, answer); code != ExitCode::done) {
        return code;
    }
    if (context.command.output == Output::json) {
        context.terminal.print_json(json::serialize(answer) + "\n");
        return ExitCode::done;
    }
    const JsonReader report(answer);
    context.terminal.print(fmt::format("{} {}; {} still wait{} for a decision\n", rows(report.count("rows")),
                                       accept ? "removed" : "kept", report.count("left"),
                                       report.count("left") == 1 ? "s" : ""));
    return ExitCode::done;
}

}  // namespace

ExitCode run_held(const Context& context)
{
    const auto& command = context.command;
    json::object body{{"library", command.library}, {"resource", command.resource}};
    if (command.fate != HeldFate::look) {
        return decide(context, std::move(body));
    }
    if (!command.keys.empty()) {
        return fail(context, Error(ErrorKind::usage,
                                   fmt::format("add --accept or --keep to decide about these rows; all that wait are "
                                               "listed with their keys by: shelfctl held {} {}",
                                               command.library, command.resource)));
    }
    return look(context, body);
}

}  // namespace shelfd::ctl
