#include "ctl/library/first_set.hpp"

#include "base/text.hpp"
#include "ctl/context/ending_signals.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/login/import_set.hpp"
#include "ctl/login/log_in.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// After a set was not taken.
std::string remains(const Command& command, const SetlessLibrary& library)
{
    const auto& name = command.library;
    const auto* again = command.life.login ? "login" : "import";
    const auto resume = "shelfctl library resume " + name;
    if (library.has_set) {
        return fmt::format("{0} stays configured, with the token set that was kept of it{1}; another set: shelfctl "
                           "auth {3} {0}; or undo it: remove {2}, then: shelfctl reload",
                           name, library.waits ? ", and paused until: " + resume : "", library.file, again);
    }
    return fmt::format("{0} stays configured without a token set; again: shelfctl auth {2} {0}{1}; or undo it: "
                       "shelfctl library forget {0}",
                       name, library.waits ? ", then " + resume : "", again);
}

}  // namespace

ExitCode take_first_set(const Context& context, const SetlessLibrary& library)
{
    const auto& command = context.command;
    const EndingSignals caught;
    json::object answer;
    const auto code = command.life.login ? log_in(context, answer) : import_set(context, answer);
    if (code == ExitCode::done && command.output != Output::json) {
        context.terminal.print(JsonReader(answer).text("text") + "\n");
    }
    if (code == ExitCode::done && was_interrupted() && library.waits) {
        context.terminal.complain(fmt::format("interrupted; {0} has its token set, and stays paused. If it is the "
                                              "right one: shelfctl library resume {0}; if not: shelfctl library "
                                              "forget {0}",
                                              command.library));
        return ExitCode::needs_person;
    }
    if (code != ExitCode::done) {
        context.terminal.complain((was_interrupted() ? "interrupted; " : "") + remains(command, library));
    }
    return code;
}

bool agrees(const Context& context, const SetIdentity& found)
{
    if (context.command.life.agreed) {
        return true;
    }
    if (!context.terminal.can_ask()) {
        return false;
    }
    const auto who = found.name.empty() ? found.id : fmt::format("{} '{}'", found.id, found.name);
    const EndingSignals caught;
    for (;;) {
        const auto typed = context.read_line(fmt::format("This set answers as {}. Right? (yes or no): ", who));
        const auto word = typed ? lower(trimmed(typed->reveal())) : "no";
        if (word == "y" || word == "yes") {
            return true;
        }
        if (word == "n" || word == "no") {
            return false;
        }
        context.terminal.complain("type yes or no");
    }
}

}  // namespace shelfd::ctl
