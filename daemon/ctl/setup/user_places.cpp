#include "ctl/setup/user_places.hpp"

#include "ctl/context/user_mode.hpp"

#include <filesystem>
#include <system_error>

namespace shelfd::ctl {
namespace {

std::string value_of(const Environment& environment, const char* name)
{
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
}

}  // namespace

Result<InstallationPlaces> find_installation(const Command& command, const Environment& environment, bool is_root)
{
    const bool is_default = command.config_file == Command().config_file;
    if (is_root && is_default) {
        return InstallationPlaces{true,
                                  true,
                                  command.config_file,
                                  "/var/lib/shelfd/mirrors",
                                  "/var/lib/shelfd/tokens",
                                  "/run/shelfd/control.sock"};
    }
    InstallationPlaces places;
    places.may_have_unit = !is_root;
    std::error_code failed;
    places.config_file = is_default
                             ? user_config_file(environment)
                             : std::filesystem::absolute(command.config_file, failed).lexically_normal().string();
    const auto state = xdg_directory(environment, "XDG_STATE_HOME", ".local/state");
    if (places.config_file.empty() || state.empty()) {
        return Error(ErrorKind::usage, "HOME is not set, so there is no place for the files: set it, or "
                                       "XDG_CONFIG_HOME and XDG_STATE_HOME");
    }
    places.mirrors = state + "/shelfd/mirrors";
    places.tokens = state + "/shelfd/tokens";
    const auto runtime = value_of(environment, "XDG_RUNTIME_DIR");
    places.socket = (runtime.starts_with('/') ? runtime : state) + "/shelfd/control.sock";
    return places;
}

}  // namespace shelfd::ctl
