#include "budget/limit_policies.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <charconv>

namespace shelfd::budget {
namespace {

constexpr std::int64_t minute = 60;
constexpr std::int64_t max_window = 3600;
constexpr std::int64_t most = 1'000'000'000;

// Returns the text up to the next `separator` outside quotes, and removes both from `text`.
std::string_view take_part(std::string_view& text, char separator)
{
    bool quoted = false;
    std::size_t end = 0;
    for (; end < text.size() && (quoted || text[end] != separator); ++end) {
        quoted = quoted != (text[end] == '"');
    }
    const auto part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return trimmed(part, http_space);
}

// Returns the number without its fraction, at most `most`; empty for text that is not a number, or a negative one.
std::optional<std::int64_t> amount_in(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = end == text.data() + text.size() || *end == '.';
    return error == std::errc() && whole && value >= 0 ? std::optional(std::min(value, most)) : std::nullopt;
}

LimitPolicy read_policy(std::string_view item)
{
    LimitPolicy policy;
    const auto head = take_part(item, ';');
    if (head.size() >= 2 && head.front() == '"' && head.back() == '"') {
        policy.name = head.substr(1, head.size() - 2);
    } else {
        policy.quota = amount_in(head);
        policy.name = policy.quota ? std::string_view() : head;
    }
    while (!item.empty()) {
        const auto parameter = take_part(item, ';');
        const auto value = amount_in(parameter.substr(std::min<std::size_t>(2, parameter.size())));
        if (parameter.starts_with("q=")) {
            policy.quota = value;
        } else if (parameter.starts_with("w=") && value.value_or(0) > 0) {
            policy.window = value;
        } else if (parameter.starts_with("r=")) {
            policy.remaining = value;
        } else if (parameter.starts_with("t=")) {
            policy.reset = value;
        }
    }
    return policy;
}

}  // namespace

std::vector<LimitPolicy> read_policies(std::string_view field)
{
    std::vector<LimitPolicy> policies;
    while (!field.empty()) {
        policies.push_back(read_policy(take_part(field, ',')));
    }
    return policies;
}

const LimitPolicy* governing(const std::vector<LimitPolicy>& policies)
{
    const LimitPolicy* narrowest = nullptr;
    bool by_minute = false;
    for (const auto& policy : policies) {
        const bool is_minute = policy.window.value_or(minute) == minute;
        if (!policy.quota || policy.window.value_or(minute) > max_window || (by_minute && !is_minute)) {
            continue;
        }
        const bool narrower =
            narrowest == nullptr || (is_minute && !by_minute) ||
            *policy.quota * narrowest->window.value_or(minute) < *narrowest->quota * policy.window.value_or(minute);
        narrowest = narrower ? &policy : narrowest;
        by_minute = by_minute || is_minute;
    }
    return narrowest;
}

std::optional<std::int64_t> per_minute(const LimitPolicy& policy)
{
    return policy.quota
               ? std::optional(std::max<std::int64_t>(*policy.quota * minute / policy.window.value_or(minute), 1))
               : std::nullopt;
}

bool status_concerns_one_path(int status)
{
    return status != 403 && status != 420 && status != 429 && status != 430;
}

}  // namespace shelfd::budget
