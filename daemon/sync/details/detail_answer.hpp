// Classifies the answer to a request for a single item.
#pragma once

#include "sync/details/detail_machine.hpp"
#include "sync/service/page_answer.hpp"

#include <string>

namespace shelfd::sync {

struct DetailHeard {
    DetailEvent event;
    std::string why;  // one sentence for people if it is no item; contains no data of the library
    TroubleSource source = TroubleSource::service;
};

DetailHeard classify_detail(const Result<http::Response>& outcome);

}  // namespace shelfd::sync
