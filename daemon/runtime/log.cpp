#include "runtime/log.hpp"

#include "runtime/escape.hpp"

#include <atomic>
#include <cctype>
#include <mutex>

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

namespace shelfd {

struct Log::State {
    std::mutex mutex;
    Sink sink;
    std::atomic<LogLevel> lowest;
};

namespace {

spdlog::level::level_enum spdlog_level(LogLevel level)
{
    switch (level) {
    case LogLevel::debug: return spdlog::level::debug;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::warning: return spdlog::level::warn;
    case LogLevel::error: return spdlog::level::err;
    }
    std::abort();
}

int syslog_priority(LogLevel level)
{
    switch (level) {
    case LogLevel::debug: return 7;
    case LogLevel::info: return 6;
    case LogLevel::warning: return 4;
    case LogLevel::error: return 3;
    }
    std::abort();
}

std::shared_ptr<spdlog::logger> make_stderr_logger(const char* pattern)
{
    auto logger = std::make_shared<spdlog::logger>("shelfd", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_pattern(pattern, spdlog::pattern_time_type::utc);
    logger->set_level(spdlog::level::trace);
    logger->flush_on(spdlog::level::trace);
    return logger;
}

Log::Sink text_sink()
{
    auto logger = make_stderr_logger("%Y-%m-%dT%H:%M:%S.%eZ %l %v");
    return [logger](const LogRecord& record) {
        std::string line = escape_line(record.message);
        for (const auto& field : record.fields) {
            line += fmt::format(" {}={}", field.key, escape_line(field.value));
        }
        logger->log(spdlog_level(record.level), line);
    };
}

Log::Sink json_sink()
{
    auto logger = make_stderr_logger("{\"time\":\"%Y-%m-%dT%H:%M:%S.%fZ\",%v}");
    return [logger](const LogRecord& record) {
        std::string line =
            fmt::format("\"level\":\"{}\",\"message\":{}", to_string(record.level), json_string(record.message));
        for (const auto& field : record.fields) {
            line += fmt::format(",{}:{}", json_string(field.key), json_string(field.value));
        }
        logger->log(spdlog_level(record.level), line);
    };
}

void send_to_journal(const LogRecord& record)
{
    std::vector<std::string> entries = {fmt::format("MESSAGE={}", record.message),
                                        fmt::format("PRIORITY={}", syslog_priority(record.level)),
                                        "SYSLOG_IDENTIFIER=shelfd"};
    for (const auto& field : record.fields) {
        std::string name = "SHELFD_";
        for (const char c : field.key) {
            name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
        entries.push_back(name + "=" + field.value);
    }
    std::vector<iovec> vectors;
    for (auto& entry : entries) {
        vectors.push_back({entry.data(), entry.size()});
    }
    sd_journal_sendv(vectors.data(), static_cast<int>(vectors.size()));
}

Log::Sink sink_for(LogFormat format)
{
    switch (format) {
    case LogFormat::journal: return send_to_journal;
    case LogFormat::text: return text_sink();
    case LogFormat::json: return json_sink();
    }
    std::abort();
}

}  // namespace

Log Log::open(LogFormat format, LogLevel lowest)
{
    return Log(sink_for(format), lowest);
}

Log::Log(Sink sink, LogLevel lowest) : state_(std::make_shared<State>())
{
    state_->sink = std::move(sink);
    state_->lowest = lowest;
}

void Log::set_lowest(LogLevel lowest)
{
    state_->lowest = lowest;
}

void Log::write(LogLevel level, std::string_view message, std::span<const LogField> fields) const
{
    if (level < state_->lowest) {
        return;
    }
    const std::scoped_lock lock(state_->mutex);
    state_->sink({level, message, fields});
}

void Log::debug(std::string_view message, std::initializer_list<LogField> fields) const
{
    write(LogLevel::debug, message, {fields.begin(), fields.size()});
}

void Log::info(std::string_view message, std::initializer_list<LogField> fields) const
{
    write(LogLevel::info, message, {fields.begin(), fields.size()});
}

void Log::warning(std::string_view message, std::initializer_list<LogField> fields) const
{
    write(LogLevel::warning, message, {fields.begin(), fields.size()});
}

void Log::error(std::string_view message, std::initializer_list<LogField> fields) const
{
    write(LogLevel::error, message, {fields.begin(), fields.size()});
}

LogFormat choose_log_format(const char* journal_stream)
{
    struct stat status {};
    if (journal_stream == nullptr || fstat(STDERR_FILENO, &status) != 0) {
        return LogFormat::text;
    }
    const auto ours = fmt::format("{}:{}", status.st_dev, status.st_ino);
    return ours == journal_stream ? LogFormat::journal : LogFormat::text;
}

const char* to_string(LogLevel level)
{
    switch (level) {
    case LogLevel::debug: return "debug";
    case LogLevel::info: return "info";
    case LogLevel::warning: return "warning";
    case LogLevel::error: return "error";
    }
    std::abort();
}

}  // namespace shelfd
