#include "ctl/mirror/schema.hpp"
#include "ctl/daemon/answer.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/mirror/file.hpp"
#include "ctl/mirror/mirror_format.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/json/object.hpp>
#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

ExitCode retype(const Context& context)
{
    const auto& target = context.command.read.retype;
    const auto dot = target.find('.');
    const auto resource = target.substr(0, dot);
    const auto column = target.substr(dot + 1);
    const boost::json::object body{{"library", context.command.library}, {"resource", resource}, {"column", column}};
    boost::json::object answer;
    if (const auto code = ask_to_act(context, "/v1/retype", body, answer); code != ExitCode::done) {
        return code;
    }
    const JsonReader report(answer);
    const auto before = report.text("before");
    const auto after = report.text("after");
    if (before == after) {
        context.terminal.print(fmt::format("{} stays {}: its values have that kind\n", target, before));
    } else {
        context.terminal.print(fmt::format("{} was {} and is {} now; {} rows rewritten, no value changed\n", target,
                                           before, after, report.count("rows")));
    }
    return ExitCode::done;
}

}  // namespace

ExitCode run_schema(const Context& context)
{
    if (!context.command.read.retype.empty()) {
        return retype(context);
    }
    auto database = open_mirror(context);
    if (!database) {
        return fail(context, database.error());
    }
    const auto schema = read_mirror_schema(*database, context.command.resource);
    if (!schema) {
        return fail(context, with_list(schema.error(), context.command.library));
    }
    context.command.output == Output::json ? context.terminal.print_json(to_json(*schema) + "\n")
                                           : context.terminal.print_exact(to_sql(*schema));
    return ExitCode::done;
}

}  // namespace shelfd::ctl
