// Opens the log as [log] says.
#pragma once

#include "app/host/options.hpp"
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
// For `--once`, messages name no command that needs a running daemon, see advice_without_daemon.
DaemonLog open_log(const config::Logging& settings, const std::string& journal_stream, Mode mode);

// Applies `next` to `log`; returns a line for each change.
std::vector<std::string> change_log(DaemonLog& log, const config::Logging& now, const config::Logging& next,
                                    const std::string& journal_stream);

}  // namespace shelfd::app
