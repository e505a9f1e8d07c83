#include "base/words/names.hpp"
#include "config/edit/library_edit.hpp"
#include "config/tree/toml_text.hpp"
#include "ctl/daemon/report.hpp"
#include "ctl/library/apply.hpp"
#include "ctl/library/confirmed_set.hpp"
#include "ctl/library/former_name.hpp"
#include "ctl/library/library_verbs.hpp"
#include "ctl/library/own_comments.hpp"
#include "ctl/library/set_identity.hpp"
#include "ctl/login/known_library.hpp"
#include "ctl/plan/quiet_now.hpp"
#include "ctl/status/present_set.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace shelfd::ctl {
namespace {

// A library may have these keys itself; then another one cannot share them.
std::string keys_to_move(const config::Configuration& configuration)
{
    const auto& all = configuration.libraries;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [](const config::Library& one) { return !one.application.client_id.empty(); });
    return found == all.end() ? ""
                              : fmt::format("; or move client_id and client_secret of [library.{}] ({}) there, and "
                                            "write application = \"main\" in that library",
                                            found->name, config::to_text(found->position));
}

// The application named, or the only one.
Result<std::string> application_of(const Context& context, const config::Configuration& configuration)
{
    const auto& wanted = context.command.life.application;
    std::vector<std::string> names;
    for (const auto& application : configuration.applications) {
        if (application.name == wanted) {
            return wanted;
        }
        names.push_back(application.name);
    }
    if (wanted.empty() && names.size() == 1) {
        return names.front();
    }
    const auto known = names.empty() ? fmt::format("none is configured; write [application.main] with client_id and "
                                                   "client_secret in {}{}",
                                                   context.command.config_file, keys_to_move(configuration))
                                     : fmt::format("known: {}", list_nearest_first(wanted, names));
    return Error(ErrorKind::usage, wanted.empty() ? fmt::format("name its application with --application ({})", known)
                                                  : fmt::format("there is no [application.{}] ({})", wanted, known));
}

constexpr auto added_comment = "# Added by shelfctl library add";

// What to do about a library that is configured already, and that no earlier command waits to continue with.
std::string next_step(const Context& context, const config::Library& known)
{
    const auto& wanted = context.command.life.library_id;
    if (!wanted.empty() && !known.library_id.empty() && wanted != known.library_id) {
        return fmt::format("it has library_id = {} there; if that is wrong, correct it, then: shelfctl reload",
                           toml_of_id(known.library_id));
    }
    return is_here(present_set(context, known.name)) ? "it has its token set: shelfctl status " + known.name
                                                     : "for its token set: shelfctl auth import " + known.name;
}

Result<void> check_new(const Context& context, const ConfigurationFiles& files)
{
    const auto& name = context.command.library;
    SHELFD_TRY(check_library_name(name));
    const auto* known = files.configuration().find_library(name);
    if (known == nullptr) {
        return {};
    }
    // An earlier command may have ended after it had taken the set.
    SHELFD_TRY_ASSIGN(waits, waits_for_confirmation(files, name));
    const auto next = waits ? fmt::format("it waits until somebody confirms whose data its token set opens: shelfctl "
                                          "library resume {0} (without a token set yet: shelfctl auth import {0}, "
                                          "then that)",
                                          name)
                            : next_step(context, *known);
    return Error(ErrorKind::usage,
                 fmt::format("{} is configured already, at {}; {}", name, config::to_text(known->position), next));
}

// Nobody learns whose data a set opens if no page says it.
std::string unknown_owner_note(const Context& context, const config::Library* added)
{
    const auto& life = context.command.life;
    if (added != nullptr && added->service.identity && life.without_set && added->library_id.empty()) {
        return "; without --id a set of any library is accepted, and auth import says whose it is";
    }
    if (added == nullptr || added->service.identity) {
        return "";
    }
    return fmt::format(
        "; nobody checks which library the token set belongs to{}: set identity in [service] to a page that names it",
        life.library_id.empty() ? "" : ", and --id is not checked");
}

std::string text_of(const Context& context, const std::string& application, bool waits)
{
    const auto& life = context.command.life;
    std::string text = fmt::format("{} on {}; what can be written here: shelfd.toml(5)\n"
                                   "[library.{}]\napplication = {}\n",
                                   added_comment, context.clock.now().to_text().substr(0, 10), context.command.library,
                                   config::quote(application));
    text += life.library_id.empty() ? ""
                                    : fmt::format("# A token set of another library is refused.\nlibrary_id = {}\n",
                                                  toml_of_id(life.library_id));
    text += waits ? fmt::format("{}\npaused = true\n", waiting_comment) : "";
    text += life.note.empty() ? "" : fmt::format("note = {}\n", config::quote(life.note));
    return text + "# Only some lists, or all but some:\n# resources = [\"*\", \"-sales\"]\n";
}

