#include "ctl/survey/system_facts.hpp"

#include "base/regular_file.hpp"
#include "base/text.hpp"
#include "config/secrets/program_output.hpp"
#include "ctl/context/user_mode.hpp"
#include "storage/sqlite_error.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <system_error>

#include <sys/stat.h>
#include <sys/timex.h>
#include <sys/utsname.h>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_text = 1u << 20;

std::string text_of(const std::string& path)
{
    return std::string(trimmed(read_regular_file(path, max_text).value_or("")));
}

std::optional<std::uint64_t> number_in(std::string_view text)
{
    std::uint64_t number = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
    return end.ec == std::errc() ? std::optional(number) : std::nullopt;
}

// Empty if this program may not ask, as in some containers.
std::optional<bool> ask_kernel_clock()
{
    timex query{};
    const int state = ::adjtimex(&query);
    if (state < 0) {
        return std::nullopt;
    }
    return state != TIME_ERROR && (query.status & STA_UNSYNC) == 0;
}

// "two" of "shelfd@two"; "" of the first instance.
std::string instance_of(const std::string& unit)
{
    const auto at = unit.find('@');
    return at == std::string::npos ? "" : unit.substr(at + 1);
}

// A file of a template names its instance %i.
std::string text_of_unit(const std::string& path, const std::string& instance)
{
    auto text = text_of(path);
    for (auto at = text.find("%i"); at != std::string::npos; at = text.find("%i", at + instance.size())) {
        text.replace(at, 2, instance);
    }
    return text;
}

// Settings of a unit that widen what the daemon may write, and its user. An empty value resets the list.
void read_unit(const std::string& path, const std::string& instance, SystemFacts& system)
{
    std::istringstream lines(text_of_unit(path, instance));
    for (std::string line; std::getline(lines, line);) {
        const auto equals = line.find('=');
        if (equals == std::string::npos) {
            continue;
        }
        const auto key = trimmed(std::string_view(line).substr(0, equals));
        const auto value = std::string(trimmed(std::string_view(line).substr(equals + 1)));
        if (key == "User") {
            system.unit_user = value;
        }
        const bool state = key == "StateDirectory";
        if (!state && key != "ReadWritePaths" && key != "BindPaths") {
            continue;
        }
        if (value.empty()) {
            std::erase_if(system.writable, [&](const auto& one) { return state == one.starts_with("/var/lib/"); });
        }
        std::istringstream words(value);
        for (std::string word; words >> word;) {
            word.erase(0, word.find_first_not_of("-+"));
            system.writable.push_back(state ? "/var/lib/" + word : word.substr(0, word.find(':')));
        }
    }
}

void read_systemd(const SystemRoots& roots, const std::string& unit, SystemFacts& system)
{
    const auto instance = instance_of(unit);
    std::vector<std::string> names = {unit + ".service"};
    if (!instance.empty()) {
        names.emplace_back("shelfd@.service");
    }
    std::error_code hidden;
    system.systemd = fs::is_directory(roots.run + "/systemd/system", hidden);
    const std::vector<std::string> folders = {roots.etc + "/systemd/system", roots.run + "/systemd/system",
                                              "/usr/local/lib/systemd/system", roots.lib + "/systemd/system",
                                              "/lib/systemd/system"};
    for (const auto& name : names) {
        for (const auto& folder : folders) {
            if (const auto file = folder + "/" + name; fs::exists(file, hidden) && system.unit.empty()) {
                system.unit = file;
                read_unit(file, instance, system);
            }
        }
    }
    for (const auto& folder : folders) {
        std::vector<std::string> files;
        for (const auto& name : names) {
            std::error_code failed;
            for (fs::directory_iterator entry(folder + "/" + name + ".d", failed), end; !failed && entry != end;
                 entry.increment(failed)) {
                if (entry->path().extension() == ".conf") {
                    files.push_back(entry->path().string());
                }
            }
        }
        std::sort(files.begin(), files.end());
        for (const auto& file : files) {
            read_unit(file, instance, system);
            system.drop_ins.push_back(file);
        }
    }
}

}  // namespace

SystemFacts read_system(const SystemRoots& roots, const std::string& machine_id, const std::string& unit)
{
    SystemFacts system;
    utsname names{};
    if (::uname(&names) == 0) {
        system.kernel = std::string(names.sysname) + " " + names.release;
    }
    system.sqlite = storage::sqlite_version();
    system.clock_synchronised = ask_kernel_clock();
    std::error_code hidden;
    if (fs::exists(roots.run + "/systemd/timesync/synchronized", hidden)) {
        system.clock_synchronised = true;
    }
    system.machine_id = machine_id.empty() ? text_of(roots.etc + "/machine-id") : machine_id;
    system.machine_id_hidden = system.machine_id.empty() && fs::exists(roots.etc + "/machine-id", hidden) &&
                               !read_regular_file(roots.etc + "/machine-id", max_text);
    const auto limits = roots.proc + "/sys/fs/inotify/";
    system.max_watches = number_in(text_of(limits + "max_user_watches")).value_or(0);
    system.max_instances = number_in(text_of(limits + "max_user_instances")).value_or(0);
    system.zones_path = roots.zones;
    system.zones = fs::exists(roots.zones + "/UTC", hidden) && fs::exists(roots.zones + "/Europe", hidden);
    read_systemd(roots, unit, system);
    return system;
}

void read_user_unit(SystemFacts& system, const std::string& config_file, const Environment& environment)
{
    system.of_user = true;
    system.drop_ins.clear();
    system.writable.clear();
    system.unit_user.clear();
    system.unit = find_unit(user_unit_directories(environment));
    if (!unit_starts(system.unit, config_file, environment)) {
        system.unit.clear();
    }
}

void read_process(const SystemRoots& roots, DaemonFacts& daemon)
{
    if (daemon.pid <= 0) {
        return;
    }
    const auto place = roots.proc + "/" + std::to_string(daemon.pid);
    struct stat owner {};
    if (::stat(place.c_str(), &owner) == 0) {
        daemon.uid = owner.st_uid;
    }
    std::error_code hidden;
    const auto program = fs::read_symlink(place + "/exe", hidden).string();
    daemon.program_replaced = program.ends_with(" (deleted)");
    std::istringstream lines(text_of(place + "/limits"));
    constexpr std::string_view wanted = "Max open files";
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(wanted)) {
            daemon.open_files = number_in(trimmed(std::string_view(line).substr(wanted.size())));
        }
    }
    std::uint64_t count = 0;
    std::error_code failed;
    for (fs::directory_iterator entry(place + "/fd", failed), end; !failed && entry != end; entry.increment(failed)) {
        ++count;
    }
    daemon.files_in_use = failed ? std::nullopt : std::optional(count);
}

void read_installed_program(SystemFacts& system)
{
    std::error_code failed;
    const auto own = fs::read_symlink("/proc/self/exe", failed);
    if (failed) {
        return;
    }
    for (const auto& place : {own.parent_path() / "shelfd", own.parent_path().parent_path() / "sbin" / "shelfd"}) {
        if (!fs::is_regular_file(place, failed)) {
            continue;
        }
        system.program = place.string();
        std::string text;
        constexpr std::size_t largest = 4'096;
        text.reserve(largest + 1);
        if (config::read_program_output({system.program, "--version"}, std::chrono::seconds(5), largest, text)) {
            const std::string_view line = trimmed(text);
            system.program_version = line.substr(line.rfind(' ') + 1);
        }
        return;
    }
}

}  // namespace shelfd::ctl
