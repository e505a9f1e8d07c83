#include "config/edit/library_edit.hpp"
#include "config/tree/toml_text.hpp"
#include "ctl/daemon/report.hpp"
#include "ctl/library/apply.hpp"
#include "ctl/library/former_name.hpp"
#include "ctl/library/library_verbs.hpp"
#include "ctl/library/names_in_hooks.hpp"
#include "ctl/library/own_comments.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

Result<void> check_new_name(const std::string& from, const std::string& to)
{
    SHELFD_TRY(check_library_name(to));
    return from != to ? Result<void>() : Error(ErrorKind::usage, fmt::format("{} is its present name", from));
}

// A library that gets back the name under which everything is kept needs no key to find it.
ConfigurationFiles::Edit set_former(const std::string& from, const std::string& to)
{
    return [from, to](const std::string& text, const std::string& file) {
        const auto commented = rename_in_comments(text, from, to);
        return from == to ? config::remove_library_key(commented, file, to, "formerly")
                          : config::set_library_key(commented, file, to, "formerly", config::quote(from));
    };
}

enum class Renamed {
    yes,
    pending,  // nobody knows whether FROM was a name between two renames that no daemon has carried out yet
};

// The present name does not know the former one, or knows an earlier one that nothing was taken over from yet.
Result<Renamed> name_former(ConfigurationFiles& files, const config::Library& present, const std::string& from)
{
    if (present.formerly == from) {
        return Renamed::yes;
    }
    const auto& storage = files.configuration().storage;
    SHELFD_TRY_ASSIGN(is_done, had_name(storage, present, from));
    SHELFD_TRY_ASSIGN(is_kept, is_anything_of(storage, from));
    if (is_done && !is_kept) {
        return Renamed::yes;
    }
    SHELFD_TRY_ASSIGN(kept, name_of_kept(storage, present));
    if (is_kept && kept == present.name) {
        const auto name = present.name;
        SHELFD_TRY(rename_in_hooks(files, names_in_hooks(files.configuration(), present), name));
        SHELFD_TRY(files.edit(name, set_former(from, name)));
        return Renamed::yes;
    }
    if (is_kept) {
        return Error(
            ErrorKind::usage,
            fmt::format("{0} is to take over the stored data of {1}, so it cannot take over {2}, too: start the "
                        "daemon, which carries out the first rename, and write [library.{2}] again",
                        present.name, kept, from));
    }
    return kept != present.name
               ? Result<Renamed>(Renamed::pending)
               : Error(ErrorKind::usage,
                       fmt::format("there is no library {0}, and no data of one is stored, so {1} cannot take over "
                                   "anything; nothing was changed (shelfctl library list shows what there is)",
                                   from, present.name));
}

// What the daemon is to move.
struct Parts {
    std::string text;
    bool are_there = false;  // under the old name
};

// Asked before it does.
Parts parts_to_move(const ConfigurationFiles& files, const Command& command)
{
    const auto& storage = files.configuration().storage;
    const auto* renamed = files.configuration().find_library(command.life.new_name);
    const auto from = renamed->formerly.empty() ? command.library : renamed->formerly;
    const auto parts = kept_parts(storage, from);
    if (!parts) {
        return {"with all its stored data", true};
    }
    if (!parts->empty()) {
        const auto last = parts->size() - 1;
        const std::vector<std::string> first(parts->begin(), parts->end() - 1);
        return {last == 0 ? "with " + parts->back()
                          : fmt::format("with {} and {}", fmt::join(first, ", "), parts->back()),
                true};
    }
    const bool is_done = is_anything_of(storage, renamed->name).value_or(true);
    return {is_done ? "with the data that was stored of it before" : "of which nothing is stored", false};
}

// Of the two names either the old one is configured, or a person has changed the configuration by hand already.
Result<Renamed> rename_in(const Context& context, ConfigurationFiles& files)
{
    const auto& from = context.command.library;
    const auto& to = context.command.life.new_name;
    SHELFD_TRY(check_new_name(from, to));
    const auto& configuration = files.configuration();
    const bool has_old = configuration.find_library(from) != nullptr;
    if (const auto* known = configuration.find_library(to)) {
        if (has_old) {
            return Error(ErrorKind::usage,
                         fmt::format("{} and {} are both configured: two libraries cannot become one", from, to));
        }
        return name_former(files, *known, from);
    }
    SHELFD_TRY(check_configured(context, files));
    SHELFD_TRY(free_former_name(files, to, from));
    // Renamed twice while no daemon ran, it is still kept under its first name.
    SHELFD_TRY_ASSIGN(kept, name_of_kept(configuration.storage, *configuration.find_library(from)));
    // Until the new name is known, hooks call it by the one that stays known.
    const auto names = names_in_hooks(configuration, *configuration.find_library(from));
    SHELFD_TRY(rename_in_hooks(files, names, kept));
    // Both in one step: nobody ever reads a configuration in which the new name does not know the old one.
    SHELFD_TRY(files.edit(from, [&](const std::string& text, const std::string& file) -> Result<std::string> {
        SHELFD_TRY_ASSIGN(renamed, config::rename_library(text, file, from, to));
        return set_former(kept, to)(rename_in_comments(renamed, from, to), file);
    }));
    SHELFD_TRY(rename_in_hooks(files, {kept}, to));
    return Renamed::yes;
}

std::string sentence(const ConfigurationFiles& files, const Command& command, Renamed renamed, const Parts& parts,
                     Applied applied)
{
    const auto& to = command.life.new_name;
    if (renamed == Renamed::pending) {
        return fmt::format("{} takes over the stored data of {}, as before; nothing was changed", to,
                           files.configuration().find_library(to)->formerly);
    }
    return applied == Applied::later && parts.are_there
               ? fmt::format("{} is {} in the configuration now; the daemon has not moved anything yet",
                             command.library, to)
               : fmt::format("{} was renamed to {}, {}; nothing was refreshed or fetched for that", command.library, to,
                             parts.text);
}

}  // namespace

ExitCode run_library_rename(const Context& context)
{
    auto files = ConfigurationFiles::read(context);
    if (!files) {
        return fail(context, files.error());
    }
    const auto renamed = rename_in(context, *files);
    if (!renamed) {
        return fail(context, renamed.error());
    }
    const auto parts = parts_to_move(*files, context.command);
    const auto outcome = apply(context, *files);
    if (!outcome) {
        return fail(context, outcome.error());
    }
    rename_drop_in(context, context.command.library, context.command.life.new_name);
    const auto done = sentence(*files, context.command, *renamed, parts, outcome->applied);
    return report(context, *outcome, context.command.life.new_name, done);
}

}  // namespace shelfd::ctl
