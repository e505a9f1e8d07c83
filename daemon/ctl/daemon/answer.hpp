// Requests an action from the daemon whose answer is a JSON object, and reads such an answer.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/line/exit_code.hpp"

#include <string>

namespace boost::json {
class object;
}  // namespace boost::json

namespace shelfd::ctl {

// Returns `done` and sets `answer`; otherwise prints the error and returns its exit code. After an error of the daemon,
// `answer` holds it as `error`.
ExitCode ask_to_act(const Context& context, const std::string& path, const boost::json::object& body,
                    boost::json::object& answer);
// The same for what the daemon has said already.
ExitCode read_answer(const Context& context, const Result<DaemonClient::Answer>& said, boost::json::object& answer);

}  // namespace shelfd::ctl
