// The command line of shelfd.
#pragma once

#include "base/result.hpp"

#include <string>

namespace shelfd::app {

enum class Mode {
    serve,         // run until told to stop
    once,          // every schedule once, then exit as `shelfctl status` would
    check_config,  // read the configuration, say what is wrong with it
    version,
    help,
};

struct Options {
    Mode mode = Mode::serve;
    std::string config_file = "/etc/shelfd/shelfd.toml";
};

// Errors: usage, with a sentence that says what may be given.
Result<Options> parse_options(int argc, char* const* argv);

std::string usage_text();

}  // namespace shelfd::app
