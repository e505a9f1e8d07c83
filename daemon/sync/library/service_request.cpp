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
    request.room = std::move(wanted.room);
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
    if (request.sent_at != nullptr) {
        *request.sent_at = context.clock.boot_now();
    }
    auto outcome = co_await context.client.send(std::move(outgoing));
    const auto requests = requests_behind(outcome);
    if (requests == 0) {
        permit.give_back();
        co_return outcome;
    }
    context.state.sent.of(request.resource).count(request.reason, requests);
    context.limiter.observe(permit, limiter_facts(outcome, context.clock.now()));
    co_return outcome;
}

std::optional<oauth::CanarySpec> refuser_of(LibraryContext& context, std::string target, std::uint64_t generation,
                                            std::optional<Instant> accepted_at)
{
    const auto token = context.keeper.status();
    const bool was_accepted = accepted_at && token.last_refresh && *accepted_at > *token.last_refresh;
    if (!was_accepted || token.generation != generation) {
        return std::nullopt;
    }
    oauth::CanarySpec spec;
    spec.url = context.library.service.base_url + target;
    for (const auto& [name, value] : context.library.service.headers) {
        spec.headers.push_back({name, value});
    }
    return spec;
}

asio::awaitable<std::optional<oauth::CanarySpec>> refuser_of(LibraryContext& context, const std::string& resource,
                                                             std::string target, std::uint64_t generation)
{
    auto look = [&context, &resource] { return context.mirror.summary(resource); };
    const auto found = co_await context.lane.run(look);
    std::optional<Instant> accepted_at;
    if (found && *found && (*found)->as_of) {
        accepted_at = (*found)->last_started ? (*found)->last_started : (*found)->as_of;
    }
    co_return refuser_of(context, std::move(target), generation, accepted_at);
}

}  // namespace shelfd::sync
