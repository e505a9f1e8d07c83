// Sends the requests of a ServiceSurvey.
#pragma once

#include "sync/discovery/survey.hpp"
#include "sync/library/context.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {

// Called on the loop.
struct SurveyListener {
    std::function<void(std::size_t requests)> searching;  // at most so many requests will look for addresses
    std::function<void(std::size_t requests)> trying;     // so many addresses will be requested
    std::function<void(const FoundAddress&)> found;       // one answered, or will not be requested
};

struct SurveyOutcome {
    std::vector<FoundAddress> addresses;
    // Why it ended early: an error of the keeper, a request limit that is used up, a network without any answer, or
    // three requests in a row without one. The addresses are those that were found till then; its text says how many.
    std::optional<Error> stopped;
};

// `configured`: paths of known lists. The listener is called for each address, however the survey ends.
asio::awaitable<SurveyOutcome> survey_service(LibraryContext& context, std::vector<std::string> configured,
                                              SurveyListener listener);

}  // namespace shelfd::sync
