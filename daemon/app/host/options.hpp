// The command line of shelfd.
#pragma once

#include "base/result.hpp"

#include <string>

namespace shelfd::app {

enum class Mode {
    serve,         // run until a signal
    once,          // every schedule once, then exit as `shelfctl status` would
    check_config,  // read the configuration and report its faults
    check_state,   // read the versions of mirrors and token journals, and say what this version would do with them
    version,
    help,
};

struct Options {
    Mode mode = Mode::serve;
    std::string config_file = "/etc/shelfd/shelfd.toml";
    bool as_json = false;  // of check_state
};

// Errors: usage, with a sentence that says what is accepted.
Result<Options> parse_options(int argc, char* const* argv);

std::string usage_text();

}  // namespace shelfd::app
