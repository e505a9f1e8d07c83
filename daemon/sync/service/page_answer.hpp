// What an answer to a request for a page means for the pass.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "http/client.hpp"

#include <cstdint>
#include <string>

namespace shelfd::sync {

enum class AnswerKind {
    page,           // 200 with something to read, 206 likewise, or null or 204: there is no row
    unauthorized,   // 401: the keeper of the token set decides what that means
    throttled,      // 429, 403 that tells of a limit, or 503 with Retry-After: the limiter waits
    past_end,       // 404 "Invalid page.": the list has fewer pages than a moment ago
    passing,        // 5xx, 408, time-out, reset, cut: worth another try
    forbidden,      // 403: scope or permission; only the owner can change it
    bad_request,    // 400: a parameter is not accepted
    misconfigured,  // any other status: path, parameters or address are wrong, a person has to look
};

struct Answer {
    AnswerKind kind;
    std::string why;  // one sentence for people; no token, no data of the library in it
};

Answer classify(const Result<http::Response>& outcome);
// A 429, or a 403 that tells of a request limit and not of a permission: the limiter waits.
bool is_limited(const http::Response& response);
// 200, and what some services answer in its place: 206 for a page of several, 204 for a list without rows.
bool brings_page(int status);
// An answer that stands for a page without rows, and shows nothing of the frame around them: no body (204), or null.
bool brings_no_row(const http::Response& response);
// What read_page reads of such an answer.
std::string& page_body(http::Response& response);
// Of a 503 that says until when: for so long; 0 for any other answer.
Duration closed_for(const http::Response& response, Instant now);
// 400, 403 without a limit, 404, 410, 413, 414, 416, 422: of a page that the service itself has named as the next one,
// that says nothing about a configuration or a permission.
bool denies_page(const Result<http::Response>& outcome);
// Of a page that nobody named, asked for to learn where the list ends: an answer that is no matter of the list.
bool refuses_question(const Result<http::Response>& outcome);

// What the answer to a request for one row by itself says about that row.
enum class RowAnswer {
    unauthorized,  // as of a page
    throttled,
    there,    // 200 with an item
    gone,     // 404 in the service's own JSON
    unclear,  // anything else tells nothing: an HTML page for an unknown path, a 403, a 500, no answer
};

RowAnswer classify_row(const Result<http::Response>& outcome);

// What the service's clock showed at the answer, `otherwise` where it does not say, or says what no clock shows (a year
// behind ours and more); not later than our own, `now`. A backend whose clock is wrong must not make us believe that we
// have seen what has not happened yet.
Instant service_time(const http::Response& response, Instant otherwise, Instant now);

// The first 200 bytes of something that is not JSON, on one line, for messages. JSON may be data and is not shown.
std::string sample(std::string_view body);

}  // namespace shelfd::sync
