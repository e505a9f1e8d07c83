// What a trial brought: the rows, three queries with their answers, and the configuration.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/line/exit_code.hpp"

#include <cstdint>
#include <string>

namespace shelfd::ctl {

struct TrialResult {
    std::string base_url;
    std::string path;
    std::string table;
    std::string toml;            // the configuration that was used
    std::string directory;       // of the trial
    std::uint64_t requests = 0;  // for exploring the list
    std::uint64_t listed = 0;    // rows that the list has, as the service says; 0 = it does not say that
};

// Prints it as text, or as JSON if that is the output of `context`. `command`: names the library and the configuration
// of the trial. Returns `failed` if the table has no complete pass.
ExitCode report_trial(const Context& context, const Command& command, const TrialResult& result);

}  // namespace shelfd::ctl
