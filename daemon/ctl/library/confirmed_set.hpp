// How `library add` takes a set that a person has to confirm, what it writes of that, and what the confirmation makes
// of it.
#pragma once

#include "ctl/library/configuration_files.hpp"

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

// An id as a value of TOML: a number only if TOML reads the same digits from it.
std::string toml_of_id(const std::string& id);

// Whether the library is paused because nobody has confirmed yet whose data its set opens.
Result<bool> waits_for_confirmation(const ConfigurationFiles& files, const std::string& library);
// Removes that pause, and writes `id` as library_id, so that sets of other libraries are refused. `id` "": no page
// names the library, and only the pause is removed. Errors: config.
Result<void> confirm_set(ConfigurationFiles& files, const std::string& library, const std::string& id);

}  // namespace shelfd::ctl
