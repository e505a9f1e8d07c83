#include "ctl/setup/user_places.hpp"

#include <filesystem>
#include <system_error>

namespace shelfd::ctl {
namespace {

std::string value_of(const Environment& environment, const char* name)
{
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
}

// XDG base directory specification: a relative path is to be ignored.
std::string base_directory(const Environment& environment, const char* name, const char* below_home)
{
    if (const auto set = value_of(environment, name); set.starts_with('/')) {
        return set;
    }
    const auto home = value_of(environment, "HOME");
    return home.starts_with('/') ? home + "/" + below_home : "";
}

}  // namespace

std::string user_config_file(const Environment& environment)
{
    const auto base = base_directory(environment, "XDG_CONFIG_HOME", ".config");
    return base.empty() ? "" : base + "/shelfd/shelfd.toml";
}

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
    places.has_unit = is_default;
    std::error_code failed;
    places.config_file = is_default
                             ? user_config_file(environment)
                             : std::filesystem::absolute(command.config_file, failed).lexically_normal().string();
    const auto state = base_directory(environment, "XDG_STATE_HOME", ".local/state");
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
