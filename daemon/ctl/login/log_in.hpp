// A token set by logging in with a browser.
#pragma once

#include "ctl/context/context.hpp"

namespace boost::json {
class object;
}  // namespace boost::json

namespace shelfd::ctl {

// Of a library that is in no configuration yet: errors then name no verb that needs one.
struct FirstLogin {
    bool is_sent = false;  // a code was handed to the daemon
};

// Has the person log in as the owner of the library of this command, and hands the code to the daemon. Returns `done`
// and sets `answer` to the daemon's report, which is not printed; otherwise prints the error and returns its exit code.
// At a terminal, a paste that cannot be used is asked for again.
ExitCode log_in(const Context& context, boost::json::object& answer, FirstLogin* first = nullptr);

}  // namespace shelfd::ctl
