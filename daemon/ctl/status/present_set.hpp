// Whether the daemon has a token set of a library: a new library may find the set that an earlier one of its name left.
#pragma once

#include "ctl/context/context.hpp"

#include <string>

namespace shelfd::ctl {

enum class PresentSet {
    unknown,     // the daemon does not run, or does not know the library
    none,        // it has none
    verified,    // the service said that it is of the library in the configuration
    unverified,  // it did not, or not of this one
};

PresentSet present_set(const Context& context, const std::string& library);

inline bool is_here(PresentSet set)
{
    return set == PresentSet::verified || set == PresentSet::unverified;
}

}  // namespace shelfd::ctl
