#include "config/edit/library_edit.hpp"
#include "ctl/library/apply.hpp"
#include "ctl/library/library_verbs.hpp"
#include "ctl/library/own_comments.hpp"
#include "ctl/plan/quiet_now.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

enum class Wanted { paused, running };

ExitCode change(const Context& context, Wanted wanted)
{
    auto files = ConfigurationFiles::read(context);
    if (!files) {
        return fail(context, files.error());
    }
    if (const auto known = check_configured(context, *files); !known) {
        return fail(context, known.error());
    }
    const auto& name = context.command.library;
    const bool is_paused = wanted == Wanted::paused;
    if (files->configuration().find_library(name)->paused != is_paused) {
        const auto edit = [&](const std::string& text, const std::string& file) {
            return is_paused ? config::set_library_key(text, file, name, "paused", "true")
                             : config::remove_library_key(text, file, name, "paused", waiting_comment);
        };
        if (const auto edited = files->edit(name, edit); !edited) {
            return fail(context, edited.error());
        }
    }
    const auto outcome = apply(context, *files);
    if (!outcome) {
        return fail(context, outcome.error());
    }
    return report(context, *outcome, name,
                  is_paused
                      ? fmt::format("{0} is paused: nothing is fetched, and its token set is refreshed; to fetch "
                                    "again: shelfctl library resume {0}",
                                    name)
                      : fmt::format("{} is not paused{}", name,
                                    quiet_addition(*files->configuration().find_library(name), context.clock.now())));
}

}  // namespace

ExitCode run_library_pause(const Context& context)
{
    return change(context, Wanted::paused);
}

ExitCode run_library_resume(const Context& context)
{
    return change(context, Wanted::running);
}

}  // namespace shelfd::ctl
