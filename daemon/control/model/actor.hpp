// Who acts on a library through the control interface.
#pragma once

#include <string>

namespace shelfd::control {

// Set by the API, for `_runs` of the mirror.
struct Actor {
    std::string user = {};
    std::string verb = {};  // of shelfctl: "auth import"
};

// For what needs no more than the name of a library.
struct LibraryRequest {
    std::string library;
    Actor actor = {};
};

}  // namespace shelfd::control
