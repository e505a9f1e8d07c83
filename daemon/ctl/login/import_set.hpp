// A token set that a person pastes.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "ctl/context/context.hpp"
#include "ctl/daemon/client.hpp"

namespace boost::json {
class object;
}  // namespace boost::json

namespace shelfd::ctl {

// The set of the library of this command, as it is pasted. Errors: as of reading.
Result<Secret> read_pasted_set(const Context& context);
// After Ctrl-C, for people: that no set was taken, and how to go on. `verb`: "import".
void tell_of_kept_set(const Context& context, const std::string& verb);
// What the daemon says to it.
Result<DaemonClient::Answer> hand_over_set(const Context& context, Secret pasted);

// Reads the set of the library of this command, and hands it to the daemon. Returns `done` and sets `answer` to the
// daemon's report, which is not printed; otherwise prints the error, returns its exit code, and sets `answer` as
// read_answer does.
ExitCode import_set(const Context& context, boost::json::object& answer);

}  // namespace shelfd::ctl
