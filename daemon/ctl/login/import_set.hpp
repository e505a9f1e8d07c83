// A token set that a person pastes.
#pragma once

#include "ctl/context/context.hpp"

namespace boost::json {
class object;
}  // namespace boost::json

namespace shelfd::ctl {

// Reads the set of the library of this command, and hands it to the daemon. Returns `done` and sets `answer` to the
// daemon's report, which is not printed; otherwise prints the error, returns its exit code, and sets `answer` as
// read_answer does.
ExitCode import_set(const Context& context, boost::json::object& answer);

}  // namespace shelfd::ctl
