// A token set that needs a person and whose access token no longer works: nothing can be requested.
#pragma once

#include "oauth/status/token_status.hpp"
#include "sync/trouble/blocked.hpp"
#include "sync/trouble/trouble.hpp"

#include <string>
#include <utility>

namespace shelfd::sync {

// Whether tables wait for a person because of the set. They say by themselves that another library is served.
bool is_dead(const oauth::TokenStatus& set);
// What a table says of it, in the words of a pass.
std::string describe_dead(const std::string& library, const oauth::TokenStatus& set);
// How long the set works unless a person acts; the longest duration if it needs nobody.
Duration time_to_live(const oauth::TokenStatus& set, Instant now);

// What a table says of a dead set: from the moment at which it dies until it works, however late the next pass is.
class DeadSetNotice {
public:
    // Returns true if `report`, of a table or of its details, has changed and is to be published.
    template <typename Report>
    bool update(Report& report, const std::string& library, const oauth::TokenStatus& set)
    {
        if (is_dead(set) && report.trouble == Trouble::none && !is_blocked(report.summary.state)) {
            report.trouble = Trouble::needs_person;
            report.source = TroubleSource::service;
            report.why = why_ = describe_dead(library, set);
            report.trouble_since = set.since;
            return true;
        }
        if (is_dead(set) || why_.empty()) {
            return false;
        }
        const bool is_shown = report.why == std::exchange(why_, "");
        if (is_shown) {
            report.trouble = Trouble::none;
            report.why.clear();
            report.trouble_since.reset();
        }
        // The report may have dropped it when the set arrived; the mirror still shows it.
        return is_shown || report.trouble == Trouble::none;
    }

private:
    std::string why_;  // as told; "" = nothing
};

}  // namespace shelfd::sync
