// One verb, run without a process: what it was told in, what it printed out.
#pragma once

#include "ctl/captured_terminal.hpp"
#include "ctl/verb/verbs.hpp"
#include "support/temp_directory.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace shelfd::ctl {

// A configuration of one library without a set.
inline constexpr const char* configuration_of_antwerp = R"([service]
base_url = "https://api.example.com"

[resource.recipes]
path  = "/api/v2/library/recipes/"
needs = "library"
every = "15m"

[library.antwerp]
client_id     = "abc"
client_secret = { command = ["/bin/true"] }
)";

struct VerbBench {
    TempDirectory directory;
    Command command;
    Environment environment;
    CapturedTerminal captured;
    SystemClock clock;
    std::string input;  // standard input; "" = nothing
    std::string prompt;
    std::string browsed;               // the page that was opened
    std::optional<Duration> patience;  // how long the last line was waited for

    VerbBench()
    {
        command.config_file = directory / "shelfd.toml";
        environment["SHELFD_SOCKET"] = directory / "control.sock";
    }

    Context context()
    {
        auto read_line = [this](const std::string& text, std::optional<Duration> limit) -> Result<Secret> {
            prompt = text;
            patience = limit;
            if (input.empty()) {
                return limit && *limit <= Duration(0) ? Error(ErrorKind::timeout, "no input came in time")
                                                      : Error(ErrorKind::usage, "no input was given");
            }
            return Secret(std::string(input));
        };
        auto read_all = [this](const std::string& text, std::string_view nothing) -> Result<Secret> {
            prompt = text;
            return input.empty() ? Result<Secret>(Error(ErrorKind::usage, std::string(nothing)))
                                 : Result<Secret>(Secret(std::string(input)));
        };
        auto fill = [](std::span<std::byte> bytes) { std::fill(bytes.begin(), bytes.end(), std::byte{0x5a}); };
        auto browse = [this](const std::string& url) {
            browsed = url;
            return true;
        };
        return {command,         environment,      captured.terminal, clock, std::move(read_all), std::move(read_line),
                std::move(fill), std::move(browse)};
    }
};

}  // namespace shelfd::ctl
