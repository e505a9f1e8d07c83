// What an answer to a request for one item by itself is.
#pragma once

#include "sync/details/detail_machine.hpp"
#include "sync/service/page_answer.hpp"

#include <string>

namespace shelfd::sync {

struct DetailHeard {
    DetailEvent event;
    std::string why;  // one sentence for people, where it is no item; no data of the library in it
};

DetailHeard classify_detail(const Result<http::Response>& outcome);

}  // namespace shelfd::sync
