// A certificate for tests of TLS, made on the spot, so that no key lies in the repository.
#pragma once

#include "base/result.hpp"
#include "sim/server.hpp"

#include <string>

namespace shelfd::sim {

// P-256, good for ten years from yesterday, for `address` (an IP address) and for "localhost".
Result<Certificate> self_signed_certificate(const std::string& address = "127.0.0.1");

}  // namespace shelfd::sim
