// Puts a changed configuration into effect.
#pragma once

#include "ctl/library/configuration_files.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

enum class Applied {
    by_daemon,
    later,  // no daemon runs: at its next start
};

struct Outcome {
    Applied applied = Applied::later;
    std::vector<std::string> changes;   // as the daemon reports them
    std::vector<std::string> warnings;  // likewise
};

// Writes the files and has the daemon reload them. If it refuses, the files are as before, and its error is returned.
Result<Outcome> apply(const Context& context, ConfigurationFiles& files);

// Prints what has happened: `done`, then the daemon's warnings; with --json an object with library, text, applied,
// changes and warnings. Returns ExitCode::done.
ExitCode report(const Context& context, const Outcome& outcome, const std::string& done);

// The name of a library that the configuration has, or an error that lists the known ones.
Result<void> check_configured(const Context& context, const ConfigurationFiles& files);

}  // namespace shelfd::ctl
