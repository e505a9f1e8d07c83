// Why a resource does not advance.
#pragma once

#include "base/result.hpp"

namespace shelfd::sync {

// The names are the states of a table where there is such a state.
enum class Trouble {
    none,
    passing,        // the service or the network is in trouble; tried again soon, nobody has to do anything
    forbidden,      // refused to this token set; only the owner can change it
    needs_person,   // configuration, or the token set, has to be changed by a person
    wrong_library,  // the token answers as somebody else
    storage,        // a disk of this machine refuses; tried again, old data stays readable
};

const char* to_string(Trouble trouble);

// What an error of the token keeper or the mirror means for the resource.
Trouble trouble_of(const Error& error);

}  // namespace shelfd::sync
