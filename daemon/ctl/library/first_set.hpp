// The token set of a library that was just added: taken from a person, who also says whether it is the right one.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/library/set_identity.hpp"

#include <string>

namespace shelfd::ctl {

// A library without the set that is to be taken now.
struct SetlessLibrary {
    std::string file;      // of its configuration
    bool has_set = false;  // kept since the name was configured before
    bool waits = false;    // somebody must confirm whose data the set opens, before anything is fetched
};

// Takes the set, or says what is left and how to continue, also after Ctrl-C: during the exchange of a set that waits
// for its answer. With --json it prints nothing to standard output: the verb prints one document.
ExitCode take_first_set(const Context& context, const SetlessLibrary& library);

// Whether the person agrees; asked on the terminal until the answer is yes or no. The end of the input and Ctrl-C are
// no.
bool agrees(const Context& context, const SetIdentity& found);

}  // namespace shelfd::ctl
