#include "ctl/library/apply.hpp"

#include "ctl/context/places.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/daemon/json_reader.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

std::vector<std::string> texts_in(const json::array* lines)
{
    std::vector<std::string> texts;
    if (lines != nullptr) {
        for (const auto& line : *lines) {
            if (const auto* text = line.if_string()) {
                texts.emplace_back(text->data(), text->size());
            }
        }
    }
    return texts;
}

json::array array_of(const std::vector<std::string>& texts)
{
    json::array array;
    for (const auto& text : texts) {
        array.push_back(json::value(text));
    }
    return array;
}

Result<Outcome> outcome_of(const DaemonClient::Answer& answer)
{
    boost::system::error_code broken;
    const auto document = json::parse(answer.body, broken);
    if (broken || !document.is_object()) {
        return Error(ErrorKind::protocol, "the answer does not come from shelfd");
    }
    const JsonReader in(document.get_object());
    return Outcome{Applied::by_daemon, texts_in(in.array("changes")), texts_in(in.array("warnings"))};
}

// For the daemon's log. Names of libraries need no encoding.
std::string reload_target(const Command& command)
{
    const auto verb = [&]() -> std::string_view {
        switch (command.verb) {
        case Verb::library_add: return "add";
        case Verb::library_rename: return "rename";
        case Verb::library_pause: return "pause";
        case Verb::library_resume: return "resume";
        case Verb::library_forget: return "forget";
        default: return "";
        }
    }();
    return verb.empty() ? "/v1/reload" : fmt::format("/v1/reload?verb=library+{}&library={}", verb, command.library);
}

}  // namespace

Result<Outcome> apply(const Context& context, ConfigurationFiles& files)
{
    if (auto written = files.write(); !written) {
        (void)files.take_back();
        return written.error();
    }
    const auto answer = client_of(context).post(reload_target(context.command), Secret());
    if (!answer) {
        return Outcome{};
    }
    if (const auto checked = answer->check(); !checked) {
        const auto back = files.take_back();
        return Error(checked.error().kind(),
                     fmt::format("the daemon refuses the change: {}; {}", checked.error().text(),
                                 back ? "the configuration is as it was" : back.error().text()));
    }
    return outcome_of(*answer);
}

ExitCode report(const Context& context, const Outcome& outcome, const std::string& done)
{
    const bool is_in_effect = outcome.applied == Applied::by_daemon;
    if (context.command.output == Output::json) {
        const json::object object{{"ok", true},
                                  {"library", context.command.library},
                                  {"text", done},
                                  {"in_effect", is_in_effect},
                                  {"changes", array_of(outcome.changes)},
                                  {"warnings", array_of(outcome.warnings)}};
        context.terminal.print_json(json::serialize(object) + "\n");
        return ExitCode::done;
    }
    for (const auto& warning : outcome.warnings) {
        context.terminal.print(fmt::format("warning: {}\n", warning));
    }
    context.terminal.print(done + (is_in_effect ? "\n" : "; no daemon answers, so it takes effect when one starts\n"));
    return ExitCode::done;
}

Result<void> check_configured(const Context& context, const ConfigurationFiles& files)
{
    const auto* found = files.configuration().find_library(context.command.library);
    return found != nullptr ? Result<void>() : no_library(context.command, files.configuration());
}

}  // namespace shelfd::ctl
