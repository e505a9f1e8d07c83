// Shows the lines of a stream from the daemon as they arrive.
#pragma once

#include "base/instant.hpp"
#include "control/model/status.hpp"
#include "ctl/line/command.hpp"
#include "ctl/line/exit_code.hpp"
#include "ctl/screen/terminal.hpp"
#include "runtime/async/clock.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

// On a terminal one line that changes; elsewhere a line every ten seconds; with JSON the lines themselves. What has
// ended gets a line of its own. A pass of which nothing new came for 20 s, and no reason, is said to make no progress.
// Single-threaded; `terminal` and `clock` must outlive this object.
class Progress {
public:
    Progress(Terminal& terminal, Clock& clock, Output output) : terminal_(terminal), clock_(clock), output_(output) {}

    void take(std::string_view line);

    // The exit code of the operation, whose end was printed; empty while it runs.
    std::optional<ExitCode> outcome() const { return outcome_; }

private:
    struct Place {
        std::string text;
        BootTime since;
    };

    void show(const std::string& line);
    std::string pause_text(const std::optional<Instant>& until, std::string_view note);
    std::string standstill_text(const std::string& who, const control::Running& running);

    Terminal& terminal_;
    Clock& clock_;
    Output output_;
    std::optional<BootTime> last_shown_;
    std::string shown_pause_;              // "" = none
    std::map<std::string, Place> places_;  // of passes, where they were last
    std::optional<ExitCode> outcome_;
};

}  // namespace shelfd::ctl
