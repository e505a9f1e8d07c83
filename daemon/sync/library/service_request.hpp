// Sends a GET, or OPTIONS, to the service of a library, by its configuration and its request limit; the caller supplies
// the token.
#pragma once

#include "http/client.hpp"
#include "oauth/endpoint/canary.hpp"
#include "sync/library/context.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::sync {

struct ServiceRequest {
    std::string target;  // a path at the service's origin, perhaps with a query
    Secret bearer;
    std::string resource = {};  // the resource in whose account it is counted; "" = none
    budget::Purpose purpose = budget::Purpose::interactive;
    budget::Reason reason = budget::Reason::page;
    budget::Flow* flow = nullptr;  // must outlive the wait
    http::Method method = http::Method::get;
    std::shared_ptr<http::BodyRoom> room = {};  // see http::Request
    BootTime* sent_at = nullptr;                // gets the time of sending; must outlive the answer
};

// Waits for its turn at the limiter. Errors: those of the client.
asio::awaitable<Result<http::Response>> send_request(LibraryContext& context, ServiceRequest request);

// How many requests the service may have counted.
std::uint32_t requests_behind(const Result<http::Response>& outcome);
// What the limiter learns from the outcome, with or without an answer.
budget::AnswerFacts limiter_facts(const Result<http::Response>& outcome, Instant now);

// An address that refused the token with 401, and may confirm in place of an unfit canary that the token is dead:
// `target` at the service's origin, if `resource` was published with requests of `generation`, the present set: an
// address that never accepted it may refuse every token. Otherwise empty.
asio::awaitable<std::optional<oauth::CanarySpec>> refuser_of(LibraryContext& context, const std::string& resource,
                                                             std::string target, std::uint64_t generation);
// The same for the address of one item, whose detail was fetched at `accepted_at`.
std::optional<oauth::CanarySpec> refuser_of(LibraryContext& context, std::string target, std::uint64_t generation,
                                            std::optional<Instant> accepted_at);

}  // namespace shelfd::sync
