#include "budget/answer_facts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace shelfd::budget {
namespace {

// The whole number a text begins with: "100", "100, 100;w=60", "12.5" (rounded down).
std::optional<std::int64_t> leading_number(std::string_view text)
{
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool ends_well = end == text.data() + text.size() || *end == ',' || *end == ';' || *end == '.' || *end == ' ';
    if (error != std::errc() || !ends_well || value < 0) {
        return std::nullopt;
    }
    return value;
}

// The number behind "name=" in "limit=100, remaining=50, reset=5" or "\"default\";r=50;t=5".
std::optional<std::int64_t> member(std::string_view field, std::string_view name)
{
    for (std::size_t at = field.find(name); at != std::string_view::npos; at = field.find(name, at + 1)) {
        const bool begins = at == 0 || field[at - 1] == ' ' || field[at - 1] == ',' || field[at - 1] == ';';
        const auto rest = field.substr(at + name.size());
        if (begins && !rest.empty() && rest.front() == '=') {
            return leading_number(rest.substr(1));
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> separate_header(const HeaderLookup& header, const char* what)
{
    constexpr std::array<std::string_view, 3> prefixes = {"X-RateLimit-", "X-Rate-Limit-", "RateLimit-"};
    for (const auto prefix : prefixes) {
        if (const auto value = leading_number(header(std::string(prefix) + what))) {
            return value;
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> either(std::optional<std::int64_t> first, std::optional<std::int64_t> second)
{
    return first ? first : second;
}

std::optional<std::uint32_t> as_count(std::optional<std::int64_t> value)
{
    constexpr std::int64_t most = 1'000'000'000;
    return value ? std::optional(static_cast<std::uint32_t>(std::min(*value, most))) : std::nullopt;
}

// Seconds from now, or the Unix time of the reset in seconds or milliseconds: told apart by size.
std::optional<Duration> as_reset(std::optional<std::int64_t> value, Instant service_now)
{
    constexpr std::int64_t unix_seconds = 1'000'000'000;
    constexpr std::int64_t unix_millis = unix_seconds * 1000;
    if (!value || *value >= unix_millis * 1000) {
        return std::nullopt;
    }
    if (*value < unix_seconds) {
        return std::chrono::seconds(*value);
    }
    const auto at = Instant::from_seconds(*value >= unix_millis ? *value / 1000 : *value);
    return std::max(at - service_now, Duration(0));
}

}  // namespace

AnswerFacts read_rate_limit(const HeaderLookup& header, Instant service_now)
{
    const auto field = header("RateLimit");
    const auto policy = header("RateLimit-Policy");
    const auto in_field = [field](const char* word, const char* letter) {
        return either(member(field, word), member(field, letter));
    };
    AnswerFacts facts;
    facts.limit =
        as_count(either(separate_header(header, "Limit"), either(in_field("limit", "q"), member(policy, "q"))));
    facts.remaining = as_count(either(separate_header(header, "Remaining"), in_field("remaining", "r")));
    facts.reset = as_reset(either(separate_header(header, "Reset"), in_field("reset", "t")), service_now);
    return facts;
}

}  // namespace shelfd::budget
