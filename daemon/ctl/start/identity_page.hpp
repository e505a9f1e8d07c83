// A page of the service that names the library of a token; not every service has one.
#pragma once

#include "base/result.hpp"

#include <optional>
#include <string>

namespace shelfd::ctl {

struct IdentityPage {
    std::string path;
    std::string field;
    std::string user_field = {};  // "" = none
};

// nullopt unless the service answers `path` with an object that has a member id, asked by the daemon on `socket` with
// the token of `library`. Errors: as of the daemon.
Result<std::optional<IdentityPage>> find_identity_page(const std::string& socket, const std::string& library,
                                                       const std::string& path);

}  // namespace shelfd::ctl
