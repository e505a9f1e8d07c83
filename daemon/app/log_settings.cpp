#include "app/log_settings.hpp"

namespace shelfd::app {

Log open_log(const config::Logging& settings, const char* journal_stream)
{
    auto format = LogFormat::text;
    switch (settings.format) {
    case config::LogFormatChoice::automatic: format = choose_log_format(journal_stream); break;
    case config::LogFormatChoice::journal: format = LogFormat::journal; break;
    case config::LogFormatChoice::text: format = LogFormat::text; break;
    case config::LogFormatChoice::json: format = LogFormat::json; break;
    }
    return Log::open(format, log_level_of(settings));
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

}  // namespace shelfd::app
