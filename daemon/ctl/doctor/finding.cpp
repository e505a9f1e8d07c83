#include "ctl/doctor/finding.hpp"

#include <algorithm>
#include <cstdlib>

namespace shelfd::ctl {

const char* to_string(Verdict verdict)
{
    switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::unknown: return "unknown";
    case Verdict::advice: return "advice";
    case Verdict::warning: return "warning";
    case Verdict::fault: return "fault";
    }
    std::abort();
}

ExitCode exit_code_of(const Findings& findings)
{
    auto worst = Verdict::ok;
    for (const auto& finding : findings) {
        worst = std::max(worst, finding.verdict);
    }
    switch (worst) {
    case Verdict::fault: return ExitCode::needs_person;
    case Verdict::warning: return ExitCode::failed;
    default: return ExitCode::done;
    }
}

}  // namespace shelfd::ctl
