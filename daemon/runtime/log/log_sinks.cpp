#include "runtime/log/log_sinks.hpp"

#include "base/words/safe_text.hpp"
#include "runtime/log/journal_socket.hpp"
#include "runtime/log/log_descriptor.hpp"
#include "runtime/log/log_queue.hpp"

#include <cctype>
#include <mutex>

#include <fmt/format.h>
#include <spdlog/details/log_msg.h>
#include <spdlog/pattern_formatter.h>

namespace shelfd {
namespace {

// Formats a line: its time, and whatever else the pattern contains.
class LineMaker {
public:
    explicit LineMaker(const char* pattern) : formatter_(pattern, spdlog::pattern_time_type::utc) {}

    std::string line(spdlog::level::level_enum level, const std::string& text)
    {
        const std::scoped_lock lock(mutex_);
        spdlog::memory_buf_t buffer;
        formatter_.format(spdlog::details::log_msg("shelfd", level, text), buffer);
        return fmt::to_string(buffer);
    }

private:
    std::mutex mutex_;  // the formatter remembers the last second
    spdlog::pattern_formatter formatter_;
};

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

std::string text_of(const LogRecord& record)
{
    std::string line = escape_line(record.message);
    for (const auto& field : record.fields) {
        line += fmt::format(" {}={}", field.key, escape_line(field.value));
    }
    return line;
}

std::string json_of(const LogRecord& record)
{
    std::string line =
        fmt::format("\"level\":\"{}\",\"message\":{}", to_string(record.level), json_string(record.message));
    for (const auto& field : record.fields) {
        line += fmt::format(",{}:{}", json_string(field.key), json_string(field.value));
    }
    return line;
}

std::string entry_of(const LogRecord& record)
{
    std::string entry;
    add_journal_field(entry, "MESSAGE", record.message);
    add_journal_field(entry, "PRIORITY", std::to_string(syslog_priority(record.level)));
    add_journal_field(entry, "SYSLOG_IDENTIFIER", "shelfd");
    for (const auto& field : record.fields) {
        std::string name = "SHELFD_";
        for (const char c : field.key) {
            name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
        add_journal_field(entry, name, field.value);
    }
    return entry;
}

using MakeLine = std::function<std::string(const LogRecord&)>;

// Puts a queue in front of `send`, which may have to be called again.
Log::Sink queued(LogQueue::Send send, const MakeLine& make_line)
{
    auto lost_line = [make_line](std::uint64_t count) {
        const auto text = fmt::format("{} lines of this log were lost: the reader did not accept them in time", count);
        return make_line({LogLevel::warning, text, {}});
    };
    auto queue = std::make_shared<LogQueue>(std::move(send), std::move(lost_line));
    return [queue, make_line](const LogRecord& record) { queue->push(make_line(record)); };
}

Log::Sink descriptor_sink(int descriptor, const char* pattern, std::string (*form)(const LogRecord&))
{
    auto maker = std::make_shared<LineMaker>(pattern);
    auto make_line = [maker, form](const LogRecord& record) {
        return maker->line(spdlog_level(record.level), form(record));
    };
    auto output = std::make_shared<LogDescriptor>(descriptor);
    auto send = [output](std::string& text, std::chrono::milliseconds patience) {
        return output->send(text, patience);
    };
    return queued(std::move(send), make_line);
}

}  // namespace

Log::Sink text_sink(int descriptor)
{
    return descriptor_sink(descriptor, "%Y-%m-%dT%H:%M:%S.%eZ %l %v", text_of);
}

Log::Sink json_sink(int descriptor)
{
    return descriptor_sink(descriptor, "{\"time\":\"%Y-%m-%dT%H:%M:%S.%fZ\",%v}", json_of);
}

Log::Sink journal_sink(const std::string& path)
{
    auto socket = std::make_shared<JournalSocket>(path);
    auto send = [socket](std::string& entry, std::chrono::milliseconds patience) {
        return socket->send(entry, patience);
    };
    return queued(std::move(send), entry_of);
}

}  // namespace shelfd
