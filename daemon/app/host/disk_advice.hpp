// What a person does about a disk that keeps a library, or the daemon, from starting.
#pragma once

#include "base/result.hpp"

#include <string>

namespace shelfd::app {

// For a disk that is full or mounted read-only; "" for another error.
std::string disk_advice(const Error& error);
// The error with that advice in its text; unchanged without one.
Error with_disk_advice(Error error);

}  // namespace shelfd::app
