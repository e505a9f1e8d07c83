// Converts the limit headers of an answer to the limiter's facts.
#pragma once

#include "budget/answer_facts.hpp"
#include "http/client.hpp"

namespace shelfd::oauth {

budget::AnswerFacts limit_facts(const http::Response& response, Instant now);

}  // namespace shelfd::oauth
