#include "ctl/daemon/answer.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/core.h>

namespace shelfd::ctl {

ExitCode run_snapshot(const Context& context)
{
    const boost::json::object body{{"library", context.command.library}};
    boost::json::object answer;
    if (const auto code = ask_to_act(context, "/v1/snapshot", body, answer); code != ExitCode::done) {
        return code;
    }
    if (context.command.output == Output::json) {
        context.terminal.print_json(boost::json::serialize(answer) + "\n");
        return ExitCode::done;
    }
    constexpr double mebibyte = 1U << 20;
    const JsonReader report(answer);
    const auto tables = report.count("tables");
    context.terminal.print(fmt::format("{}: {} table{}, {:.1f} MiB\n", report.text("path"), tables,
                                       tables == 1 ? "" : "s", static_cast<double>(report.count("bytes")) / mebibyte));
    return ExitCode::done;
}

}  // namespace shelfd::ctl
