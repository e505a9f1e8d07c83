#include "ctl/start/identity_page.hpp"

#include "support/catch.hpp"

namespace shelfd::ctl {
namespace {

TEST_CASE("pages that usually name the owner of a token are known by their last word, and looked for beside a list")
{
    for (const auto* path : {"/rest/v1/me", "/api/v2/accounts/libraries/current/", "/whoami"}) {
        INFO(path);
        CHECK(names_owner(path));
    }
    for (const auto* path : {"/rest/v1/menus", "/me/orders", "/", ""}) {
        INFO(path);
        CHECK_FALSE(names_owner(path));
    }
    CHECK(pages_beside("/rest/v1/stock") == std::vector<std::string>{"/rest/v1/me", "/rest/me", "/me"});
    CHECK(pages_beside("/stock/") == std::vector<std::string>{"/me/"});
}

}  // namespace
}  // namespace shelfd::ctl
