#include "config/edit/library_edit.hpp"
#include "config/tree/toml_text.hpp"
#include "ctl/daemon/report.hpp"
#include "ctl/library/apply.hpp"
#include "ctl/library/former_name.hpp"
#include "ctl/library/library_verbs.hpp"
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

// The present name does not know the former one, or knows an earlier one that nothing was taken over from yet.
Result<void> name_former(ConfigurationFiles& files, const config::Library& present, const std::string& from)
{
    if (present.formerly == from) {
        return {};
    }
    const auto& storage = files.configuration().storage;
    SHELFD_TRY_ASSIGN(kept, name_of_kept(storage, present));
    if (kept == present.name) {
        return files.edit(present.name, set_former(from, present.name));
    }
    SHELFD_TRY_ASSIGN(is_kept, is_anything_of(storage, from));
    return is_kept
               ? Error(ErrorKind::usage,
                       fmt::format("{0} is to take over what is kept of {1}, so it cannot take over {2}, too: start "
                                   "the daemon, which carries out the first rename, and give {2} a table of its own "
                                   "again",
                                   present.name, kept, from))
               : Result<void>();
}

// Either the old name is configured, or a person has changed the configuration by hand already.
Result<void> rename_in(const Context& context, ConfigurationFiles& files)
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
    // Renamed twice while no daemon ran, it is still kept under its first name.
    SHELFD_TRY_ASSIGN(kept, name_of_kept(configuration.storage, *configuration.find_library(from)));
    // Both in one step: nobody ever reads a configuration in which the new name does not know the old one.
    return files.edit(from, [&](const std::string& text, const std::string& file) -> Result<std::string> {
        SHELFD_TRY_ASSIGN(renamed, config::rename_library(text, file, from, to));
        return set_former(kept, to)(rename_in_comments(renamed, from, to), file);
    });
}

}  // namespace

ExitCode run_library_rename(const Context& context)
{
    auto files = ConfigurationFiles::read(context);
    if (!files) {
        return fail(context, files.error());
    }
    if (const auto renamed = rename_in(context, *files); !renamed) {
        return fail(context, renamed.error());
    }
    const auto outcome = apply(context, *files);
    if (!outcome) {
        return fail(context, outcome.error());
    }
    rename_drop_in(context, context.command.library, context.command.life.new_name);
    return report(context, *outcome, context.command.life.new_name,
                  fmt::format("{0} is {1} now, with its token set, its mirror and its request log; nothing was "
                              "refreshed or fetched for that",
                              context.command.library, context.command.life.new_name));
}

}  // namespace shelfd::ctl
