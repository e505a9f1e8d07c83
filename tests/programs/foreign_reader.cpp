#include "foreign_reader.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include <sys/stat.h>
#include <unistd.h>

namespace shelfd {
namespace {

bool is_installed(const char* program)
{
    return std::filesystem::exists(std::string("/usr/bin/") + program);
}

// A reader puts up with a lock that another holds for a moment.
bool is_busy(const std::string& line)
{
    return line.find("database is locked") != std::string::npos;
}

}  // namespace

void give_to_readers(const std::string& mirrors, unsigned group)
{
    if (chown(mirrors.c_str(), 0, group) != 0 || chmod(mirrors.c_str(), 02750) != 0) {
        throw std::runtime_error("cannot give " + mirrors + " to the readers' group: " + std::strerror(errno));
    }
}

ForeignReader::ForeignReader(std::string name, const std::string& command, const std::vector<std::string>& under,
                             std::function<std::string(const std::string& line)> verdict)
    : name_(std::move(name)), verdict_(std::move(verdict))
{
    // Another user looks whether it is to stop.
    std::filesystem::permissions(files_.path(), std::filesystem::perms(0755));
    Process::Settings settings;
    settings.argv = under;
    settings.argv.insert(
        settings.argv.end(),
        {"/bin/sh", "-c", fmt::format("while [ ! -e '{}' ]; do {} 2>&1; sleep 0.05; done", files_ / "stop", command)});
    settings.environment = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C"}, {"HOME", "/nonexistent"}};
    settings.stdout_file = files_ / "looks";
    settings.stderr_file = files_ / "complaints";
    process_ = std::make_unique<Process>(settings);
}

void ForeignReader::stop()
{
    write_file(files_ / "stop", "");
    process_->wait();
}

std::vector<std::string> ForeignReader::lines() const
{
    std::istringstream text(read_file(files_ / "looks"));
    std::vector<std::string> all;
    for (std::string line; std::getline(text, line) && !text.eof();) {
        all.push_back(line);
    }
    return all;
}

std::string ForeignReader::complaint() const
{
    for (const auto& line : lines()) {
        if (auto found = is_busy(line) ? "" : verdict_(line); !found.empty()) {
            return name_ + ": " + found;
        }
    }
    return "";
}

std::uint64_t ForeignReader::looks() const
{
    return lines().size();
}

std::string sqlite_shell_look(const std::string& mirror, const std::string& query)
{
    return is_installed("sqlite3") ? fmt::format("sqlite3 -readonly -cmd '.timeout 5000' '{}' \"{}\"", mirror, query)
                                   : "";
}

std::string python_look(const std::string& mirror, const std::string& query)
{
    return is_installed("python3")
               ? fmt::format("python3 -c \"import sqlite3; print(*sqlite3.connect('file:{}?mode=ro', uri=True, "
                             "timeout=5).execute('{}').fetchone(), sep='|')\"",
                             mirror, query)
               : "";
}

}  // namespace shelfd
