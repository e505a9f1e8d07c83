// Classifies the answer to a request for a single item.
#pragma once

#include "http/trouble_source.hpp"
#include "sync/details/detail_machine.hpp"
#include "sync/service/page_answer.hpp"

#include <string>

namespace shelfd::sync {

struct DetailHeard {
    DetailEvent event;
    std::string why;  // one sentence for people if it is no item; contains no data of the library
    TroubleSource source = TroubleSource::service;
    Duration wait{};  // that the answer asks for, at most a day; 0 = none
};

DetailHeard classify_detail(const Result<http::Response>& outcome, Instant now);
// The same for a 401 to a token that works.
DetailHeard classify_refusal(const http::Response& response, Instant now);

}  // namespace shelfd::sync
