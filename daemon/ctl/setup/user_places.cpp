#include "ctl/setup/user_places.hpp"

#include "base/words/stable_mark.hpp"
#include "ctl/context/user_mode.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>

namespace shelfd::ctl {
namespace {

std::string value_of(const Environment& environment, const char* name)
{
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
}

// "two" for /etc/shelfd/two/shelfd.toml, if systemd takes that name as it is; "" otherwise.
std::string instance_of(const std::filesystem::path& config_file)
{
    const std::filesystem::path usual = Command().config_file;
    const auto directory = config_file.parent_path();
    const auto name = directory.filename().string();
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const bool is_one = directory.parent_path() == usual.parent_path() && config_file.filename() == usual.filename();
    return is_one && name.find_first_not_of(plain) == std::string::npos ? name : "";
}

InstallationPlaces places_of_system(const std::string& config_file, const std::string& instance)
{
    const auto name = "shelfd" + (instance.empty() ? "" : "-" + instance);
    const auto state = "/var/lib/" + name;
    return {.of_system = true,
            .may_have_unit = true,
            .config_file = config_file,
            .mirrors = state + "/mirrors",
            .tokens = state + "/tokens",
            .socket = "/run/" + name + "/control.sock",
            .state = instance.empty() ? "" : state,
            .unit = "shelfd" + (instance.empty() ? "" : "@" + instance)};
}

}  // namespace

Result<InstallationPlaces> find_installation(const Command& command, const Environment& environment, bool is_root)
{
    const bool is_default = command.config_file == Command().config_file;
    if (is_root && is_default) {
        return places_of_system(command.config_file, "");
    }
    InstallationPlaces places;
    places.may_have_unit = !is_root;
    std::error_code failed;
    const auto of_user = user_config_file(environment);
    places.config_file =
        is_default ? of_user : std::filesystem::absolute(command.config_file, failed).lexically_normal().string();
    if (const auto instance = is_root ? instance_of(places.config_file) : ""; !instance.empty()) {
        return places_of_system(places.config_file, instance);
    }
    const auto runtime = value_of(environment, "XDG_RUNTIME_DIR");
    const bool has_runtime = runtime.starts_with('/');
    if (!places.config_file.empty() && places.config_file != of_user) {
        places.mirrors = places.directory() + "/mirrors";
        places.tokens = places.directory() + "/tokens";
        // In memory where that can be: the daemon keeps a set beside its socket that no disk accepts.
        places.socket = has_runtime
                            ? fmt::format("{}/shelfd-{:016x}/control.sock", runtime, stable_mark(places.directory()))
                            : places.directory() + "/control.sock";
        return places;
    }
    const auto state = xdg_directory(environment, "XDG_STATE_HOME", ".local/state");
    if (places.config_file.empty() || state.empty()) {
        return Error(ErrorKind::usage, "HOME is not set, so there is no place for the files: set it, or "
                                       "XDG_CONFIG_HOME and XDG_STATE_HOME");
    }
    places.mirrors = state + "/shelfd/mirrors";
    places.tokens = state + "/shelfd/tokens";
    places.socket = (has_runtime ? runtime : state) + "/shelfd/control.sock";
    return places;
}

}  // namespace shelfd::ctl
