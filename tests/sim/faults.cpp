#include "sim/faults.hpp"

#include "sim/pages.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::sim {

namespace {

// What stands in front of the service, or the service itself, says with this status when a script gives no body.
Reply usual_answer(int status)
{
    switch (status) {
    case 500: return django_page(500);
    case 401: {
        auto reply = refusal(401, "Authentication credentials were not provided.");
        reply.headers.push_back({"WWW-Authenticate", "Bearer realm=\"api\",error=\"invalid_token\","
                                                     "error_description=\"The access token is invalid.\""});
        return reply;
    }
    case 403: return refusal(403, "You do not have permission to perform this action.");
    case 404: return refusal(404, "Not found.");
    case 429: return refusal(429, "Request was throttled.");
    default: return nginx_page(status);
    }
}

}  // namespace

Reply Fault::replacement(const Reply& real) const
{
    // A body alone takes the place of the real one; status and headers stay the service's.
    Reply reply = status ? usual_answer(*status) : real;
    if (body) {
        reply.body = *body;
    }
    if (!content_type.empty()) {
        reply.content_type = content_type;
    }
    reply.headers.insert(reply.headers.end(), headers.begin(), headers.end());
    return reply;
}

std::optional<Fault> FaultScript::next_for(const Request& request, const std::string& library)
{
    const auto path = request.path();
    for (auto& fault : faults_) {
        const bool matches = path.starts_with(fault.path) && (fault.method.empty() || fault.method == request.method) &&
                             (fault.library.empty() || fault.library == library);
        if (!matches) {
            continue;
        }
        if (fault.skip > 0) {
            --fault.skip;
            return std::nullopt;
        }
        auto taken = fault;
        if (fault.times && --*fault.times == 0) {
            faults_.erase(faults_.begin() + (&fault - faults_.data()));
        }
        return taken;
    }
    return std::nullopt;
}

}  // namespace shelfd::sim
