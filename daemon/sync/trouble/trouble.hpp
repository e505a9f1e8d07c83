// Why a resource does not advance.
#pragma once

#include "base/result.hpp"
#include "base/state/trouble.hpp"

namespace shelfd::sync {

using shelfd::Trouble;
using shelfd::TroubleSource;

// The trouble that an error of the token keeper or the mirror means for the resource.
Trouble trouble_of(const Error& error);

}  // namespace shelfd::sync
