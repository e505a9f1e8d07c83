#include "ctl/daemon/report.hpp"

#include "ctl/daemon/json_reader.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

Result<std::string> sentence_of(std::string_view body)
{
    boost::system::error_code broken;
    const auto document = json::parse({body.data(), body.size()}, broken);
    const auto* object = broken ? nullptr : document.if_object();
    if (object == nullptr) {
        return Error(ErrorKind::protocol, "the answer does not come from shelfd; which program uses that socket?");
    }
    return JsonReader(*object).text("text");
}

}  // namespace

ExitCode print_report(const Context& context, const Result<DaemonClient::Answer>& answer)
{
    if (!answer) {
        return fail_without_daemon(context, answer.error());
    }
    if (const auto checked = answer->check(); !checked) {
        return fail(context, checked.error());
    }
    const auto sentence = sentence_of(answer->body);
    if (!sentence) {
        return fail(context, sentence.error());
    }
    if (context.command.output == Output::json) {
        context.terminal.print_json(answer->body + "\n");
    } else {
        context.terminal.print(*sentence + "\n");
    }
    return ExitCode::done;
}

Result<void> check_library_name(std::string_view name)
{
    const bool fits =
        !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
    return fits ? Result<void>()
                : Error(ErrorKind::usage,
                        fmt::format("\"{}\" is not the name of a library: use small letters, digits and _", name));
}

}  // namespace shelfd::ctl
