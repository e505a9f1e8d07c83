#include "base/accounts/accounts.hpp"

#include "support/catch.hpp"

using namespace shelfd;

TEST_CASE("users and groups are found by name, and a name that nobody has is no error")
{
    CHECK(find_group("root").value() == std::optional<gid_t>(0));
    CHECK(find_user("root").value() == std::optional<uid_t>(0));
    CHECK_FALSE(find_group("shelfd-no-such-group").value());
    CHECK_FALSE(find_user("shelfd-no-such-user").value());
    CHECK_FALSE(find_account("shelfd-no-such-name").value());
}

TEST_CASE("a name is that of a group first, then that of a user")
{
    // In every Debian: a group and a user of that name, with different numbers.
    const auto both = find_account("games").value();
    REQUIRE(both);
    CHECK(*both == Account{Account::Kind::group, 60, "games"});
    // A user without a group of that name.
    const auto user = find_account("sync").value();
    REQUIRE(user);
    CHECK(*user == Account{Account::Kind::user, 4, "sync"});
}

TEST_CASE("a user without a name is called by the number")
{
    CHECK(name_of_user(0) == "root");
    CHECK(name_of_user(4'000'000'000U) == "uid 4000000000");
}