// The first load is made by schedule, too, so quiet hours delay it.
std::string quiet_note(const Context& context, const ConfigurationFiles& files)
{
    const auto* added = files.configuration().find_library(context.command.library);
    return added == nullptr ? "" : quiet_addition(*added, context.clock.now());
}

// What a person must say before anything is fetched.
ExitCode leave_to_person(const Context& context, const std::string& why, const std::string& next)
{
    if (context.command.output == Output::json) {
        const boost::json::object said{
            {"ok", false},
            {"library", context.command.library},
            {"error", {{"kind", to_string(ErrorKind::needs_person)}, {"text", why}}},
            {"do_this", next},
        };
        context.terminal.print_json(boost::json::serialize(said) + "\n");
    } else {
        context.terminal.complain(fmt::format("{}; {}", why, next));
    }
    return ExitCode::needs_person;
}

// The second half, once the set is here: whose is it?
ExitCode finish(const Context& context)
{
    const auto& library = context.command.library;
    // Nothing is locked while the service or a person is asked.
    const auto configuration = read_configuration(context);
    const auto* configured = configuration ? configuration->find_library(library) : nullptr;
    if (configured == nullptr) {
        return fail(context, configuration ? Error(ErrorKind::not_found, "there is no library " + library)
                                           : configuration.error());
    }
    const auto found = ask_identity(context, *configured);
    if (!found) {
        return leave_to_person(
            context, found.error().text(),
            fmt::format("{0} stays paused; to ask again and go on: shelfctl library resume {0}", library));
    }
    const auto next = fmt::format("{0} stays paused. If this is the right library: shelfctl library resume {0}; if "
                                  "not: shelfctl library forget {0}",
                                  library);
    const auto other = other_holder(context, *configuration, found->id);
    if (!other.empty() && context.command.output != Output::json) {
        context.terminal.complain("warning: " + other);
    }
    if (!found->id.empty() && !agrees(context, *found)) {  // or Ctrl-C was typed, which silences `fail`
        const auto name = found->name.empty() ? "" : fmt::format(" '{}'", found->name);
        return leave_to_person(context, fmt::format("the token set belongs to library {}{}", found->id, name), next);
    }
    auto files = ConfigurationFiles::read(context);
    if (!files) {
        return fail(context, files.error());
    }
    if (const auto edited = confirm_set(*files, library, found->id); !edited) {
        return fail(context, edited.error());
    }
    auto outcome = apply(context, *files);
    if (!outcome) {
        return fail(context, outcome.error());
    }
    if (!other.empty() && context.command.output == Output::json) {
        outcome->warnings.push_back(other);
    }
    const auto done = found->id.empty()
                          ? fmt::format("{} is being filled; without identity nobody checks whose data it is", library)
                          : fmt::format("{} is being filled with the data of {}{}", library, found->id,
                                        found->name.empty() ? "" : fmt::format(" '{}'", found->name));
    const auto& service = files->configuration().find_library(library)->service;
    return report(context, *outcome, library, done + quiet_note(context, *files) + user_note(service, *found));
}

// The library as it was added, and what the daemon made of it.
struct Addition {
    Outcome outcome;
    bool waits = false;    // somebody must confirm whose data the token set opens, before anything is fetched
    std::string quiet;     // what the first load waits for
    std::string owner;     // that nobody will know whose data it is; "" = somebody will
    bool goes_on = false;  // with what an earlier command has configured
    bool has_set = false;  // kept since the name was configured before
};

// Whether an earlier `library add` with these options has written what is configured.
Result<bool> was_added(const Context& context, const ConfigurationFiles& files)
{
    const auto& life = context.command.life;
    const auto* known = files.configuration().find_library(context.command.library);
    if (known == nullptr || life.without_set ||
        (!life.application.empty() && life.application != known->application.name)) {
        return false;
    }
    if (!life.library_id.empty() && life.library_id != known->library_id &&
        present_set(context, known->name) != PresentSet::none) {
        return false;
    }
    SHELFD_TRY_ASSIGN(file, files.file_of(known->name));
    SHELFD_TRY_ASSIGN(text, files.text_of(file));
    return text.starts_with(added_comment);
}

