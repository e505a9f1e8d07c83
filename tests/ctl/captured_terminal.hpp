// A terminal that is two strings.
#pragma once

#include "ctl/screen/terminal.hpp"

#include <string>

namespace shelfd::ctl {

struct CapturedTerminal {
    std::string out;
    std::string err;
    Terminal terminal;

    explicit CapturedTerminal(Terminal::Traits traits = {})
        : terminal([this](std::string_view text) { out += text; }, [this](std::string_view text) { err += text; },
                   traits)
    {
    }
    CapturedTerminal(const CapturedTerminal&) = delete;
    CapturedTerminal& operator=(const CapturedTerminal&) = delete;
};

}  // namespace shelfd::ctl
