// Puts a changed configuration into effect.
#pragma once

#include "ctl/library/configuration_files.hpp"

#include <map>
#include <string>
#include <vector>

namespace shelfd::ctl {

enum class Applied {
    by_daemon,
    later,  // no daemon runs: at its next start
};

struct Outcome {
    Applied applied = Applied::later;
    std::vector<std::string> changes = {};           // as the daemon reports them
    std::vector<std::string> warnings = {};          // likewise
    std::map<std::string, std::string> absent = {};  // by library that could not be opened: why
};

// Writes the files and has the daemon reload them. If it refuses, or certainly has not heard of it, the files are as
// before, the daemon reloads these, and the error is returned. If the connection was lost meanwhile, the files stay
// changed, and the error says so.
Result<Outcome> apply(const Context& context, ConfigurationFiles& files);

// After `apply`: the files become as they were, and the daemon reloads them. Returns what a person must know of it.
std::string undo(const Context& context, ConfigurationFiles& files);

// Whether the daemon runs that library with what was applied. Error needs_person, with the reason.
Result<void> check_running(const Outcome& outcome, const std::string& library);

// Prints what has happened to `library`, by its present name: `done`, after the daemon's warnings; with --json an
// object with library, text, in_effect, changes and warnings. Instead, the error of `check_running`.
ExitCode report(const Context& context, const Outcome& outcome, const std::string& library, const std::string& done);

// The name of a library that the configuration has, or an error that lists the known ones.
Result<void> check_configured(const Context& context, const ConfigurationFiles& files);

}  // namespace shelfd::ctl
