#include "ctl/context/user_mode.hpp"

#include "base/accounts/accounts.hpp"
#include "base/regular_file.hpp"
#include "base/words/log_command.hpp"
#include "base/words/shell_word.hpp"
#include "config/model/model.hpp"

#include <filesystem>
#include <sstream>
#include <system_error>

#include <unistd.h>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_unit = 64u << 10;

std::string value_of(const Environment& environment, const char* name)
{
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
}

// Directories with colons between; the default if the variable is not set.
void add_list(std::vector<std::string>& directories, const std::string& list, const char* otherwise)
{
    std::istringstream in(list.empty() ? otherwise : list);
    for (std::string directory; std::getline(in, directory, ':');) {
        if (directory.starts_with('/')) {
            directories.push_back(directory + "/systemd/user");
        }
    }
}

// A service of the system listens there.
bool is_of_system(const std::string& socket)
{
    return socket == config::Control().socket || unit_of(socket) != unit_of("");
}

}  // namespace

// A relative path is to be ignored.
std::string xdg_directory(const Environment& environment, const char* name, const char* below_home)
{
    if (auto set = value_of(environment, name); set.starts_with('/')) {
        return set;
    }
    const auto home = value_of(environment, "HOME");
    return home.starts_with('/') ? home + "/" + below_home : "";
}

std::string user_config_file(const Environment& environment)
{
    const auto base = xdg_directory(environment, "XDG_CONFIG_HOME", ".config");
    return base.empty() ? "" : base + "/shelfd/shelfd.toml";
}

std::string own_unit_directory(const Environment& environment)
{
    const auto base = xdg_directory(environment, "XDG_CONFIG_HOME", ".config");
    return base.empty() ? "" : base + "/systemd/user";
}

std::vector<std::string> user_unit_directories(const Environment& environment)
{
    std::vector<std::string> directories;
    const auto runtime = value_of(environment, "XDG_RUNTIME_DIR");
    const auto add = [&](const std::string& base, const char* below) {
        if (base.starts_with('/')) {
            directories.push_back(base + below);
        }
    };
    add(xdg_directory(environment, "XDG_CONFIG_HOME", ".config"), "/systemd/user.control");
    add(runtime, "/systemd/user.control");
    add(own_unit_directory(environment), "");
    add_list(directories, value_of(environment, "XDG_CONFIG_DIRS"), "/etc/xdg");
    directories.emplace_back("/etc/systemd/user");
    add(runtime, "/systemd/user");
    directories.emplace_back("/run/systemd/user");
    add(xdg_directory(environment, "XDG_DATA_HOME", ".local/share"), "/systemd/user");
    add_list(directories, value_of(environment, "XDG_DATA_DIRS"), "/usr/local/share:/usr/share");
    for (const auto* place : {"/usr/local/lib/systemd/user", "/usr/lib/systemd/user", "/lib/systemd/user"}) {
        directories.emplace_back(place);
    }
    return directories;
}

std::string find_unit(const std::vector<std::string>& directories, std::string_view name)
{
    for (const auto& directory : directories) {
        std::error_code hidden;
        auto unit = directory + "/" + std::string(name);
        const auto type = fs::symlink_status(unit, hidden).type();
        if (type != fs::file_type::none && type != fs::file_type::not_found) {
            return unit;
        }
    }
    return "";
}

std::string escape_unit_text(std::string_view text)
{
    std::string escaped;
    for (const char c : text) {
        escaped += c;
        escaped += c == '%' ? "%" : "";
    }
    return escaped;
}

std::string unit_word(std::string_view word)
{
    constexpr std::string_view special = " \t\"'\\;";
    std::string escaped;
    for (const char c : word) {
        escaped += c == '"' || c == '\\' ? "\\" : "";
        escaped += c;
        escaped += c == '%' || c == '$' ? std::string(1, c) : "";
    }
    return word.find_first_of(special) == std::string_view::npos ? escaped : "\"" + escaped + "\"";
}

bool unit_starts(const std::string& unit, const std::string& config_file, const Environment& environment)
{
    std::istringstream lines(read_regular_file(unit, largest_unit).value_or(""));
    // What the unit of the package says: the configuration directory of the user.
    const auto usual = config_file == user_config_file(environment) ? " --config %E/shelfd/shelfd.toml" : "";
    for (std::string line; std::getline(lines, line);) {
        const bool is_start = line.starts_with("ExecStart=");
        if (is_start &&
            (line.ends_with(" --config " + unit_word(config_file)) || (*usual != '\0' && line.ends_with(usual)))) {
            return true;
        }
    }
    return false;
}

// Where `systemctl --user` reaches the manager.
bool has_user_manager(const Environment& environment)
{
    std::error_code hidden;
    const auto runtime = value_of(environment, "XDG_RUNTIME_DIR");
    return runtime.starts_with('/') && fs::exists(runtime + "/systemd/private", hidden);
}

std::string own_private_group()
{
    const auto user = name_of_user(::geteuid());
    const auto group = find_group(user);
    return group && *group == std::optional(::getegid()) ? user : "";
}

std::string start_command(const std::string& socket, uid_t uid, const std::string& config_file)
{
    const bool is_usual = config_file.empty() || socket.ends_with("/shelfd/control.sock");
    if (!is_usual && !is_of_system(socket)) {
        return "shelfd --config " + shell_word(config_file);  // a configuration of its own, of which no unit knows
    }
    if (is_of_user(socket)) {
        return "systemctl --user start shelfd";
    }
    if (is_of_system(socket)) {
        return "sudo systemctl start " + unit_of(socket);
    }
    // Without XDG_RUNTIME_DIR, anywhere; root may have configured it.
    return std::string(uid == 0 ? "sudo systemctl start shelfd" : "systemctl --user start shelfd") +
           ", or in the foreground: shelfd --config " + (config_file.empty() ? "FILE" : shell_word(config_file));
}

std::string log_command(const std::string& socket, uid_t uid)
{
    return uid == 0 || is_of_system(socket) ? journal_command(socket) : "journalctl --user -u shelfd";
}

}  // namespace shelfd::ctl
