// What an error of the token keeper, the mirror or a request shows about the cause of trouble.
#pragma once

#include "base/result.hpp"
#include "sync/trouble/trouble.hpp"

namespace shelfd::sync {

TroubleSource source_of(const Error& error);

}  // namespace shelfd::sync
