#include "config/edit/library_edit.hpp"
#include "ctl/library/apply.hpp"
#include "ctl/library/confirmed_set.hpp"
#include "ctl/library/library_verbs.hpp"
#include "ctl/library/set_identity.hpp"
#include "ctl/plan/quiet_now.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

// What `library add` has printed is confirmed, or, after another `auth import`, what the service says now. Nobody else
// can change the configuration while it is asked.
Result<SetIdentity> confirm_now(const Context& context, ConfigurationFiles& files)
{
    const auto& name = context.command.library;
    const auto library = *files.configuration().find_library(name);
    if (!library.library_id.empty()) {
        SHELFD_TRY(confirm_set(files, name, ""));
        return SetIdentity();
    }
    const auto found = ask_identity(context, library);
    if (!found) {
        return Error(
            found.error().kind(),
            fmt::format("{0} stays paused, because the library of its token set is not known: {1}; correct that and "
                        "repeat this command, or write library_id into [library.{0}] and remove paused",
                        name, found.error().text()));
    }
    SHELFD_TRY(confirm_set(files, name, found->id));
    return *found;
}

Result<SetIdentity> set_running(const Context& context, ConfigurationFiles& files)
{
    SHELFD_TRY(check_configured(context, files));
    const auto& name = context.command.library;
    SHELFD_TRY_ASSIGN(waits, waits_for_confirmation(files, name));
    if (waits) {
        return confirm_now(context, files);
    }
    if (files.configuration().find_library(name)->paused) {
        SHELFD_TRY(files.edit(name, [&](const std::string& text, const std::string& file) {
            return config::remove_library_key(text, file, name, "paused");
        }));
    }
    return SetIdentity();
}

Result<void> set_paused(const Context& context, ConfigurationFiles& files)
{
    SHELFD_TRY(check_configured(context, files));
    const auto& name = context.command.library;
    return files.configuration().find_library(name)->paused
               ? Result<void>()
               : files.edit(name, [&](const std::string& text, const std::string& file) {
                     return config::set_library_key(text, file, name, "paused", "true");
                 });
}

ExitCode put_into_effect(const Context& context, ConfigurationFiles& files, const std::string& done)
{
    const auto outcome = apply(context, files);
    return outcome ? report(context, *outcome, context.command.library, done) : fail(context, outcome.error());
}

}  // namespace

ExitCode run_library_pause(const Context& context)
{
    auto files = ConfigurationFiles::read(context);
    if (!files) {
        return fail(context, files.error());
    }
    if (const auto paused = set_paused(context, *files); !paused) {
        return fail(context, paused.error());
    }
    return put_into_effect(context, *files,
                           fmt::format("{0} is paused: nothing is fetched, and its token set is refreshed; to fetch "
                                       "again: shelfctl library resume {0}",
                                       context.command.library));
}

ExitCode run_library_resume(const Context& context)
{
    auto files = ConfigurationFiles::read(context);
    if (!files) {
        return fail(context, files.error());
    }
    const auto& name = context.command.library;
    const auto* before = files->configuration().find_library(name);
    const bool was_running = before != nullptr && !before->paused;
    const auto found = set_running(context, *files);
    if (!found) {
        return fail(context, found.error());
    }
    const auto whose = found->id.empty()
                           ? ""
                           : fmt::format("; it is being filled with the data of {}{}, and a set of another library is "
                                         "refused from now on",
                                         found->id, found->name.empty() ? "" : fmt::format(" '{}'", found->name));
    return put_into_effect(
        context, *files,
        fmt::format("{} {} paused{}{}", name, was_running ? "was not" : "is not", whose,
                    quiet_addition(*files->configuration().find_library(name), context.clock.now())));
}

}  // namespace shelfd::ctl
