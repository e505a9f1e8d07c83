#include "http/client.hpp"

#include "base/digits.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace shelfd::http {
namespace {

bool same_name(std::string_view a, std::string_view b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::string_view value_of(std::span<const Header> headers, std::string_view name)
{
    const auto found = std::find_if(headers.begin(), headers.end(),
                                    [name](const Header& candidate) { return same_name(candidate.name, name); });
    return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

std::string Response::joined(std::string_view name) const
{
    std::string all;
    for (const auto& candidate : headers) {
        if (same_name(candidate.name, name)) {
            all += (all.empty() ? "" : ", ") + candidate.value;
        }
    }
    return all;
}

std::optional<Instant> service_date(const Response& response)
{
    return Instant::from_http_date(response.header("Date"));
}

std::optional<Duration> retry_after(const Response& response, Instant now)
{
    const auto text = response.header("Retry-After");
    // More digits than nine would be thirty years; such a number is a mistake, not a wait.
    if (const auto seconds = number_in<std::uint32_t>(text); seconds && text.size() <= 9) {
        return std::chrono::seconds(*seconds);
    }
    const auto at = Instant::from_http_date(text);
    if (!at) {
        return std::nullopt;
    }
    return std::max(*at - service_date(response).value_or(now), Duration(0));
}

}  // namespace shelfd::http
