#include "app/host/options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace shelfd::app {

namespace {

std::optional<Mode> mode_of(std::string_view argument)
{
    constexpr std::array<std::pair<std::string_view, Mode>, 6> modes = {{{"--check-config", Mode::check_config},
                                                                         {"--check-state", Mode::check_state},
                                                                         {"--once", Mode::once},
                                                                         {"--version", Mode::version},
                                                                         {"--help", Mode::help},
                                                                         {"-h", Mode::help}}};
    const auto found = std::find_if(modes.begin(), modes.end(), [&](const auto& one) { return one.first == argument; });
    return found == modes.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

Result<Options> parse_options(int argc, char* const* argv)
{
    constexpr std::string_view config_equals = "--config=";
    Options options;
    std::string_view chosen;  // the option that says what to do; "" = none: the daemon serves
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--config" && i + 1 == argc) {
            return Error(ErrorKind::usage, "--config needs the path of a file");
        }
        if (argument == "--config") {
            options.config_file = argv[++i];
        } else if (argument.substr(0, config_equals.size()) == config_equals) {
            options.config_file = argument.substr(config_equals.size());
        } else if (argument == "--json") {
            options.as_json = true;
        } else if (const auto mode = mode_of(argument)) {
            if (!chosen.empty() && options.mode != *mode) {
                return Error(ErrorKind::usage, fmt::format("{} and {} exclude each other", chosen, argument));
            }
            options.mode = *mode;
            chosen = argument;
        } else {
            return Error(ErrorKind::usage, fmt::format("{}: not an option of shelfd; try shelfd --help", argument));
        }
    }
    if (options.as_json && options.mode != Mode::check_state) {
        return Error(ErrorKind::usage, "--json is an option of --check-state alone");
    }
    if (options.config_file.empty()) {
        return Error(ErrorKind::usage, "--config needs the path of a file");
    }
    return options;
}

std::string usage_text()
{
    return R"(Usage: shelfd [--config FILE] [--check-config | --check-state [--json] | --once | --version | --help]

Keeps local SQLite mirrors of the libraries that the configuration names.

  --config FILE    the configuration (default: /etc/shelfd/shelfd.toml), with conf.d/*.toml beside it
  --check-config   report every fault of the configuration with file:line:column, then exit (0, 77, 78)
  --check-state    say what this version would do with the mirrors and token journals that are there, then exit: 0
                   all can be used, 2 a person must act, 74, 77 not readable; changes nothing, needs no daemon
  --json           with --check-state: as JSON
  --once           run every schedule once on one thread, then exit: 0 all fresh, 1 late or unproven, 2 a person must act
  --version        print the version
  --help           print this

Signals: SIGTERM and SIGINT stop the daemon after token exchanges in progress are completed; SIGHUP reloads the
configuration, all or nothing.
Exit: 0, 64 usage, 69 socket taken, 70 bug, 74 disk, 75 another instance, 77 owner or mode, 78 configuration.
To see what the daemon does, and to give it token sets: shelfctl --help. Manual: shelfd(8), shelfd.toml(5).
)";
}

}  // namespace shelfd::app
