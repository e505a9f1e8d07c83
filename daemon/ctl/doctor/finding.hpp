// One judgement of `shelfctl doctor`.
#pragma once

#include "base/state/exit_code.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

// Worst last.
enum class Verdict {
    ok,
    unknown,  // this user may not look, or nothing is there to look at
    advice,   // works; could be better
    warning,  // works, but something is lost or will fail
    fault,    // does not work, or is open to others
};

struct Finding {
    std::string name;  // of the check: "mirror files"
    Verdict verdict = Verdict::ok;
    std::string text;       // one sentence without a full stop
    std::string do_this;    // what to type; "" = nothing
    bool mendable = false;  // `--fix` can do that
};

using Findings = std::vector<Finding>;

const char* to_string(Verdict verdict);

// 0: advice at most; 1: warnings; 2: faults.
ExitCode exit_code_of(const Findings& findings);

}  // namespace shelfd::ctl
