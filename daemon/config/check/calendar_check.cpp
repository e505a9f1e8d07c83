#include "base/regular_file.hpp"
#include "base/time_of_day.hpp"
#include "base/words/names.hpp"
#include "config/check/value_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace shelfd::config {
namespace {

using Kind = Node::Kind;

// Linux keeps its zones here, one file each; the library that reads them for the schedules uses the same place.
constexpr const char* zone_folder = "/usr/share/zoneinfo";

// Files in that folder that are not zones, or that mean something else on another machine.
bool is_beside_zones(std::string_view name)
{
    constexpr std::array<std::string_view, 5> others = {"posix", "right", "posixrules", "localtime", "Factory"};
    return std::find(others.begin(), others.end(), name.substr(0, name.find('/'))) != others.end();
}

bool is_zone(const std::string& name)
{
    constexpr std::string_view marks = "/_+-";
    const auto fits = [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               marks.find(c) != marks.npos;
    };
    if (name.empty() || name.front() == '/' || !std::all_of(name.begin(), name.end(), fits) || is_beside_zones(name)) {
        return false;
    }
    const auto file = open_regular_file(fmt::format("{}/{}", zone_folder, name));
    std::array<char, 4> magic{};  // RFC 8536, section 3.1
    return file && ::pread(file->get(), magic.data(), magic.size(), 0) == static_cast<ssize_t>(magic.size()) &&
           std::string_view(magic.data(), magic.size()) == "TZif";
}

// Returns "; the nearest is "Europe/Brussels"", or how to list or install zones.
std::string nearest_zone(std::string_view wanted)
{
    std::vector<std::string> names;
    std::error_code error;
    std::filesystem::recursive_directory_iterator file(zone_folder, error);
    for (; !error && file != std::filesystem::recursive_directory_iterator(); file.increment(error)) {
        auto name = file->path().lexically_relative(zone_folder).string();
        if (is_beside_zones(name)) {
            file.disable_recursion_pending();
        } else if (name.find('.') == name.npos && is_zone(name)) {
            names.push_back(std::move(name));
        }
    }
    std::sort(names.begin(), names.end());
    const std::vector<std::string_view> words(names.begin(), names.end());
    if (words.empty()) {
        return "; this machine knows none: install tzdata";
    }
    const auto alike = nearest_alike(wanted, words);
    return alike.empty() ? "; all are listed by: timedatectl list-timezones"
                         : fmt::format("; the nearest is \"{}\"", alike);
}

// Other elements were refused already and must not be compared with the rest.
bool is_filled(const Node& element)
{
    return element.kind == Kind::string && !element.faulty && !element.text.empty();
}

}  // namespace

void check_clock_list(Node& value, const KeyInfo& info, const CheckContext& context)
{
    check_text_list(value, info, context);
    if (value.kind != Kind::array) {
        return;
    }
    if (value.children.empty()) {
        refuse(value, value.position, fmt::format("{} must name a time, like [\"03:30\"]", info.name), context);
    }
    for (const auto& time : value.children) {
        if (is_filled(time) && !parse_time_of_day(time.text)) {
            refuse(value, time.position,
                   fmt::format("{} must contain times from \"00:00\" to \"23:59\", not \"{}\"", info.name, time.text),
                   context);
        }
    }
}

void check_span_list(Node& value, const KeyInfo& info, const CheckContext& context)
{
    check_text_list(value, info, context);
    if (value.kind != Kind::array) {
        return;
    }
    for (const auto& span : value.children) {
        if (is_filled(span) && !parse_time_span(span.text)) {
            refuse(value, span.position,
                   fmt::format("{} must contain spans between two different times from \"00:00\" to \"23:59\", like "
                               "\"22:00-06:00\", not \"{}\"",
                               info.name, span.text),
                   context);
        }
    }
}

void check_day_list(Node& value, const KeyInfo& info, const CheckContext& context)
{
    check_text_list(value, info, context);
    if (value.kind != Kind::array) {
        return;
    }
    if (value.children.empty()) {
        refuse(value, value.position, fmt::format("{} must name a weekday, like [\"mon\"]", info.name), context);
    }
    for (const auto& day : value.children) {
        if (is_filled(day) && !parse_weekday(day.text)) {
            refuse(value, day.position,
                   fmt::format("{} must contain mon, tue, wed, thu, fri, sat or sun, not \"{}\"", info.name, day.text),
                   context);
        }
    }
}

void check_zone(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (expect_kind(value, info, Kind::string, context) && !is_zone(value.text)) {
        report_missing(
            value, value.position,
            fmt::format("{} \"{}\" is unknown on this machine{}", info.name, value.text, nearest_zone(value.text)),
            context);
    }
}

}  // namespace shelfd::config
