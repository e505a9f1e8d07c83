#include "runtime/log/log.hpp"

#include "runtime/log/log_output.hpp"

#include <atomic>
#include <mutex>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shelfd {

struct Log::State {
    std::mutex mutex;
    Sink sink;
    std::atomic<LogLevel> lowest;
};

Log Log::open(LogFormat format, LogLevel lowest)
{
    auto output = std::make_shared<LogOutput>(format);
    return Log([output](const LogRecord& record) { output->write(record); }, lowest);
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
