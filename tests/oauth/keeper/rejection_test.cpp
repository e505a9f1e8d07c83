// What a 401 leads to.
#include "oauth/keeper_rig.hpp"
#include "support/catch.hpp"

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

constexpr const char* says_invalid =
    R"(Bearer realm="api",error="invalid_token",error_description="The access token is invalid.")";
constexpr const char* says_expired =
    R"(Bearer realm="api",error="invalid_token",error_description="The access token has expired.")";

TEST_CASE("twenty reports of one dead token lead to one exchange, and all get the new token")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.service.expire_access();
    TaskGroup reporters(rig.loop.get_executor());
    std::size_t helped = 0;
    auto report = [&rig, &helped]() -> asio::awaitable<void> {
        const auto token = co_await rig.keeper().reject(1, says_expired);
        helped += token && token->generation == 2 && token->token->reveal() == rig.service.access() ? 1 : 0;
    };
    for (int i = 0; i < 20; ++i) {
        reporters.spawn(report());
    }
    rig.run(reporters.join());
    REQUIRE(helped == 20);
    REQUIRE(rig.service.posts == 1);
    const auto late = rig.run(rig.keeper().reject(1, says_expired));
    REQUIRE(late);
    REQUIRE(late->generation == 2);
    REQUIRE(rig.service.posts == 1);
}

TEST_CASE("a 401 for a token that has just arrived is not mistaken for one for the token before")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.service.expire_access();
    rig.service.faults.push_back({true, http::Answer().after(5s)});
    TaskGroup reporters(rig.loop.get_executor());
    std::vector<Result<AccessToken>> outcomes;
    auto report = [&rig, &outcomes](std::uint64_t generation) -> asio::awaitable<void> {
        outcomes.push_back(co_await rig.keeper().reject(generation, says_expired));
    };
    reporters.spawn(report(1));
    rig.clock.advance_by(3s);
    // The new set is durable, and what became of the old token is being asked.
    rig.service.canary_fault = http::Answer::of(401, "{}").after(20s);
    rig.clock.advance_by(4s);
    rig.service.canary_fault.reset();
    REQUIRE(rig.service.posts == 1);
    reporters.spawn(report(2));
    rig.run(reporters.join());
    REQUIRE(outcomes.size() == 2);
    REQUIRE(outcomes[0]);
    REQUIRE(outcomes[0]->generation == 2);
    // The canary was asked about the new one.
    REQUIRE_FALSE(outcomes[1]);
    REQUIRE(outcomes[1].error().kind() == ErrorKind::refused);
    REQUIRE(outcomes[1].error().status == 401);
    REQUIRE(rig.service.posts == 1);
}

TEST_CASE("a 401 on one resource while the canary accepts the token spends nothing")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto token = rig.run(rig.keeper().reject(1, says_invalid));
    REQUIRE_FALSE(token);
    REQUIRE(token.error().kind() == ErrorKind::refused);
    REQUIRE(token.error().status == 401);
    REQUIRE(rig.service.posts == 0);
    REQUIRE(rig.access_text() == rig.service.access());
}

TEST_CASE("a 401 that cannot be confirmed spends nothing")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.service.expire_access();
    struct Row {
        const char* name;
        http::Answer canary;
    };
    const std::vector<Row> rows = {
        {"no connection", http::Answer::failed(ErrorKind::network, Delivery::not_sent)},
        {"time-out", http::Answer::failed(ErrorKind::timeout, Delivery::perhaps_sent)},
        {"server error", http::Answer::of(500, "<html>")},
        {"captive portal", http::Answer::of(200, "<html>log in</html>", {{"Content-Type", "text/html"}})},
        {"redirect", http::Answer::of(302, "", {{"Location", "https://elsewhere.example"}})},
        {"401 of a proxy", http::Answer::of(401, "", {{"WWW-Authenticate", "Basic realm=\"proxy\""}})},
        {"403 in HTML", http::Answer::of(403, "<html>")},
        {"throttled", http::Answer::of(429, "{}", {{"Retry-After", "60"}})},
        {"an answer without the identity", http::Answer::ok(R"({"name":"public"})")},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        rig.service.canary_fault = row.canary;
        const auto token = rig.run(rig.keeper().reject(1, says_expired));
        REQUIRE_FALSE(token);
        REQUIRE(token.error().kind() != ErrorKind::refused);
        REQUIRE(token.error().kind() != ErrorKind::needs_person);
        REQUIRE(rig.service.posts == 0);
    }
    rig.service.canary_fault.reset();
    REQUIRE(rig.run(rig.keeper().reject(1, says_expired)));
    REQUIRE(rig.service.posts == 1);
}

