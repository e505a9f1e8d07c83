#include "budget/answer_facts.hpp"

#include "base/told_wait.hpp"
#include "budget/limit_policies.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

namespace shelfd::budget {
namespace {

// Returns the whole number at the beginning: "100", "100, 100;w=60", "12.5" (rounded down).
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

// Returns the number after "name=" in "limit=100, remaining=50, reset=5".
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

std::string_view separate_header(const HeaderLookup& header, const char* what)
{
    std::string_view found;
    for (const auto* prefix : {"X-RateLimit-", "X-Rate-Limit-", "Rate-Limit-"}) {
        found = found.empty() ? header(std::string(prefix) + what) : found;
    }
    return found;
}

// "10, 10;w=1": the first number repeats the policy that the other two headers refer to; it gets that policy's window.
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

// The remaining requests of a second say nothing about the minute.
constexpr bool tells_of_a_minute(std::int64_t window)
{
    return window >= 60;
}

// Returns the item of a RateLimit field with the shortest window of a minute or more. `named`: the policies.
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

std::optional<Duration> as_reset(std::optional<std::int64_t> seconds, Instant service_now)
{
    return seconds ? told_wait(std::to_string(*seconds), service_now) : std::nullopt;
}

// One quota of the answer: requests left, and the time until it is full again.
struct Told {
    std::optional<std::int64_t> remaining;
    std::optional<Duration> reset;
};

void record_exhausted(AnswerFacts& facts, const Told& quota)
{
    if (quota.remaining && *quota.remaining == 0) {
        facts.exhausted = true;
        facts.refill = quota.reset ? std::max(facts.refill.value_or(Duration(0)), *quota.reset) : facts.refill;
    }
}

Told separate(const HeaderLookup& header, Instant service_now)
{
    const auto reset = told_wait(separate_header(header, "Reset"), service_now);
    return {leading_number(separate_header(header, "Remaining")),
            reset ? reset : told_wait(separate_header(header, "Reset-After"), service_now)};
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
    const auto own = separate(header, service_now);
    const Told drafted = {leading_number(header("RateLimit-Remaining")),
                          told_wait(header("RateLimit-Reset"), service_now)};
    const Told in_line = {member(line, "remaining"), as_reset(member(line, "reset"), service_now)};
    AnswerFacts facts;
    facts.limit = as_count(either(either(leading_number(separate_header(header, "Limit")), quota_of(listed)),
                                  either(member(line, "limit"), either(quota_of(field), quota_of(named)))));
    facts.remaining = as_count(either(own.remaining, either(is_listed ? drafted.remaining : std::nullopt,
                                                            either(in_line.remaining, item.remaining))));
    for (const auto& reset :
         {own.reset, is_listed ? drafted.reset : std::nullopt, in_line.reset, as_reset(item.reset, service_now)}) {
        facts.reset = facts.reset ? facts.reset : reset;
    }
    for (const auto& quota : {own, drafted, in_line}) {
        record_exhausted(facts, quota);
    }
    for (const auto& quota : field) {
        record_exhausted(facts, {quota.remaining, as_reset(quota.reset, service_now)});
    }
    return facts;
}

bool tells_limit(const AnswerFacts& facts)
{
    if (status_concerns_one_path(facts.status)) {
        // The last request that a quota allows may get any answer, so what is left of it tells nothing here. A 401 is
        // about the token first.
        return facts.status >= 400 && facts.status < 500 && facts.status != 401 && facts.retry_after.has_value();
    }
    const bool is_limit_alone = facts.status == 429 || facts.status == 420;
    return is_limit_alone || facts.retry_after || facts.exhausted;
}

std::optional<Duration> limit_wait(const AnswerFacts& facts)
{
    const auto counted = facts.refill ? facts.refill : facts.reset;
    return facts.retry_after ? facts.retry_after : counted;
}

}  // namespace shelfd::budget
