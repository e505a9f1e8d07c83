// The log of the daemon: one line for each outcome, with fields for machines.
#pragma once

#include "base/result.hpp"

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace shelfd {

enum class LogLevel { debug, info, warning, error };
enum class LogFormat {
    journal,  // native fields: MESSAGE, PRIORITY, SHELFD_LIBRARY, …
    text,     // one line on standard error, fields after the message
    json,     // JSON Lines on standard error
};

struct LogField {
    std::string_view key;  // snake_case: "library", "resource", "run_id", "http_status"
    std::string value;
};

struct LogRecord {
    LogLevel level;
    std::string_view message;
    std::span<const LogField> fields;
};

// Any thread may write. Values are written as given: a Secret does not convert to one, so it cannot leak by accident.
class Log {
public:
    using Sink = std::function<void(const LogRecord&)>;

    // Writes to standard error or the journal; cannot fail after it was opened.
    static Log open(LogFormat format, LogLevel lowest);
    // Calls `sink` with each record, under a lock; for tests and other consumers of every line.
    explicit Log(Sink sink, LogLevel lowest = LogLevel::debug);

    void debug(std::string_view message, std::initializer_list<LogField> fields = {}) const;
    void info(std::string_view message, std::initializer_list<LogField> fields = {}) const;
    void warning(std::string_view message, std::initializer_list<LogField> fields = {}) const;
    void error(std::string_view message, std::initializer_list<LogField> fields = {}) const;
    void write(LogLevel level, std::string_view message, std::span<const LogField> fields) const;

    // Takes effect immediately, on every copy (used by reload).
    void set_lowest(LogLevel lowest);

private:
    struct State;
    std::shared_ptr<State> state_;  // shared: a Log is passed by value
};

// `journal` if standard error is connected to the journal (systemd.exec(5), JOURNAL_STREAM=device:inode), otherwise
// text.
LogFormat choose_log_format(const char* journal_stream);

const char* to_string(LogLevel level);

}  // namespace shelfd
