// Whether the page of `identity` names a library, and which member names the user.
#pragma once

#include <string>
#include <string_view>

namespace shelfd::oauth {

struct IdentityPage {
    bool names_library = false;   // in the member `field`
    std::string user_field = {};  // the member that plainly has the id of the user, like "user.id"; "" = none
};

// Pure. All empty if `body` is not JSON, or does not name a library as the canary needs it.
IdentityPage read_identity_page(std::string_view body, std::string_view field);

}  // namespace shelfd::oauth
