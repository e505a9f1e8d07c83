// Why a resource does not advance.
#pragma once

#include "base/result.hpp"

namespace shelfd::sync {

// Names equal the states of a table (TableState) where such a state exists.
enum class Trouble {
    none,
    passing,        // the service or the network fails; retried soon, nobody has to act
    forbidden,      // refused to this token set; only the owner can change it
    needs_person,   // a person has to change the configuration or the token set
    wrong_library,  // the token belongs to another library
    storage,        // a disk of this machine fails; retried, existing data stays readable
};

const char* to_string(Trouble trouble);

// The trouble that an error of the token keeper or the mirror means for the resource.
Trouble trouble_of(const Error& error);

}  // namespace shelfd::sync
