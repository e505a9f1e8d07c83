#include "app/host/log_settings.hpp"

#include "app/host/once_advice.hpp"
#include "runtime/log/journal_socket.hpp"

#include <fmt/core.h>

#include <utility>

namespace shelfd::app {
namespace {

struct Choice {
    LogFormat format;
    std::string trouble;  // why it differs from the configuration
};

Choice choose(const config::Logging& settings, const std::string& journal_stream)
{
    switch (settings.format) {
    case config::LogFormatChoice::automatic: return {choose_log_format(journal_stream.c_str()), ""};
    case config::LogFormatChoice::text: return {LogFormat::text, ""};
    case config::LogFormatChoice::json: return {LogFormat::json, ""};
    case config::LogFormatChoice::journal: break;
    }
    if (journal_is_there()) {
        return {LogFormat::journal, ""};
    }
    return {
        LogFormat::text,
        fmt::format(
            "log.format is \"journal\", but no journal listens at {}: this log is written to standard error as text",
            journal_socket_path)};
}

LogLevel log_level_of(const config::Logging& settings)
{
    for (const auto level : {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error}) {
        if (settings.level == to_string(level)) {
            return level;
        }
    }
    return LogLevel::info;
}

const char* word(config::LogFormatChoice format)
{
    switch (format) {
    case config::LogFormatChoice::automatic: return "auto";
    case config::LogFormatChoice::journal: return "journal";
    case config::LogFormatChoice::text: return "text";
    case config::LogFormatChoice::json: return "json";
    }
    std::abort();
}

void warn_of(const std::string& trouble, const Log& log)
{
    if (!trouble.empty()) {
        log.warning(trouble);
    }
}

void write_without_daemon(LogOutput& output, const LogRecord& record)
{
    const auto message = advice_without_daemon(record.message);
    std::vector<LogField> fields(record.fields.begin(), record.fields.end());
    for (auto& field : fields) {
        field.value = advice_without_daemon(field.value);
    }
    output.write({record.level, message, fields});
}

}  // namespace

DaemonLog open_log(const config::Logging& settings, const std::string& journal_stream, Mode mode)
{
    const auto choice = choose(settings, journal_stream);
    auto output = std::make_shared<LogOutput>(choice.format);
    const bool has_daemon = mode != Mode::once;
    auto write = [output, has_daemon](const LogRecord& record) {
        if (has_daemon) {
            output->write(record);
        } else {
            write_without_daemon(*output, record);
        }
    };
    Log log(std::move(write), log_level_of(settings));
    warn_of(choice.trouble, log);
    return {std::move(log), std::move(output)};
}

std::vector<std::string> change_log(DaemonLog& log, const config::Logging& now, const config::Logging& next,
                                    const std::string& journal_stream)
{
    std::vector<std::string> changes;
    if (next.format != now.format) {
        const auto choice = choose(next, journal_stream);
        log.output->set_format(choice.format);
        warn_of(choice.trouble, log.log);
        changes.push_back(fmt::format("log.format is \"{}\" now{}{}", word(next.format),
                                      choice.trouble.empty() ? "" : "; ", choice.trouble));
    }
    if (next.level != now.level) {
        log.log.set_lowest(log_level_of(next));
        changes.push_back(fmt::format("log.level is \"{}\" now", next.level));
    }
    return changes;
}

}  // namespace shelfd::app
