#include "runtime/log/log_output.hpp"

#include "runtime/log/journal_socket.hpp"
#include "runtime/log/log_sinks.hpp"

#include <utility>

namespace shelfd {

LogOutput::LogOutput(LogFormat format, int descriptor) : descriptor_(descriptor), sink_(sink_for(format)) {}

Log::Sink LogOutput::sink_for(LogFormat format) const
{
    switch (format) {
    case LogFormat::journal: return journal_sink(journal_socket_path);
    case LogFormat::text: return text_sink(descriptor_);
    case LogFormat::json: return json_sink(descriptor_);
    }
    std::abort();
}

void LogOutput::write(const LogRecord& record)
{
    const std::scoped_lock lock(mutex_);
    sink_(record);
}

void LogOutput::set_format(LogFormat format)
{
    auto next = sink_for(format);
    const std::scoped_lock lock(mutex_);
    former_.push_back(std::exchange(sink_, std::move(next)));
}

}  // namespace shelfd
