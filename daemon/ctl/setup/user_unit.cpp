#include "ctl/setup/user_unit.hpp"

#include "ctl/context/user_mode.hpp"
#include "ctl/setup/user_unit_template.hpp"

#include <fmt/core.h>

#include <sstream>

namespace shelfd::ctl {
namespace {

constexpr std::string_view config_of_package = "%E/shelfd/shelfd.toml";

void replace(std::string& line, std::string_view from, const std::string& to)
{
    if (const auto at = line.find(from); at != std::string::npos) {
        line.replace(at, from.size(), to);
    }
}

}  // namespace

std::string user_unit_text(const InstalledPrograms& programs, const std::string& config_file,
                           const std::string& runtime_directory)
{
    std::string text = fmt::format("# Written by shelfctl init for {}\n", programs.shelfd);
    std::istringstream lines(user_unit_template);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("Documentation=")) {
            continue;  // names a file of the package
        }
        if (line == "RuntimeDirectory=shelfd") {
            line = "RuntimeDirectory=" + runtime_directory;
        }
        // Only command lines have words with quotes.
        const bool is_command = line.starts_with("Exec");
        replace(line, config_of_package, is_command ? unit_word(config_file) : escape_unit_text(config_file));
        replace(line, "@SHELFD_SBINDIR@/shelfd", unit_word(programs.shelfd));
        replace(line, "@SHELFD_BINDIR@/shelfctl", unit_word(programs.shelfctl));
        text += line + "\n";
    }
    return text;
}

}  // namespace shelfd::ctl
