// What an answer of a service says about its request limit: the headers as the limiter wants them.
#pragma once

#include "budget/answer_facts.hpp"
#include "http/client.hpp"

namespace shelfd::oauth {

budget::AnswerFacts limit_facts(const http::Response& response, Instant now);

}  // namespace shelfd::oauth
