// A GET to the service of a library, as its configuration wants it and its budget allows; the token is the caller's.
#pragma once

#include "http/client.hpp"
#include "sync/library/context.hpp"

#include <cstdint>
#include <string>

namespace shelfd::sync {

struct ServiceRequest {
    std::string target;  // a path at our origin, perhaps with a query
    Secret bearer;
    std::string resource = {};  // that it is booked for; "" = none
    budget::Purpose purpose = budget::Purpose::interactive;
    budget::Reason reason = budget::Reason::page;
    budget::Flow* flow = nullptr;  // that it belongs to; outlives the wait
};

// Waits for its turn. Errors: those of the client.
asio::awaitable<Result<http::Response>> send_request(LibraryContext& context, ServiceRequest request);

// How many requests the service may have counted for it.
std::uint32_t requests_behind(const Result<http::Response>& outcome);
// What the limiter is to know of it, whether an answer came or not.
budget::AnswerFacts limiter_facts(const Result<http::Response>& outcome, Instant now);

}  // namespace shelfd::sync
