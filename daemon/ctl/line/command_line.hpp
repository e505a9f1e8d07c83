// From argv to a Command, and the verbs and options as data for completion and manual.
#pragma once

#include "base/state/exit_code.hpp"
#include "ctl/line/command.hpp"

#include <string>
#include <variant>
#include <vector>

namespace shelfd::ctl {

// Nothing to carry out: text for standard output (--help), or a complaint for standard error.
struct NoCommand {
    ExitCode exit_code = ExitCode::done;
    std::string text;
};

std::variant<Command, NoCommand> parse_command_line(int argc, const char* const* argv);

struct OptionInfo {
    std::string name;  // "--json"
    std::string meaning;
    std::string value;  // "FILE", "" when it takes none
};

struct VerbInfo {
    std::string name;  // "status", "auth import"; "" for what every verb takes
    std::string meaning;
    std::vector<std::string> arguments;  // "LIB", "[RESOURCE]"
    std::vector<OptionInfo> options;
};

// In the order of the manual.
std::vector<VerbInfo> known_verbs();

}  // namespace shelfd::ctl
