// What an answer to a request for a page means for the pass.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "base/state/trouble.hpp"
#include "base/words/cure.hpp"
#include "http/client.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::sync {

enum class AnswerKind {
    page,           // 200 or 206 with JSON, or no rows: null or 204
    unauthorized,   // 401: the keeper of the token set decides what it means
    throttled,      // 429, 403 that names a limit, or 503 with Retry-After: the limiter waits
    past_end,       // 404 "Invalid page.": the list has fewer pages than before
    passing,        // 5xx, 408, timeout, reset, truncated body, a 401 or 403 with a page for people: retried
    forbidden,      // 403: scope or permission; only the owner can change it
    bad_request,    // 400: a parameter is not accepted
    misconfigured,  // any other status: path, parameters or address are wrong, and a person has to act
};

struct Answer {
    AnswerKind kind;
    std::string why;  // one sentence for people, without token or data of the library
    TroubleSource source = TroubleSource::service;
    Cure cure = {};  // the end of `why`
};

Answer classify(const Result<http::Response>& outcome);
// True for a 429, or a 403 that names a request limit and not a permission: the limiter waits.
bool is_limited(const http::Response& response);
// True for 200, and for 206 (a page of several) and 204 (a list without rows), which some services send instead.
bool brings_page(int status);
// True for 404, and for 410 (RFC 9110, 15.5.11), by which some services say that what was there is gone.
bool is_not_found(int status);
// True for an answer that stands for a page without rows and shows no frame: no body (204), or null.
bool brings_no_row(const http::Response& response);
// The body that read_page reads; for an answer without rows it is set to "[]".
std::string& page_body(http::Response& response);
// How long a 503 asks to wait, at most a day; 0 for any other answer.
Duration closed_for(const http::Response& response, Instant now);
// The wait that a 401 asks for, a second at least and a day at most: if the token works, it tells of a limit.
inline constexpr const char* refusal_tells_limit = "rate limited by the service (401 with Retry-After)";
std::optional<Duration> limit_of_refusal(const http::Response& response, Instant now);
// True for markup (HTML), which the service, or a proxy in front of it, sends to browsers.
bool is_page_for_people(const http::Response& response);
// True for 400, 403 without a request limit, 404, 410, 413, 414, 416, 422. Such an answer to a next page that the
// service itself named is no configuration error, and says nothing of a permission for the list.
bool denies_page(const Result<http::Response>& outcome);
// True if the answer refuses a test for more rows (a page that the service did not name), so that it says nothing about
// the list itself. Some services answer 200 with an HTML page then, or with nothing.
bool refuses_question(const Result<http::Response>& outcome);

// What the answer to a request for a single row says about that row.
enum class RowAnswer {
    unauthorized,  // as for a page
    throttled,
    there,    // 200 with an object
    gone,     // 404 or 410 with a JSON object of the service
    unclear,  // anything else: an HTML page for an unknown path, a 403, a 500, no answer
};

RowAnswer classify_row(const Result<http::Response>& outcome);

// The service's time of the answer. `otherwise` if the answer has no Date, or one that is a year ahead of our clock or
// before the first release of shelfd; at most `now`, our own time, so that a service with a wrong clock cannot make us
// skip changes that have not happened yet.
Instant service_time(const http::Response& response, Instant otherwise, Instant now);

}  // namespace shelfd::sync
