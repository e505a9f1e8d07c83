// A token set by logging in with a browser.
#pragma once

#include "ctl/context/context.hpp"

namespace boost::json {
class object;
}  // namespace boost::json

namespace shelfd::ctl {

// Has the person log in as the owner of the library of this command, and hands the code to the daemon. Returns `done`
// and sets `answer` to the daemon's report, which is not printed; otherwise prints the error and returns its exit code.
ExitCode log_in(const Context& context, boost::json::object& answer);

}  // namespace shelfd::ctl
