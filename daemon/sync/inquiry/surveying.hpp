// Sends the requests of a ServiceSurvey.
#pragma once

#include "sync/discovery/survey.hpp"
#include "sync/library/context.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string>
#include <vector>

namespace shelfd::sync {

// Called on the loop.
struct SurveyListener {
    std::function<void(std::size_t requests)> searching;  // at most so many requests will look for addresses
    std::function<void(std::size_t requests)> trying;     // so many addresses will be requested
    std::function<void(const FoundAddress&)> found;       // one answered, or will not be requested
};

// `configured`: paths of known lists. Returns all addresses. Errors: those of the keeper, of a network without any
// answer, and of a request limit that is used up.
asio::awaitable<Result<std::vector<FoundAddress>>>
survey_service(LibraryContext& context, std::vector<std::string> configured, SurveyListener listener);

}  // namespace shelfd::sync
