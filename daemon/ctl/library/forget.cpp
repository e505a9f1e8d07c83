#include "base/words/names.hpp"
#include "config/edit/library_edit.hpp"
#include "ctl/context/confirmation.hpp"
#include "ctl/daemon/answer.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/daemon/report.hpp"
#include "ctl/library/apply.hpp"
#include "ctl/library/former_name.hpp"
#include "ctl/library/library_verbs.hpp"
#include "ctl/library/names_in_hooks.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <filesystem>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

Result<void> remove_from(ConfigurationFiles& files, const std::string& library)
{
    SHELFD_TRY_ASSIGN(file, files.file_of(library));
    const auto names = names_in_hooks(files.configuration(), *files.configuration().find_library(library));
    if (const auto removed = remove_from_hooks(files, names); !removed) {
        return Error(removed.error().kind(),
                     fmt::format("nothing was removed: {}; then repeat: shelfctl library forget {}",
                                 removed.error().text(), library));
    }
    const auto removed = files.edit(library, [&](const std::string& text, const std::string& name) {
        return config::remove_library(text, name, library);
    });
    if (!removed) {
        return Error(removed.error().kind(),
                     fmt::format("nothing was removed: {}; then: shelfctl reload, and repeat: shelfctl library forget "
                                 "{}",
                                 removed.error().text(), library));
    }
    files.remove_if_empty(file);
    return {};
}

void print_receipt(const Context& context, const json::object& receipt)
{
    const JsonReader in(receipt);
    const auto& library = context.command.library;
    context.terminal.print(fmt::format("{} is forgotten.\n", library));
    for (const auto* object : in.objects("removed")) {
        const JsonReader one(*object);
        context.terminal.print(
            fmt::format("  removed  {}: {} ({} bytes)\n", one.text("what"), one.text("path"), one.count("bytes")));
    }
    context.terminal.print(in.flag("revoked")
                               ? std::string("  revoked  the token set, at the service\n")
                               : fmt::format("  not revoked at the service: {}\n", in.text("why_not_revoked")));
}

// Errors: not_found, if nothing is kept of a library that is not configured either.
Result<void> check_kept(const config::Configuration& configuration, const std::string& library)
{
    const auto kept = kept_parts(configuration.storage, library);
    std::error_code hidden;
    const bool is_half_removed =
        std::filesystem::exists(configuration.storage.mirrors + "/.forgotten/" + library, hidden);
    if (!kept || !kept->empty() || is_half_removed || hidden) {
        return {};  // or it cannot be seen: the daemon knows
    }
    std::vector<std::string> names;
    for (const auto& one : configuration.libraries) {
        names.push_back(one.name);
    }
    return Error(ErrorKind::not_found,
                 fmt::format("there is no library {} (known: {}), and no data of one is stored; all of them: shelfctl "
                             "library list",
                             library, list_nearest_first(library, std::move(names))));
}

// The configuration, if it can be without the library, and this user may change it.
Result<ConfigurationFiles> read_removable(const Context& context)
{
    const auto& library = context.command.library;
    SHELFD_TRY_ASSIGN(files, ConfigurationFiles::read(context));
    if (files.configuration().find_library(library) != nullptr) {
        SHELFD_TRY(remove_from(files, library));
    } else {
        SHELFD_TRY(check_kept(files.configuration(), library));
    }
    SHELFD_TRY(files.check_rights());
    return std::move(files);
}

// The file may have been edited while the daemon removed the library.
Result<Outcome> remove_from_configuration(const Context& context, ConfigurationFiles& files, bool is_in_daemon)
{
    const auto& library = context.command.library;
    const bool was_configured = files.has_changes();
    SHELFD_TRY(files.read_again());
    const bool is_configured = files.configuration().find_library(library) != nullptr;
    if (is_configured) {
        SHELFD_TRY(remove_from(files, library));
    }
    return was_configured || is_configured || is_in_daemon ? apply(context, files)
                                                           : Result<Outcome>(Outcome{Applied::by_daemon});
}

// Nothing is asked any more. Nobody else changes the configuration until it is without the library.
ExitCode forget(const Context& context)
{
    const auto& library = context.command.library;
    // It may have been changed while the question waited.
    auto files = read_removable(context);
    if (!files) {
        return fail(context, files.error());
    }
    json::object receipt;
    const json::object body{{"library", library}, {"without_revocation", context.command.life.without_revocation}};
    if (const auto code = ask_to_act(context, "/v1/library/forget", body, receipt); code != ExitCode::done) {
        return code;
    }
    // The daemon may still have it: a reload that was to follow did not come.
    const auto outcome = remove_from_configuration(context, *files, JsonReader(receipt).flag("is_configured"));
    const auto now = files->read_again();
    const bool is_left = now ? files->configuration().find_library(library) != nullptr : !outcome.has_value();
    if (context.command.output == Output::json) {
        receipt["is_configured"] = is_left;
        context.terminal.print_json(json::serialize(receipt) + "\n");
    } else {
        print_receipt(context, receipt);
    }
    if (is_left) {
        context.terminal.complain(fmt::format("[library.{}] is still in the configuration: remove it", library));
    }
    return outcome ? ExitCode::done : fail(context, outcome.error());
}

}  // namespace

// The configuration is checked without the library before anything is removed, and changed after it: if this is killed
// in between, the daemon does not begin an empty library of that name.
ExitCode run_library_forget(const Context& context)
{
    const auto& library = context.command.library;
    if (const auto named = check_library_name(library); !named) {
        return fail(context, named.error());
    }
    if (const auto removable = read_removable(context); !removable) {
        return fail(context, removable.error());
    }
    const auto what = fmt::format("this removes the token set, the mirror and the snapshots of {} for good; only the "
                                  "owner can issue another set",
                                  library);
    const auto otherwise = fmt::format("nothing of {} was removed", library);
    if (const auto agreed = confirm_by_name(context, what, otherwise); !agreed) {
        return fail(context, agreed.error());
    }
    return forget(context);
}

}  // namespace shelfd::ctl
