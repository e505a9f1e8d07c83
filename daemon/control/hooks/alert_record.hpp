// What alerts keep on disk, as text: incidents, silences, what is known about services, and calls not accepted yet.
#pragma once

#include "base/result.hpp"
#include "control/causes/fact_watch.hpp"
#include "control/hooks/call_queue.hpp"
#include "control/hooks/incident_book.hpp"
#include "control/hooks/round_watch.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::control {

struct AlertRecord {
    IncidentBook::Record book;
    FactWatch::Known facts;
    RoundWatch::Known rounds;
    std::vector<PendingCall> calls;
};

std::string to_json(const AlertRecord& record);
// Error: corrupt, saying what does not fit.
Result<AlertRecord> parse_alert_record(std::string_view text);

}  // namespace shelfd::control
