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
    Outcome outcome{Applied::by_daemon, in.texts("changes"), in.texts("warnings")};
    for (const auto* object : in.objects("absent")) {
        outcome.absent[JsonReader(*object).text("library")] = JsonReader(*object).text("why");
    }
    return outcome;
}

Result<DaemonClient::Answer> ask_to_reload(const Context& context, const std::string& target = "/v1/reload")
{
    return client_of(context).post(target, Secret());
}

// The files as they were; "" or what else a person must know.
std::string take_back(ConfigurationFiles& files)
{
    const auto back = files.take_back();
    return back ? "the configuration is as it was" : back.error().text();
}

// For the daemon's log, and for the runs of the library as it is called after that. Names of libraries need no
// encoding.
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
    const auto& library = command.verb == Verb::library_rename ? command.life.new_name : command.library;
    return verb.empty() ? "/v1/reload" : fmt::format("/v1/reload?verb=library+{}&library={}", verb, library);
}

}  // namespace

// The daemon may have begun with the change, and its status names the refusal: it reads again what is on disk now.
std::string undo(const Context& context, ConfigurationFiles& files)
{
    auto text = take_back(files);
    const auto answer = ask_to_reload(context);
    const auto read = answer ? answer->check() : Result<void>(answer.error());
    return read ? text : fmt::format("{}, but the daemon did not read it again: {}", text, read.error().text());
}

Result<Outcome> apply(const Context& context, ConfigurationFiles& files)
{
    if (const auto written = files.write(); !written) {
        return written.error().kind() == ErrorKind::busy
                   ? written.error()
                   : Error(written.error().kind(), fmt::format("{}; {}", written.error().text(), take_back(files)));
    }
    const auto answer = ask_to_reload(context, reload_target(context.command));
    if (!answer && answer.error().delivery == Delivery::not_sent) {
        const auto& error = answer.error();
        return error.kind() == ErrorKind::network
                   ? Result<Outcome>(Outcome{})
                   : Error(error.kind(), fmt::format("{}; {}", error.text(), take_back(files)));
    }
    if (answer) {
        if (const auto checked = answer->check(); !checked) {
            return Error(checked.error().kind(), fmt::format("the daemon refuses the change: {}; {}",
                                                             checked.error().text(), undo(context, files)));
        }
    }
    auto outcome = answer ? outcome_of(*answer) : Result<Outcome>(answer.error());
    return outcome ? std::move(outcome)
                   : Error(outcome.error().kind(),
                           fmt::format("{}; the configuration is changed, and perhaps not in effect: shelfctl reload",
                                       outcome.error().text()));
}

Result<void> check_running(const Outcome& outcome, const std::string& library)
{
    const auto found = outcome.absent.find(library);
    return found == outcome.absent.end()
               ? Result<void>()
               : Error(ErrorKind::needs_person,
                       fmt::format("the configuration is changed, but {0} is not running: {1}; the daemon tries again "
                                   "by itself, see: shelfctl status {0}",
                                   library, found->second));
}

ExitCode report(const Context& context, const Outcome& outcome, const std::string& library, const std::string& done)
{
    const bool is_in_effect = outcome.applied == Applied::by_daemon;
    if (const auto running = check_running(outcome, library); !running) {
        return fail(context, running.error());
    }
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
