// A page of the service that names the library of a token; not every service has one.
#pragma once

#include "base/result.hpp"

#include <string>

namespace shelfd::ctl {

// Whether the service answers `path` with an object that has a member id, asked by the daemon on `socket` with the
// token of `library`. Errors: as of the daemon.
Result<bool> is_identity_page(const std::string& socket, const std::string& library, const std::string& path);

}  // namespace shelfd::ctl
