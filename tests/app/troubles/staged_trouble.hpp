// One trouble that an operator can have: how it is staged, what the daemon must say of it, and how it ends.
#pragma once

#include "app/troubles/daemon_bench.hpp"
#include "control/model/cause.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shelfd {

struct StagedTrouble {
    using Act = std::function<void(DaemonBench&)>;
    enum class Deadline { none, set };
    enum class Lasting { until_mended, momentary };

    const char* name;
    control::CauseKind cause;
    control::Severity severity;  // of the first call
    const char* why;             // a part of the sentence
    const char* cure;            // a part of what to type, or whom to ask; "" = nothing to do
    const char* next = "";       // a part of what the daemon does by itself; "" = nothing is said
    Deadline deadline = Deadline::none;
    DaemonOptions options = {};
    Act stage;
    Act mend;
    Duration within = std::chrono::hours(1);    // of staging until the hook is called
    Duration over = std::chrono::hours(2);      // of mending until the hook is called again
    Duration stays = std::chrono::minutes(10);  // meanwhile the hook is not called again
    std::vector<std::string> tables = {};       // that the screen must name
    Lasting lasting = Lasting::until_mended;
    // Causes that come with it; each of them is called and recovers, too.
    std::vector<control::CauseKind> beside = {};
};

// Stages it and checks the status, as text and as JSON, and each call of the hook.
void check_trouble(const StagedTrouble& trouble);

}  // namespace shelfd
