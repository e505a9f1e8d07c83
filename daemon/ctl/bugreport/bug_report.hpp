// The text of a bug report.
#pragma once

#include "ctl/bugreport/redaction.hpp"
#include "ctl/context/context.hpp"
#include "ctl/daemon/daemon_log.hpp"
#include "ctl/survey/facts.hpp"

#include <string>

namespace shelfd::ctl {

// What to read beside the facts; tests plant their own.
struct ReportSources {
    std::string status;  // of the daemon, JSON; "" = no daemon answers
    LogQuery log;
};

// Complete and redacted. Reads mirrors and the journal; leaves out what cannot be read, with the reason.
std::string bug_report(const Facts& facts, const ReportSources& sources, const Redactor& redactor);

}  // namespace shelfd::ctl
