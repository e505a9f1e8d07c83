#include "base/words/safe_text.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/daemon/report.hpp"
#include "ctl/screen/json_indent.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

bool is_json(std::string_view body)
{
    const auto first = body.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (body[first] == '{' || body[first] == '[');
}

void print_body(const Context& context, std::string_view body)
{
    std::optional<std::string> text;
    if (!context.command.inquiry.raw && is_json(body)) {
        text = indented(body);
    }
    if (!text) {
        text.emplace(body);
    }
    const bool ends = context.command.inquiry.raw || text->empty() || text->back() == '\n';
    *text += ends ? "" : "\n";
    is_json(body) ? context.terminal.print_json(*text) : context.terminal.print_exact(*text);
}

// RFC 8259 as a whole: what only begins as JSON is text. Values are not converted, so none can change.
bool is_whole_json(std::string_view body)
{
    constexpr std::size_t deepest = 256;
    json::parse_options options;
    options.max_depth = deepest;
    boost::system::error_code broken;
    json::parse({body.data(), body.size()}, broken, {}, options);
    return !broken;
}

// What the daemon tells of the answer, and the body: JSON as sent, anything else as a text.
void print_object(const Context& context, const json::object& told, std::string_view body)
{
    json::object head{{"library", context.command.library}, {"path", context.command.inquiry.paths.front()}};
    head.insert(told.begin(), told.end());
    head["ask_again"] = told.contains("ask_again") ? told.at("ask_again") : json::value(nullptr);
    const bool is_json_body = is_whole_json(body);
    head["body_is"] = is_json_body ? "json" : "text";
    auto text = json::serialize(head);
    text.pop_back();
    context.terminal.print_json(
        fmt::format("{},\"body\":{}}}\n", text, is_json_body ? std::string(body) : json_string(body)));
}

// With --json, programs read why there is no answer where they would read it: as the daemon says it.
ExitCode end_without_answer(const Context& context, const Error& error, ExitCode code)
{
    if (context.command.output == Output::json) {
        const json::object why{{"kind", to_string(error.kind())}, {"text", error.text()}};
        context.terminal.print_json(json::serialize(json::object{{"error", why}}) + "\n");
    }
    return code;
}

// A 403 because of a request limit is not a missing permission.
ExitCode exit_code_of_status(std::uint64_t status, bool is_limited)
{
    if (is_limited) {
        return ExitCode::busy;
    }
    if (status >= 200 && status < 300) {
        return ExitCode::done;
    }
    return status == 401 || status == 403 ? ExitCode::needs_person : status == 429 ? ExitCode::busy : ExitCode::failed;
}

// What a status means for the person who typed the address, and what to type next.
std::string hint(std::uint64_t status, const std::string& library)
{
    switch (status) {
    case 301:
    case 302:
    case 307:
    case 308:
        return "redirects are not followed with a token; often a slash is missing at the end of the path (--json shows "
               "the header Location)";
    case 401: return "the access token is refused; what is known about it: shelfctl auth status " + library;
    case 403: return "a scope or a permission is missing; what the token set may do: shelfctl auth status " + library;
    case 404:
        return "there is nothing at this address; the lists of the service are found by: shelfctl probe " + library;
    case 429: return "rate limited by the service; try again in a minute";
    default: break;
    }
    return status >= 500 ? "what the daemon knows of the service: shelfctl status " + library
                         : "the answer says why; the lists of the service are found by: shelfctl probe " + library;
}

}  // namespace

ExitCode run_get(const Context& context)
{
    const auto& command = context.command;
    const json::object body{{"library", command.library}, {"path", command.inquiry.paths.front()}};
    const auto answer = client_of(context).post("/v1/get", Secret(json::serialize(body)));
    if (!answer) {
        return end_without_answer(context, answer.error(), fail_without_daemon(context, answer.error()));
    }
    if (const auto checked = answer->check(); !checked) {
        const auto error = with_status(checked.error(), command.library);
        return end_without_answer(context, error, fail(context, error));
    }
    const std::string_view all = answer->body;
    const auto line = all.substr(0, all.find('\n'));
    boost::system::error_code broken;
    const auto document = json::parse({line.data(), line.size()}, broken);
    if (broken || !document.is_object()) {
        return fail(context, Error(ErrorKind::protocol,
                                   "the answer does not come from shelfd; which program uses that socket?"));
    }
    const JsonReader told(document.get_object());
    const auto received = all.substr(std::min(line.size() + 1, all.size()));
    const auto status = told.count("status");
    const auto ask_again = told.text("ask_again");
    command.output == Output::json ? print_object(context, document.get_object(), received)
                                   : print_body(context, received);
    const auto code = exit_code_of_status(status, !ask_again.empty());
    if (code != ExitCode::done) {
        const auto why = ask_again.empty() ? hint(status, command.library)
                                           : "rate limited by the service until " + ask_again + "; try again then";
        context.terminal.complain(fmt::format("the service answered {}{}{}", status, why.empty() ? "" : ": ", why));
    }
    return code;
}

}  // namespace shelfd::ctl
