#include "ctl/library/names_in_hooks.hpp"

#include "config/edit/hook_edit.hpp"

#include <set>

namespace shelfd::ctl {
namespace {

Result<void> edit_hooks(ConfigurationFiles& files, const ConfigurationFiles::Edit& edit)
{
    std::set<std::string> with_hooks;
    for (const auto& hook : files.configuration().hooks) {
        with_hooks.insert(hook.position.file);
    }
    for (const auto& file : with_hooks) {
        SHELFD_TRY(files.edit_file(file, edit));
    }
    return {};
}

}  // namespace

std::vector<std::string> names_in_hooks(const config::Configuration& configuration, const config::Library& library)
{
    const bool has_former = !library.formerly.empty() && configuration.find_library(library.formerly) == nullptr;
    return has_former ? std::vector<std::string>{library.name, library.formerly}
                      : std::vector<std::string>{library.name};
}

Result<void> rename_in_hooks(ConfigurationFiles& files, const std::vector<std::string>& from, const std::string& to)
{
    return edit_hooks(files, [&](const std::string& text, const std::string& name) {
        return config::rename_in_hooks(text, name, from, to);
    });
}

Result<void> remove_from_hooks(ConfigurationFiles& files, const std::vector<std::string>& names)
{
    return edit_hooks(files, [&](const std::string& text, const std::string& name) {
        return config::remove_from_hooks(text, name, names);
    });
}

}  // namespace shelfd::ctl
