#include "budget/answer_facts.hpp"

#include "budget/limit_policies.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

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

// The number behind "name=" in "limit=100, remaining=50, reset=5".
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

std::optional<std::int64_t> either(std::optional<std::int64_t> first, std::optional<std::int64_t> second)
{
    return first ? first : second;
}

std::optional<std::int64_t> separate_header(const HeaderLookup& header, const char* what)
{
    return either(leading_number(header(std::string("X-RateLimit-") + what)),
                  leading_number(header(std::string("X-Rate-Limit-") + what)));
}

// "10, 10;w=1": the number in front is one of those behind it, the one that the other two headers speak of.
std::vector<LimitPolicy> read_listed(std::string_view field)
{
    auto policies = read_policies(field);
    for (std::size_t i = 1; i < policies.size() && !policies.front().window; ++i) {
        if (policies[i].quota == policies.front().quota) {
            policies.front().window = policies[i].window;
        }
    }
    return policies;
}

std::int64_t window_of(const LimitPolicy& item, const std::vector<LimitPolicy>& named)
{
    constexpr std::int64_t usual = 60;
    const auto found = std::find_if(named.begin(), named.end(),
                                    [&item](const LimitPolicy& policy) { return policy.name == item.name; });
    return either(item.window, found == named.end() ? std::nullopt : found->window).value_or(usual);
}

// What is left of a second's requests tells nothing of a minute's.
constexpr bool tells_of_a_minute(std::int64_t window)
{
    return window >= 60;
}

// Of the items of a RateLimit field, the one of the shortest window that does. `named`: their policies.
LimitPolicy best_item(const std::vector<LimitPolicy>& field, const std::vector<LimitPolicy>& named)
{
    LimitPolicy best;
    for (const auto& item : field) {
        const auto window = window_of(item, named);
        const bool told = item.remaining || item.reset;
        if (told && tells_of_a_minute(window) && (!best.window || window < *best.window)) {
            best = item;
            best.window = window;
        }
    }
    return best;
}

std::optional<std::int64_t> quota_of(const std::vector<LimitPolicy>& policies)
{
    const auto* policy = governing(policies);
    return policy == nullptr ? std::nullopt : per_minute(*policy);
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
    const auto line = header("RateLimit");
    const auto field = read_policies(line);
    const auto named = read_policies(header("RateLimit-Policy"));
    const auto listed = read_listed(header("RateLimit-Limit"));
    const auto item = best_item(field, named);
    const bool is_listed = listed.empty() || tells_of_a_minute(window_of(listed.front(), {}));
    const auto told = [&](const char* what, const char* word, std::optional<std::int64_t> newer) {
        const auto value = either(separate_header(header, what),
                                  is_listed ? leading_number(header(std::string("RateLimit-") + what)) : std::nullopt);
        return either(value, either(member(line, word), newer));
    };
    AnswerFacts facts;
    facts.limit = as_count(either(either(separate_header(header, "Limit"), quota_of(listed)),
                                  either(member(line, "limit"), either(quota_of(field), quota_of(named)))));
    facts.remaining = as_count(told("Remaining", "remaining", item.remaining));
    facts.reset = as_reset(told("Reset", "reset", item.reset), service_now);
    return facts;
}

}  // namespace shelfd::budget
