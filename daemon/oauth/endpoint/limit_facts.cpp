#include "oauth/endpoint/limit_facts.hpp"

namespace shelfd::oauth {

budget::AnswerFacts limit_facts(const http::Response& response, Instant now)
{
    const auto header = [&response](std::string_view name) { return response.header(name); };
    auto facts = budget::read_rate_limit(header, http::service_date(response).value_or(now));
    facts.status = response.status;
    facts.retry_after = http::retry_after(response, now);
    facts.requests_sent = response.requests_sent;
    // A Retry-After that cannot be parsed still asks for a wait.
    facts.exhausted = facts.exhausted || !response.header("Retry-After").empty();
    return facts;
}

}  // namespace shelfd::oauth