TEST_CASE("a canary that accepts any token cannot contradict a token that has expired")
{
    KeeperRig rig;
    rig.service.canary_is_open = true;
    rig.start();
    rig.give_set();
    SECTION("the 401 does not say expired: nobody knows, and that is said")
    {
        const auto token = rig.run(rig.keeper().reject(1, says_invalid));
        REQUIRE_FALSE(token);
        REQUIRE(token.error().kind() == ErrorKind::needs_person);
        REQUIRE(token.error().text() == unconfirmed_refusal);
        REQUIRE(rig.service.posts == 0);
        REQUIRE(rig.keeper().status().learned.canary_refuses == std::optional<bool>(false));
    }
    SECTION("the 401 says expired: the token is refreshed")
    {
        REQUIRE(rig.run(rig.keeper().reject(1, says_expired)));
        REQUIRE(rig.service.posts == 1);
    }
}

TEST_CASE("where the canary accepts any token, the address that refused confirms a dead token")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    SECTION("from the start") {}
    SECTION("after it refused wrong tokens for a while")
    {
        REQUIRE_FALSE(rig.run(rig.keeper().reject(1, says_invalid)));
        REQUIRE(rig.keeper().status().learned.canary_refuses == std::optional<bool>(true));
        rig.clock.advance_by(2h);
    }
    rig.service.canary_is_open = true;
    CanarySpec refuser;
    refuser.url = "https://api.example.com/list/";
    rig.service.private_path = "/list/";
    SECTION("the token is dead: it is refreshed once, and used")
    {
        rig.service.revoke_access();
        const auto token = rig.run(rig.keeper().reject(1, says_invalid, refuser));
        REQUIRE(token);
        REQUIRE(token->token->reveal() == rig.service.access());
        REQUIRE(rig.service.posts == 1);
    }
    SECTION("the address accepts the token now: nothing is spent")
    {
        const auto token = rig.run(rig.keeper().reject(1, says_invalid, refuser));
        REQUIRE_FALSE(token);
        REQUIRE(token.error().kind() != ErrorKind::needs_person);
        REQUIRE(rig.service.posts == 0);
    }
    SECTION("the address accepts any token, too")
    {
        rig.service.private_path.clear();
        const auto token = rig.run(rig.keeper().reject(1, says_invalid, refuser));
        REQUIRE_FALSE(token);
        REQUIRE(token.error().text() == unconfirmed_refusal);
        REQUIRE(rig.service.posts == 0);
    }
}

TEST_CASE("a service that refuses every token it gives is asked ever less often")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.clock.advance_by(24h);
    const auto start = rig.clock.boot_now();
    // The canary refuses whatever it is given from now on.
    rig.service.canary_fault = http::Answer::of(401, "{}", {{"WWW-Authenticate", says_expired}});
    for (int minute = 0; minute < 24 * 60; ++minute) {
        const auto status = rig.keeper().status();
        static_cast<void>(rig.run(rig.keeper().reject(status.generation, says_expired)));
        rig.clock.advance_to(start + std::chrono::minutes(minute + 1));
    }
    REQUIRE(rig.service.posts >= 5);
    REQUIRE(rig.service.posts <= 24);
}

TEST_CASE("an older generation is answered with the present token, without a question")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    REQUIRE(rig.import(rig.service.response(), ImportMode::seal).has_value() == false);  // the same set again
    rig.service.issue();
    REQUIRE(rig.import(rig.service.response(), ImportMode::seal));
    const auto asked = rig.client.seen().size();
    const auto token = rig.run(rig.keeper().reject(1, says_invalid));
    REQUIRE(token);
    REQUIRE(token->token->reveal() == rig.service.access());
    REQUIRE(rig.client.seen().size() == asked);
}

}  // namespace
}  // namespace shelfd::oauth
