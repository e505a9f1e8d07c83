#include "ctl/setup/starter.hpp"

#include "base/words/shell_word.hpp"
#include "config/secrets/program_start.hpp"
#include "ctl/context/ending_signals.hpp"
#include "ctl/context/user_mode.hpp"
#include "ctl/setup/user_unit.hpp"
#include "ctl/start/child_daemon.hpp"
#include "storage/filesystem.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <system_error>

#include <sys/wait.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

std::string value_of(const Environment& environment, const char* name)
{
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
}

// The name alone, if a shell finds that program by it.
std::string as_typed(const std::string& program, const Environment& environment)
{
    const auto name = fs::path(program).filename().string();
    std::istringstream directories(value_of(environment, "PATH"));
    for (std::string directory; std::getline(directories, directory, ':');) {
        std::error_code hidden;
        const auto found = fs::path(directory.empty() ? "." : directory) / name;
        if (fs::exists(found, hidden)) {
            return fs::equivalent(found, program, hidden) ? name : shell_word(program);
        }
    }
    return shell_word(program);
}

std::string path_of_this_program()
{
    std::error_code failed;
    return fs::read_symlink("/proc/self/exe", failed).string();
}

bool runs_systemd()
{
    std::error_code failed;
    return fs::is_directory("/run/systemd/system", failed);  // sd_booted(3)
}

// systemd.unit(5)
const std::vector<std::string>& system_unit_directories()
{
    static const std::vector<std::string> directories = {"/etc/systemd/system", "/run/systemd/system",
                                                         "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
                                                         "/lib/systemd/system"};
    return directories;
}

Result<std::string> write_user_unit(const InstallationPlaces& places, const Environment& environment)
{
    SHELFD_TRY_ASSIGN(program, find_daemon_program(environment));
    std::error_code failed;
    const auto shelfd = fs::absolute(program, failed).lexically_normal().string();
    const auto directory = own_unit_directory(environment);
    fs::create_directories(directory, failed);
    auto path = directory + "/shelfd.service";
    const auto folder = fs::path(places.socket).parent_path();
    const bool is_temporary = folder.parent_path() == value_of(environment, "XDG_RUNTIME_DIR");
    const auto text = user_unit_text({shelfd, path_of_this_program()}, places.config_file,
                                     is_temporary ? folder.filename().string() : "shelfd");
    SHELFD_TRY(storage::replace_file(path, text, {.mode = 0644}));
    return path;
}

Starter start_by_user_manager(const InstallationPlaces& places, const Environment& environment)
{
    Starter starter;
    auto unit = find_unit(user_unit_directories(environment));
    if (unit.empty()) {
        auto written = write_user_unit(places, environment);
        if (!written) {
            starter.trouble = fmt::format("no unit was written for systemctl --user: {}", written.error().text());
            return starter;
        }
        unit = std::move(*written);
        starter.written_unit = unit;
        starter.commands.emplace_back("systemctl --user daemon-reload");
    } else if (!unit_starts(unit, places.config_file, environment)) {
        starter.trouble = fmt::format("{} is there already and starts a daemon with another configuration, so systemd "
                                      "does not start this one",
                                      unit);
        return starter;
    }
    starter.is_service = true;
    // The user's manager may not know that variable: then it finds the unit by its path.
    const bool is_elsewhere =
        !starter.written_unit.empty() &&
        own_unit_directory(environment) != value_of(environment, "HOME") + "/.config/systemd/user";
    starter.commands.push_back("systemctl --user enable --now " + (is_elsewhere ? shell_word(unit) : "shelfd"));
    starter.remark = "loginctl enable-linger keeps it running after you have logged out";
    return starter;
}

}  // namespace

std::string Starter::command() const
{
    return fmt::format("{}", fmt::join(commands, " && "));
}

std::string foreground_command(const InstallationPlaces& places, const Environment& environment)
{
    const auto program = find_daemon_program(environment);
    return fmt::format("{}{} --config {}", places.of_system ? "sudo runuser -u shelfd -- " : "",
                       program ? as_typed(*program, environment) : "shelfd", shell_word(places.config_file));
}

Starter prepare_start(const InstallationPlaces& places, const Environment& environment)
{
    Starter starter;
    if (places.of_system && runs_systemd()) {
        const auto file = (places.state.empty() ? places.unit : "shelfd@") + ".service";
        starter.is_service = !find_unit(system_unit_directories(), file).empty();
        starter.commands.push_back("sudo systemctl enable --now " + places.unit);
        starter.trouble = starter.is_service ? ""
                                             : fmt::format("systemd has no unit {}: install it (README.md, "
                                                           "\"Without the package\")",
                                                           file);
    } else if (!places.of_system && places.may_have_unit && has_user_manager(environment)) {
        starter = start_by_user_manager(places, environment);
    }
    if (!starter.is_service) {
        starter.commands = {foreground_command(places, environment)};
    }
    return starter;
}

Result<void> enable_service(const Starter& starter, const std::string& unit, const std::string& foreground)
{
    const auto by_hand = "start the daemon by hand: " + foreground;
    if (!starter.is_service) {
        return Error(ErrorKind::config, fmt::format("{}; or {}", starter.trouble, by_hand));
    }
    const auto child =
        config::start_program({"/usr/bin/systemctl", "enable", "--now", unit}, {-1, STDERR_FILENO, STDERR_FILENO});
    if (!child) {
        return Error(ErrorKind::config, fmt::format("systemctl {}; {}", child.error().text(), by_hand));
    }
    int status = 0;
    while (::waitpid(*child, &status, 0) < 0 && errno == EINTR) {
        if (was_interrupted()) {
            ::kill(-*child, SIGTERM);
        }
    }
    if (was_interrupted()) {
        return Error(ErrorKind::stopped, "interrupted; " + by_hand);
    }
    if (status != 0) {
        return Error(ErrorKind::config, "the daemon does not start; see: journalctl -u " + unit);
    }
    return {};
}

std::string own_program(const Environment& environment)
{
    const auto program = path_of_this_program();
    return program.empty() ? "shelfctl" : as_typed(program, environment);
}

}  // namespace shelfd::ctl
