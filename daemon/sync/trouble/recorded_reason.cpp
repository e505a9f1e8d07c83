#include "sync/trouble/recorded_reason.hpp"

#include "sync/trouble/scope.hpp"

#include <algorithm>
#include <array>

namespace shelfd::sync {

namespace {

// The begins of sentences of http/curl_errors.cpp for requests without an answer.
constexpr std::array without_answer{"cannot connect to ",
                                    "cannot resolve the ",
                                    "cannot read the trusted certificates",
                                    "the certificate of ",
                                    "no secure connection to ",
                                    "the proxy refused a tunnel to ",
                                    " gave no answer within ",
                                    " closed the connection without an answer"};

}  // namespace

TroubleSource source_of_recorded(std::string_view why)
{
    if (why.starts_with(lacks_the_scope)) {
        return TroubleSource::scope;
    }
    const auto says = [&why](std::string_view part) { return why.find(part) != std::string_view::npos; };
    if (std::any_of(without_answer.begin(), without_answer.end(), says)) {
        return TroubleSource::network;
    }
    if (says("rate limited by the service")) {
        return TroubleSource::limit;
    }
    // read_canary() names the key at the end of its sentences.
    return says(": check identity.") ? TroubleSource::identity : TroubleSource::service;
}

}  // namespace shelfd::sync
