#include "ctl/library/confirmed_set.hpp"

#include "config/edit/library_edit.hpp"
#include "config/tree/toml_text.hpp"
#include "ctl/context/ending_signals.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/library/own_comments.hpp"
#include "ctl/login/import_set.hpp"
#include "ctl/login/log_in.hpp"
#include "ctl/status/present_set.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

// After a set was not taken, or its answer was lost.
std::string remains(const Context& context, const SetlessLibrary& library)
{
    const auto& command = context.command;
    const auto& name = command.library;
    const auto* again = command.life.login ? "login" : "import";
    const auto resume = "shelfctl library resume " + name;
    if (library.has_set) {
        return fmt::format("{0} stays configured, with its stored token set{1}; to use another set: shelfctl auth {3} "
                           "{0}; to undo the addition: remove {2}, then: shelfctl reload",
                           name, library.waits ? ", and paused until: " + resume : "", library.file, again);
    }
    const auto now = present_set(context, name);
    if (now == PresentSet::unknown) {
        return fmt::format("{0} stays configured{1}; whether it has its token set is not known, because no daemon says "
                           "so: once one runs: shelfctl auth status {0}",
                           name, library.waits ? ", and paused until: " + resume : "");
    }
    if (is_here(now)) {
        return fmt::format("{0} did receive its token set{1}", name,
                           library.waits ? ", and stays paused; if it is the right one: " + resume +
                                               "; if not: shelfctl library forget " + name
                                         : ": shelfctl auth status " + name);
    }
    return fmt::format("no token set was taken, and {0} stays configured without one; to try again: shelfctl auth {2} "
                       "{0}{1}; to undo the "
                       "addition: shelfctl library forget {0}",
                       name, library.waits ? ", then " + resume : "", again);
}

}  // namespace

ExitCode take_first_set(const Context& context, const SetlessLibrary& library)
{
    const auto& command = context.command;
    const EndingSignals caught;
    boost::json::object answer;
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
        // That nothing was changed is said of the token set.
        context.terminal.complain((was_interrupted() ? "interrupted; " : "") + remains(context, library));
    }
    return code;
}

// "007" is a text.
std::string toml_of_id(const std::string& id)
{
    const bool has_digits_only = !id.empty() && id.find_first_not_of("0123456789") == std::string::npos;
    const bool is_number = has_digits_only && id.size() <= 18 && (id == "0" || id.front() != '0');
    return is_number ? id : config::quote(id);
}

// The comment before the key says so; a person's own pause has none.
Result<bool> waits_for_confirmation(const ConfigurationFiles& files, const std::string& library)
{
    const auto* configured = files.configuration().find_library(library);
    if (configured == nullptr || !configured->paused) {
        return false;
    }
    SHELFD_TRY_ASSIGN(file, files.file_of(library));
    SHELFD_TRY_ASSIGN(text, files.text_of(file));
    SHELFD_TRY_ASSIGN(without_both, config::remove_library_key(text, file, library, "paused", waiting_comment));
    SHELFD_TRY_ASSIGN(without_key, config::remove_library_key(text, file, library, "paused"));
    return without_both != without_key;
}

Result<void> confirm_set(ConfigurationFiles& files, const std::string& library, const std::string& id)
{
    return files.edit(library, [&](const std::string& text, const std::string& file) -> Result<std::string> {
        auto next = text;
        if (!id.empty()) {
            SHELFD_TRY_ASSIGN(with_id, config::set_library_key(next, file, library, "library_id", toml_of_id(id)));
            next = std::move(with_id);
        }
        return config::remove_library_key(next, file, library, "paused", waiting_comment);
    });
}

}  // namespace shelfd::ctl
