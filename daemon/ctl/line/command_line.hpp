// Parses argv into a Command, and lists verbs and options for completion and manual.
#pragma once

#include "base/state/exit_code.hpp"
#include "ctl/line/command.hpp"

#include <string>
#include <variant>
#include <vector>

namespace shelfd::ctl {

// No verb to run: text for standard output (--help), or an error for standard error.
struct NoCommand {
    ExitCode exit_code = ExitCode::done;
    std::string text;
};

std::variant<Command, NoCommand> parse_command_line(int argc, const char* const* argv);

struct OptionInfo {
    std::string name;  // "--json"
    std::string meaning;
    std::string value;  // "FILE", "" if it takes none
};

struct VerbInfo {
    std::string name;  // "status", "auth import"; "" for the options of every verb
    std::string meaning;
    std::vector<std::string> arguments;  // "LIB", "[RESOURCE]"
    std::vector<OptionInfo> options;
};

// In the order of the manual.
std::vector<VerbInfo> known_verbs();

}  // namespace shelfd::ctl
