// What a failed request shows about the cause of trouble.
#pragma once

#include "base/result.hpp"
#include "base/state/trouble.hpp"

namespace shelfd::http {

// What the error names; else network if nothing of an answer arrived, limit for a request to wait, otherwise service.
TroubleSource source_of(const Error& error);

}  // namespace shelfd::http
