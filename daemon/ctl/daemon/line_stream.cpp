#include "ctl/daemon/line_stream.hpp"

#include "ctl/daemon/client.hpp"
#include "ctl/daemon/report.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <utility>

namespace shelfd::ctl {

namespace json = boost::json;

std::optional<json::object> take_line(Terminal& terminal, Output output, std::string_view line)
{
    boost::system::error_code broken;
    auto document = json::parse({line.data(), line.size()}, broken);
    auto* object = broken ? nullptr : document.if_object();
    if (object == nullptr) {
        return std::nullopt;
    }
    if (output == Output::json && JsonReader(*object).text("event") != "alive") {
        terminal.print_json(std::string(line) + "\n");
    }
    return std::move(*object);
}

ExitCode end_with(const Context& context, const Error& error, ExitCode code)
{
    if (context.command.output == Output::json) {
        const json::object line{{"event", "done"},
                                {"ok", false},
                                {"error", json::object{{"kind", to_string(error.kind())}, {"text", error.text()}}}};
        context.terminal.print_json(json::serialize(line) + "\n");
    }
    return code;
}

ExitCode run_stream(const Context& context, const std::string& path, const json::object& body,
                    const std::function<void(std::string_view event, const JsonReader& line)>& take,
                    const std::function<ExitCode(const Result<void>& outcome)>& finish, const std::string& looked_up)
{
    std::optional<Result<void>> outcome;
    const auto on_line = [&](std::string_view text) {
        const auto line = take_line(context.terminal, context.command.output, text);
        if (!line) {
            return;
        }
        const JsonReader in(*line);
        const auto event = in.text("event");
        if (event == "done") {
            const auto* error = in.object("error");
            outcome = error != nullptr ? error_from_json(json::serialize(*error)) : Result<void>();
        } else {
            take(event, in);
        }
    };
    const auto answer = client_of(context).stream(path, Secret(json::serialize(body)), on_line);
    if (!answer) {
        return end_with(context, answer.error(), fail_without_daemon(context, answer.error()));
    }
    if (const auto checked = answer->check(); !checked) {
        return end_with(context, checked.error(), fail(context, checked.error()));
    }
    if (!outcome) {
        const Error error(ErrorKind::stopped, "the daemon stopped before it was done; try again");
        return end_with(context, error, fail(context, error));
    }
    const auto code = finish(*outcome);
    if (*outcome) {
        return code;
    }
    return fail(context, looked_up.empty() ? outcome->error() : with_status(outcome->error(), looked_up));
}

}  // namespace shelfd::ctl
