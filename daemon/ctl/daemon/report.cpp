#include "ctl/daemon/report.hpp"

#include "base/words/named_command.hpp"
#include "config/check/values.hpp"
#include "ctl/daemon/answer.hpp"
#include "ctl/daemon/json_reader.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

namespace shelfd::ctl {

namespace json = boost::json;

ExitCode print_report(const Context& context, const Result<DaemonClient::Answer>& said)
{
    json::object answer;
    const auto code = read_answer(context, said, answer);
    return code == ExitCode::done ? print_report(context, answer) : code;
}

ExitCode print_report(const Context& context, const json::object& answer)
{
    if (context.command.output == Output::json) {
        context.terminal.print_json(json::serialize(answer) + "\n");
    } else {
        context.terminal.print(JsonReader(answer).text("text") + "\n");
    }
    return ExitCode::done;
}

Error with_status(const Error& error, const std::string& library)
{
    switch (error.kind()) {
    case ErrorKind::network:
    case ErrorKind::timeout:
    case ErrorKind::refused:
    case ErrorKind::protocol:
    case ErrorKind::needs_person: break;
    default: return error;
    }
    return names_command(error.text())
               ? error
               : Error(error.kind(),
                       fmt::format("{}; what the daemon knows of it: shelfctl status {}", error.text(), library));
}

Result<void> check_library_name(std::string_view name)
{
    return config::is_name(name)
               ? Result<void>()
               : Error(ErrorKind::usage,
                       fmt::format("\"{}\" is not the name of a library: it begins with a-z, has only "
                                   "a-z, 0-9 and _, and at most 41 characters",
                                   name));
}

}  // namespace shelfd::ctl