// What is left of an addition that ended before it had taken the set; empty if there is none.
Result<std::optional<Addition>> unfinished(const Context& context, ConfigurationFiles& files)
{
    SHELFD_TRY_ASSIGN(is_ours, was_added(context, files));
    if (!is_ours) {
        return std::optional<Addition>();
    }
    const auto& id = context.command.life.library_id;
    if (!id.empty() && id != files.configuration().find_library(context.command.library)->library_id) {
        SHELFD_TRY(confirm_set(files, context.command.library, id));  // the earlier one was wrong, or not known
    }
    if (const auto& note = context.command.life.note; !note.empty()) {
        SHELFD_TRY(files.edit(context.command.library, [&](const std::string& text, const std::string& file) {
            return config::set_library_key(text, file, context.command.library, "note", config::quote(note));
        }));
    }
    SHELFD_TRY_ASSIGN(outcome, apply(context, files));  // the daemon may not have read it
    if (outcome.applied == Applied::later || present_set(context, context.command.library) != PresentSet::none) {
        return std::optional<Addition>();
    }
    SHELFD_TRY(check_running(outcome, context.command.library));
    Addition addition;
    SHELFD_TRY_ASSIGN(waits, waits_for_confirmation(files, context.command.library));
    addition.waits = waits;
    addition.outcome = std::move(outcome);
    addition.quiet = quiet_note(context, files);
    addition.owner = unknown_owner_note(context, files.configuration().find_library(context.command.library));
    addition.goes_on = true;
    return std::optional(std::move(addition));
}

// Whether a token set is kept of that name. If it is not known to be of the library that was named, its configuration
// goes again: the set, and the rows, are somebody else's.
Result<bool> check_kept(const Context& context, ConfigurationFiles& files)
{
    const auto& name = context.command.library;
    const auto& id = context.command.life.library_id;
    const auto set = present_set(context, name);
    const auto& identity = files.configuration().find_library(name)->service.identity;
    if (set != PresentSet::unverified || id.empty() || !identity || identity->field.empty()) {
        return is_here(set);
    }
    return Error(
        ErrorKind::usage,
        fmt::format("the stored data of {0} is not known to belong to library {1} of the service; {2}. Add {1} by "
                    "another name; or if what is kept is not needed any more: shelfctl library forget {0}",
                    name, id, undo(context, files)));
}

// The first half: the configuration, which is free for others when this returns.
Result<Addition> configure(const Context& context)
{
    const auto& command = context.command;
    SHELFD_TRY_ASSIGN(files, ConfigurationFiles::read(context));
    SHELFD_TRY_ASSIGN(begun, unfinished(context, files));
    if (begun) {
        return std::move(*begun);
    }
    SHELFD_TRY(check_new(context, files));
    SHELFD_TRY(free_former_name(files, command.library));
    SHELFD_TRY_ASSIGN(application, application_of(context, files.configuration()));
    const auto file = command.library + ".toml";
    SHELFD_TRY(files.add(file, text_of(context, application, false)));
    Addition addition;
    const auto& service = files.configuration().find_library(command.library)->service;
    addition.waits = command.life.library_id.empty() && !command.life.without_set && service.identity.has_value();
    if (addition.waits) {
        SHELFD_TRY(files.add(file, text_of(context, application, true)));
    }
    SHELFD_TRY_ASSIGN(outcome, apply(context, files));
    SHELFD_TRY(check_running(outcome, command.library));
    SHELFD_TRY_ASSIGN(has_set, check_kept(context, files));
    addition.has_set = has_set;
    addition.outcome = std::move(outcome);
    addition.quiet = quiet_note(context, files);
    addition.owner = unknown_owner_note(context, files.configuration().find_library(command.library));
    return addition;
}

}  // namespace

ExitCode run_library_add(const Context& context)
{
    const auto& command = context.command;
    const auto added = configure(context);
    if (!added) {
        return fail(context, added.error());
    }
    const auto path = config::drop_in_path(command.config_file, command.library + ".toml");
    if (command.life.without_set || added->outcome.applied == Applied::later) {
        const bool is_unread = !command.life.without_set && !command.life.login && !context.terminal.can_ask();
        if (added->has_set) {
            return report(context, added->outcome, command.library,
                          fmt::format("{} is configured in {}, and has its stored token set{}", command.library, path,
                                      added->owner));
        }
        return report(context, added->outcome, command.library,
                      fmt::format("{0} is configured in {1}; its token set is missing{3}: shelfctl auth import {0}{2}",
                                  command.library, path, added->owner,
                                  is_unread ? ", because no daemon could take it and standard input was not read; give "
                                              "it again once one runs"
                                            : ""));
    }
    if (command.output != Output::json) {
        context.terminal.print(fmt::format("{} is configured in {}{}\n", command.library, path,
                                           added->goes_on ? " by an earlier command; its token set is missing" : ""));
    }
    const SetlessLibrary setless{path, added->has_set, added->waits};
    if (const auto code = take_first_set(context, setless); code != ExitCode::done) {
        return code;
    }
    return added->waits ? finish(context)
                        : report(context, added->outcome, command.library,
                                 fmt::format("{} is being filled{}{}", command.library, added->quiet, added->owner));
}

}  // namespace shelfd::ctl
