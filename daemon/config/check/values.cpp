#include "config/check/values.hpp"

#include "base/words/digits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace shelfd::config {
namespace {

struct SizeUnit {
    std::string_view name;
    unsigned shift;
};
constexpr std::array<SizeUnit, 4> size_units = {{{"GiB", 30}, {"MiB", 20}, {"KiB", 10}, {"B", 0}}};

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text)
{
    for (const auto& unit : size_units) {
        if (text.ends_with(unit.name)) {
            const auto count = number_in(text.substr(0, text.size() - unit.name.size()));
            if (!count || *count > (std::numeric_limits<std::uint64_t>::max() >> unit.shift)) {
                return std::nullopt;
            }
            return *count << unit.shift;
        }
    }
    return std::nullopt;
}

std::string format_size(std::uint64_t bytes)
{
    for (const auto& unit : size_units) {
        if (bytes != 0 && bytes % (std::uint64_t{1} << unit.shift) == 0) {
            return fmt::format("{}{}", bytes >> unit.shift, unit.name);
        }
    }
    return fmt::format("{}B", bytes);
}

std::optional<double> parse_share(std::string_view text)
{
    if (text.size() < 2 || text.back() != '%' || !is_digit(text.front())) {
        return std::nullopt;
    }
    text.remove_suffix(1);
    double percent = 0;
    const auto [end, fault] =
        std::from_chars(text.data(), text.data() + text.size(), percent, std::chars_format::fixed);
    if (fault != std::errc{} || end != text.data() + text.size() || !std::isfinite(percent)) {
        return std::nullopt;
    }
    return percent / 100;
}

std::string format_share(double share)
{
    return fmt::format("{:.6g}%", share * 100);
}

std::optional<Rate> parse_rate(std::string_view text)
{
    if (text == "none") {
        return Rate{};
    }
    constexpr std::string_view unit = "/min";
    if (!text.ends_with(unit)) {
        return std::nullopt;
    }
    const auto count = number_in(text.substr(0, text.size() - unit.size()));
    if (!count || *count > std::numeric_limits<std::uint32_t>::max()) {
        return std::nullopt;
    }
    return Rate{static_cast<std::uint32_t>(*count)};
}

std::string format_rate(std::optional<std::uint32_t> per_minute)
{
    return per_minute ? fmt::format("{}/min", *per_minute) : "none";
}

bool is_name(std::string_view text)
{
    constexpr std::size_t longest = 41;
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_'; };
    return !text.empty() && text.size() <= longest && text.front() >= 'a' && text.front() <= 'z' &&
           std::all_of(text.begin(), text.end(), fits);
}

bool is_header_name(std::string_view text)
{
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    const auto fits = [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || marks.find(c) != marks.npos;
    };
    return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

bool is_printable(std::string_view text)
{
    return std::none_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < ' ' || byte == 0x7f;
    });
}

std::vector<std::string_view> words_of(std::string_view range)
{
    std::vector<std::string_view> words;
    while (!range.empty()) {
        const auto space = std::min(range.find(' '), range.size());
        words.push_back(range.substr(0, space));
        range.remove_prefix(std::min(space + 1, range.size()));
    }
    return words;
}

}  // namespace shelfd::config
