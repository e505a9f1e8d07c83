#include "oauth/keeper_rig.hpp"
#include "support/catch.hpp"

#include "runtime/async/task_group.hpp"

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a library without a set is a state, not a failure to start")
{
    KeeperRig rig;
    rig.start();
    REQUIRE(rig.keeper().status().state == TokenState::none);
    const auto token = rig.access();
    REQUIRE_FALSE(token);
    REQUIRE(token.error().kind() == ErrorKind::needs_person);
    REQUIRE(token.error().text().find("shelfctl auth import antwerp") != std::string::npos);
}

TEST_CASE("an imported set is rotated at once, so that what was pasted is dead")
{
    KeeperRig rig;
    rig.start();
    const auto pasted = rig.service.access();
    const auto outcome = rig.import(rig.service.response(), ImportMode::seal);
    REQUIRE(outcome);
    REQUIRE(outcome->sealed);
    REQUIRE(outcome->library_id == "42");
    REQUIRE(rig.service.posts == 1);
    REQUIRE(rig.service.access() != pasted);
    REQUIRE(rig.access_text() == rig.service.access());
    REQUIRE(rig.keeper().status().state == TokenState::good);
}

TEST_CASE("a set is refreshed at half of its life and survives restarts without a request")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto first = rig.service.access();
    rig.clock.advance_by(83h);
    REQUIRE(rig.service.posts == 0);
    rig.stop();
    rig.start();
    REQUIRE(rig.access_text() == first);
    REQUIRE(rig.service.posts == 0);
    rig.clock.advance_by(2h);
    REQUIRE(rig.service.posts == 1);
    REQUIRE(rig.access_text() == rig.service.access());
    REQUIRE(rig.service.access() != first);
    rig.stop();
    rig.start();
    REQUIRE(rig.access_text() == rig.service.access());
    REQUIRE(rig.service.posts == 1);
}

TEST_CASE("a set keeps the library that it was found to belong to, whatever library_id is configured since")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    CHECK(rig.keeper().status().library_id == "42");
    CHECK(rig.keeper().status().library_verified);
    rig.stop();
    rig.settings.canary.library_id = "73";
    rig.start();
    CHECK(rig.keeper().status().library_id == "73");
    CHECK_FALSE(rig.keeper().status().library_verified);
    rig.clock.advance_by(85h);
    CHECK(rig.service.posts == 1);
    CHECK_FALSE(rig.keeper().status().library_verified);
    rig.stop();
    rig.settings.canary.library_id = "";
    rig.start();
    CHECK(rig.keeper().status().library_id == "42");
    CHECK(rig.keeper().status().library_verified);
}

TEST_CASE("a restart does not make the state of a set new")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto since = rig.keeper().status().since;
    rig.clock.advance_by(std::chrono::hours(5));
    rig.kill();
    rig.start();
    CHECK(rig.keeper().status().state == TokenState::good);
    CHECK(rig.keeper().status().since == since);
}

}  // namespace
}  // namespace shelfd::oauth
