// A page of the service that names the library of a token; not every service has one.
#pragma once

#include "base/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::ctl {

struct IdentityPage {
    std::string path;
    std::string field;
    std::string user_field = {};  // "" = none
    std::string id = {};          // what the page says of this token
    std::string name = {};        // "" = it does not say
};

// nullopt unless the service answers `path` with an object that has a member id, asked by the daemon on `socket` with
// the token of `library`. Errors: as of the daemon.
Result<std::optional<IdentityPage>> find_identity_page(const std::string& socket, const std::string& library,
                                                       const std::string& path);

// Whether a page with that path usually names the owner of a token: "/rest/v1/me".
bool names_owner(std::string_view path);
// Where such a page may be: "/rest/v1/me", "/rest/me" and "/me" for the list "/rest/v1/stock".
std::vector<std::string> pages_beside(const std::string& list);
// The first of these pages that names the owner; "" = none of the first three does. Such a page may name a person, who
// may have several libraries: a proposal only. A request for each page that is tried.
std::string propose_identity(const std::string& socket, const std::string& library,
                             const std::vector<std::string>& pages);
// The sentence about it.
std::string identity_proposal(const std::string& page);

}  // namespace shelfd::ctl
