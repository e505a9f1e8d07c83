// Which application the first library uses.
#pragma once

#include "ctl/line/environment.hpp"

#include <string>

namespace shelfd::ctl {

struct ApplicationChoice {
    std::string name = "main";
    bool is_there = false;  // a file of conf.d has it, with the client ID that was asked for
};

// The application with that client ID in conf.d beside `config_file`, which need not be there; otherwise "main", or
// main_2 … if an application has that name. Files with faults are read as far as possible.
ApplicationChoice choose_application(const std::string& config_file, const Environment& environment,
                                     const std::string& client_id);

}  // namespace shelfd::ctl
