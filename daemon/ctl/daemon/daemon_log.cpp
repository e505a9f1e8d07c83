#include "ctl/daemon/daemon_log.hpp"

#include "config/secrets/program_output.hpp"
#include "ctl/daemon/json_reader.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <sstream>

#include <unistd.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

constexpr std::size_t max_output = 16u << 20;
constexpr std::chrono::seconds patience{10};

std::optional<std::int64_t> number(const std::string& text)
{
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

// A text, or the bytes of one that is not UTF-8 or has control characters.
std::string text_of(const json::object& entry, const char* name)
{
    const auto* value = entry.if_contains(name);
    const auto* bytes = value != nullptr ? value->if_array() : nullptr;
    if (bytes == nullptr) {
        return JsonReader(entry).text(name);
    }
    std::string text;
    for (const auto& one : *bytes) {
        const auto* byte = one.if_int64();
        text += byte != nullptr ? static_cast<char>(*byte) : '?';
    }
    return text;
}

std::optional<LogLine> read_line(const std::string& text)
{
    boost::system::error_code broken;
    const auto document = json::parse(text, broken);
    const auto* entry = broken ? nullptr : document.if_object();
    const auto at = entry != nullptr ? number(text_of(*entry, "__REALTIME_TIMESTAMP")) : std::nullopt;
    if (!at) {
        return std::nullopt;
    }
    LogLine line;
    line.at = Instant::from_micros(*at);
    line.priority = static_cast<int>(number(text_of(*entry, "PRIORITY")).value_or(line.priority));
    line.library = text_of(*entry, "SHELFD_LIBRARY");
    line.resource = text_of(*entry, "SHELFD_RESOURCE");
    line.run_id = text_of(*entry, "SHELFD_RUN_ID");
    line.text = text_of(*entry, "MESSAGE");
    return line;
}

}  // namespace

Result<std::vector<LogLine>> read_daemon_log(const LogQuery& query)
{
    if (::access(query.program.c_str(), X_OK) != 0) {
        return Error(ErrorKind::not_found, fmt::format("there is no {} on this machine", query.program));
    }
    std::vector<std::string> command = {query.program, "--output=json", "--no-pager", "--quiet",
                                        fmt::format("--lines={}", query.lines)};
    if (query.since) {
        command.push_back(fmt::format("--since=@{}", query.since->seconds()));
    }
    command.emplace_back("--unit=shelfd");
    if (!query.library.empty()) {
        command.push_back("SHELFD_LIBRARY=" + query.library);
    }
    std::string output;
    output.reserve(max_output + 1);
    SHELFD_TRY(config::read_program_output(command, patience, max_output, output));
    std::vector<LogLine> lines;
    std::istringstream in(output);
    for (std::string text; std::getline(in, text);) {
        if (auto line = read_line(text)) {
            lines.push_back(std::move(*line));
        }
    }
    return lines;
}

}  // namespace shelfd::ctl
