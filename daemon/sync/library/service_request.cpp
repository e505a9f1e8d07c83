#include "sync/library/service_request.hpp"

#include "oauth/endpoint/limit_facts.hpp"

#include <algorithm>

namespace shelfd::sync {

namespace {

http::Request http_request(const config::Service& service, ServiceRequest& wanted)
{
    http::Request request;
    request.method = wanted.method;
    request.url = service.base_url + wanted.target;
    for (const auto& [name, value] : service.headers) {
        request.headers.push_back({name, value});
    }
    request.timeouts = {service.connect_timeout, service.idle_timeout, service.total_timeout};
    request.route.proxy = service.proxy;
    request.route.ca_file = service.ca_file;
    request.max_body = service.max_body;
    request.bearer = std::move(wanted.bearer);
    return request;
}

}  // namespace

std::uint32_t requests_behind(const Result<http::Response>& outcome)
{
    if (!outcome) {
        const auto& error = outcome.error();
        return error.delivery == Delivery::not_sent ? 0 : std::max(error.requests_sent, 1U);
    }
    return std::max(outcome->requests_sent, 1U);
}

budget::AnswerFacts limiter_facts(const Result<http::Response>& outcome, Instant now)
{
    if (outcome) {
        return oauth::limit_facts(*outcome, now);
    }
    budget::AnswerFacts facts;
    facts.requests_sent = requests_behind(outcome);
    return facts;
}

asio::awaitable<Result<http::Response>> send_request(LibraryContext& context, ServiceRequest request)
{
    auto permit = co_await context.limiter.acquire(request.purpose, request.flow);
    auto outgoing = http_request(context.library.service, request);
    auto outcome = co_await context.client.send(std::move(outgoing));
    const auto requests = requests_behind(outcome);
    if (requests == 0) {
        permit.give_back();
        co_return outcome;
    }
    context.state.ledger.of(request.resource).count(request.reason, requests);
    context.limiter.observe(permit, limiter_facts(outcome, context.clock.now()));
    co_return outcome;
}

}  // namespace shelfd::sync
