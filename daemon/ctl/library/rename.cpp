#include "base/words/names.hpp"
#include "config/check/values.hpp"
#include "config/edit/library_edit.hpp"
#include "config/tree/toml_text.hpp"
#include "ctl/library/apply.hpp"
#include "ctl/library/library_verbs.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

Result<void> check_new_name(const std::string& from, const std::string& to)
{
    if (!config::is_name(to)) {
        return Error(ErrorKind::usage, fmt::format("\"{}\" is not the name of a library: it begins with a-z, has only "
                                                   "a-z, 0-9 and _, and at most 41 characters",
                                                   to));
    }
    return from != to ? Result<void>() : Error(ErrorKind::usage, fmt::format("{} is its present name", from));
}

ConfigurationFiles::Edit set_former(const std::string& from, const std::string& to)
{
    return [from, to](const std::string& text, const std::string& file) {
        return config::set_library_key(text, file, to, "formerly", config::quote(from));
    };
}

// Of the two names either the old one is configured, or a person has changed the configuration by hand already.
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
        return known->formerly == from ? Result<void>() : files.edit(to, set_former(from, to));
    }
    SHELFD_TRY(check_configured(context, files));
    // Both in one step: nobody ever reads a configuration in which the new name does not know the old one.
    return files.edit(from, [&](const std::string& text, const std::string& file) -> Result<std::string> {
        SHELFD_TRY_ASSIGN(renamed, config::rename_library(text, file, from, to));
        return set_former(from, to)(renamed, file);
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
    return report(context, *outcome,
                  fmt::format("{0} is {1} now, with its token set, its mirror and its request log; nothing was "
                              "refreshed or fetched for that",
                              context.command.library, context.command.life.new_name));
}

}  // namespace shelfd::ctl
