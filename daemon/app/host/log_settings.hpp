// Opens the log as [log] says.
#pragma once

#include "config/model/model.hpp"
#include "runtime/log/log_output.hpp"

#include <memory>
#include <string>
#include <vector>

namespace shelfd::app {

// The log and its output: the log is passed around, a reload can change the output.
struct DaemonLog {
    Log log;
    std::shared_ptr<LogOutput> output;
};

// `journal_stream` is $JOURNAL_STREAM, "" = none. Without a journal, "journal" becomes text; the first line says so.
DaemonLog open_log(const config::Logging& settings, const std::string& journal_stream);

// Applies `next` to `log`; returns a line for each change.
std::vector<std::string> change_log(DaemonLog& log, const config::Logging& now, const config::Logging& next,
                                    const std::string& journal_stream);

}  // namespace shelfd::app
