#include "control/metrics/exposition.hpp"

#include <fmt/format.h>

namespace shelfd::control {
namespace {

// Label values are configured names and words of the daemon, but a version or an outcome may contain anything.
void append_escaped(std::string& out, std::string_view value)
{
    for (const char c : value) {
        switch (c) {
        case '\\': out += "\\\\"; break;
        case '"': out += "\\\""; break;
        case '\n': out += "\\n"; break;
        default: out += c;
        }
    }
}

}  // namespace

Labels with(Labels labels, std::string_view name, std::string_view value)
{
    labels.emplace_back(name, value);
    return labels;
}

void Family::count(const Labels& labels, std::uint64_t value)
{
    write(labels, fmt::format("{}", value));
}

void Family::number(const Labels& labels, double value)
{
    write(labels, fmt::format("{:.6g}", value));
}

// Milliseconds, if there are any.
void Family::time(const Labels& labels, const std::optional<Instant>& at)
{
    if (at) {
        const auto millis = at->micros() / 1'000 - at->seconds() * 1'000;
        write(labels, millis == 0 ? fmt::format("{}", at->seconds()) : fmt::format("{}.{:03}", at->seconds(), millis));
    }
}

void Family::histogram(const Labels& labels, const Histogram& histogram)
{
    for (const auto& one : histogram.classes) {
        const auto bound = fmt::format("{}", std::chrono::duration<double>(one.bound).count());
        write(with(labels, "le", bound), fmt::format("{}", one.count), "_bucket");
    }
    write(with(labels, "le", "+Inf"), fmt::format("{}", histogram.count), "_bucket");
    write(labels, fmt::format("{:.6f}", std::chrono::duration<double>(histogram.sum).count()), "_sum");
    write(labels, fmt::format("{}", histogram.count), "_count");
}

void Family::write(const Labels& labels, std::string_view value, std::string_view suffix)
{
    if (!begun_) {
        begun_ = true;
        out_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name_, help_, type_);
    }
    out_ += name_;
    out_ += suffix;
    char before = '{';
    for (const auto& [name, text] : labels) {
        out_ += before;
        out_ += name;
        out_ += "=\"";
        append_escaped(out_, text);
        out_ += '"';
        before = ',';
    }
    out_ += labels.empty() ? " " : "} ";
    out_ += value;
    out_ += '\n';
}

}  // namespace shelfd::control
