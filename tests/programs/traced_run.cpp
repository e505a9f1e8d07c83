#include "traced_run.hpp"

#include "support/temp_directory.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>

#include <unistd.h>

namespace shelfd {
namespace {

constexpr const char* strace = "/usr/bin/strace";

}  // namespace

std::optional<std::size_t> TracedRun::find(const std::string& name, const std::string& part, std::size_t from) const
{
    for (auto i = from; i < calls.size(); ++i) {
        if (calls[i].name.starts_with(name) && calls[i].text.find(part) != std::string::npos) {
            return i;
        }
    }
    return std::nullopt;
}

std::string why_no_tracing()
{
    if (access(strace, X_OK) != 0) {
        return "there is no " + std::string(strace);
    }
    const auto tried = run_program({strace, "-o", "/dev/null", "/bin/true"});
    return tried.code == 0 ? "" : "processes may not be traced here: " + tried.err;
}

std::vector<std::string> tracing_line(const std::string& trace_file, const std::string& injection)
{
    std::vector<std::string> line = {strace, "-f", "-qq", "-s", "48", "-o", trace_file};
    if (!injection.empty()) {
        line.insert(line.end(), {"-e", "inject=" + injection});
    }
    return line;
}

std::vector<std::string> slowing_line(const std::vector<std::string>& files, Duration delay)
{
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(delay).count();
    std::vector<std::string> line = {strace, "-D", "-f", "-qq", "-o", "/dev/null"};
    for (const auto& file : files) {
        line.insert(line.end(), {"-P", file});
    }
    line.insert(line.end(), {"-e", "trace=pwrite64,fdatasync", "-e",
                             "inject=pwrite64,fdatasync:delay_enter=" + std::to_string(micros)});
    return line;
}

std::vector<SystemCall> read_trace(const std::string& trace_file)
{
    std::vector<SystemCall> calls;
    std::map<std::string, std::size_t> numbers;
    std::istringstream lines(read_file(trace_file));
    for (std::string line; std::getline(lines, line);) {
        // "12345 name(arguments) = result"; signals, exits and the ends of calls begin otherwise.
        const auto begin = line.find_first_not_of("0123456789 ");
        const auto end = line.find('(');
        if (begin == std::string::npos || end == std::string::npos || end <= begin ||
            line.find_first_of(" +-<", begin) < end) {
            continue;
        }
        SystemCall call;
        call.name = line.substr(begin, end - begin);
        call.number = ++numbers[call.name];
        call.text = line.substr(begin);
        calls.push_back(std::move(call));
    }
    return calls;
}

}  // namespace shelfd
