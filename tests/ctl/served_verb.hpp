// One verb against a daemon of prepared answers.
#pragma once

#include "ctl/socket_server.hpp"
#include "ctl/verb_bench.hpp"

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::ctl {

struct ServedVerb : VerbBench {
    std::vector<std::string> requests;  // of the last run

    template <typename Verb>
    ExitCode run(Verb verb, std::deque<std::string> answers)
    {
        return run(verb, context(), std::move(answers));
    }
    // With another context than that of the bench.
    template <typename Verb>
    ExitCode run(Verb verb, const Context& given, std::deque<std::string> answers)
    {
        SocketServer server(environment["SHELFD_SOCKET"], std::move(answers));
        const auto code = verb(given);
        requests = server.requests();
        return code;
    }
};

}  // namespace shelfd::ctl
