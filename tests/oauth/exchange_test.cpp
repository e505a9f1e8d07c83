// What each outcome of an exchange leads to.
#include "keeper_rig.hpp"
#include "support/catch.hpp"

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;
using Fault = TokenService::Fault;

http::Answer lost_answer()
{
    return http::Answer::failed(ErrorKind::timeout, Delivery::perhaps_sent);
}

http::Answer html_500()
{
    return http::Answer::of(500, "<html><h1>Server Error (500)</h1></html>", {{"Content-Type", "text/html"}});
}

// At the moment when the first refresh is due.
void go_to_refresh(KeeperRig& rig)
{
    rig.start();
    rig.give_set();
    rig.clock.advance_by(84h);
}

TEST_CASE("each refusal that is decided before the token is looked at leaves the set in force")
{
    struct Row {
        const char* name;
        int status;
        const char* body;
    };
    const auto row = GENERATE(values<Row>({
        {"wrong secret", 401, R"({"error": "invalid_client"})"},
        {"broken request", 400,
         R"({"error": "invalid_request", "error_description": "Missing refresh token parameter."})"},
        {"scope", 400, R"({"error": "invalid_scope"})"},
        {"grant type not allowed", 400, R"({"error": "unauthorized_client"})"},
        {"grant type unknown", 400, R"({"error": "unsupported_grant_type"})"},
        {"wrong path", 404, "<html>"},
        {"redirect", 301, ""},
        {"forbidden", 403, "<html>"},
        {"wrong method", 405, ""},
    }));
    INFO(row.name);
    KeeperRig rig;
    rig.service.faults.push_back({false, http::Answer::of(row.status, row.body)});
    go_to_refresh(rig);
    REQUIRE(rig.service.posts == 1);
    const auto status = rig.keeper().status();
    REQUIRE(status.state == TokenState::configuration);
    REQUIRE(status.needs_person);
    REQUIRE(status.access_usable);
    REQUIRE(status.deadline);
    REQUIRE(rig.access_text() == rig.service.access());
    SECTION("a corrected configuration is tried at once")
    {
        rig.kill();
        rig.start();
        rig.clock.advance_by(1s);
        REQUIRE(rig.service.rotations == 1);
        REQUIRE(rig.keeper().status().state == TokenState::good);
    }
    SECTION("a secret that was corrected in its file is tried at once")
    {
        REQUIRE(rig.keeper().read_secret_again());
        rig.clock.advance_by(1s);
        REQUIRE(rig.service.posts == 2);
        REQUIRE(rig.keeper().status().state == TokenState::good);
        REQUIRE_FALSE(rig.keeper().read_secret_again());
        rig.clock.advance_by(1s);
        REQUIRE(rig.service.posts == 2);
    }
    SECTION("the verdict survives a restart")
    {
        rig.service.wrong_client = true;
        rig.kill();
        rig.start();
        rig.clock.advance_by(1s);
        REQUIRE(rig.keeper().status().state == TokenState::configuration);
        REQUIRE(rig.access_text() == rig.service.access());
    }
}

TEST_CASE("a refresh that could not be sent costs nothing and is tried again")
{
    KeeperRig rig;
    rig.service.faults.push_back({false, http::Answer::failed(ErrorKind::network, Delivery::not_sent)});
    go_to_refresh(rig);
    rig.clock.advance_by(1h);
    REQUIRE(rig.service.rotations == 1);
    REQUIRE(rig.service.reuses == 0);
    REQUIRE(rig.access_text() == rig.service.access());
}

TEST_CASE("429 is waited for as long as it says")
{
    KeeperRig rig;
    rig.service.faults.push_back({false, http::Answer::of(429, "{}", {{"Retry-After", "600"}})});
    go_to_refresh(rig);
    rig.clock.advance_by(590s);
    REQUIRE(rig.service.posts == 1);
    rig.clock.advance_by(20s);
    REQUIRE(rig.service.rotations == 1);
}

TEST_CASE("an exchange that the service did not carry out is found by the old token, and replayed only after a "
          "gateway's time")
{
    KeeperRig rig;
    rig.service.faults.push_back({false, GENERATE(lost_answer(), html_500(), http::Answer::cut(200, ""),
                                                  http::Answer::of(502, "<html>"), http::Answer::of(200, "<html>"),
                                                  http::Answer::of(408, "{}"), http::Answer::of(400, "<html>"))});
    go_to_refresh(rig);
    REQUIRE(rig.service.posts == 1);
    REQUIRE(rig.keeper().status().state == TokenState::in_doubt);
    REQUIRE(rig.access_text() == rig.service.access());
    rig.clock.advance_by(179s);
    REQUIRE(rig.service.posts == 1);
    rig.clock.advance_by(2s);
    REQUIRE(rig.service.posts == 2);
    REQUIRE(rig.service.rotations == 1);
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(rig.access_text() == rig.service.access());
}

TEST_CASE("an answer that was lost after the service acted is asked for again at once, and a grace window gives it")
{
    KeeperRig rig;
    rig.service.grace = 120s;
    rig.service.faults.push_back({true, GENERATE(lost_answer(), html_500(), http::Answer::of(502, "<html>"),
                                                 http::Answer::cut(200, "{\"access_"))});
    go_to_refresh(rig);
    REQUIRE(rig.service.posts == 2);
    REQUIRE(rig.service.rotations == 1);
    REQUIRE(rig.service.reuses == 0);
    REQUIRE(rig.access_text() == rig.service.access());
    REQUIRE(rig.keeper().status().state == TokenState::good);
}

TEST_CASE("an answer that was lost for good is a loss that is named, and nothing is presented any more")
{
    KeeperRig rig;
    rig.service.revokes_family = GENERATE(false, true);
    rig.service.faults.push_back({true, lost_answer()});
    go_to_refresh(rig);
    REQUIRE(rig.service.posts == 2);
    const auto check = [&rig] {
        const auto status = rig.keeper().status();
        REQUIRE(status.state == TokenState::lost);
        REQUIRE(status.needs_person);
        REQUIRE_FALSE(status.access_usable);
        REQUIRE(status.do_this.find("shelfctl auth import antwerp") != std::string::npos);
        REQUIRE(rig.access().error().kind() == ErrorKind::needs_person);
    };
    check();
    rig.kill();
    rig.start();
    rig.clock.advance_by(240h);
    check();
    REQUIRE(rig.service.posts == 2);
    rig.service.issue();
    REQUIRE(rig.import(rig.service.response(), ImportMode::seal));
    REQUIRE(rig.access_text() == rig.service.access());
}

TEST_CASE("an answer cut behind the refresh token is as good as a whole one")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto whole = rig.service.response().size();
    rig.service.faults.push_back({true, http::Answer::cut(200, std::string(whole - 1, '.')).in_pieces_of(7)});
    rig.clock.advance_by(84h);
    REQUIRE(rig.service.posts == 1);
    REQUIRE(rig.access_text() == rig.service.access());
    rig.clock.advance_by(84h);
    REQUIRE(rig.service.posts == 2);
    REQUIRE(rig.service.reuses == 0);
}

TEST_CASE("an answer cut inside the refresh token is a loss, but its access token goes on working")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto whole = rig.service.response().size();
    rig.service.faults.push_back({true, http::Answer::cut(200, std::string(whole - 4, '.'))});
    rig.clock.advance_by(84h);
    const auto status = rig.keeper().status();
    REQUIRE(status.state == TokenState::lost);
    REQUIRE(status.access_usable);
    REQUIRE(status.deadline);
    REQUIRE(rig.access_text() == rig.service.access());
    rig.kill();
    rig.start();
    REQUIRE(rig.access_text() == rig.service.access());
    REQUIRE(rig.keeper().status().state == TokenState::lost);
    rig.clock.advance_by(170h);
    REQUIRE(rig.access().error().kind() == ErrorKind::needs_person);
    REQUIRE(rig.service.posts == 2);
}

TEST_CASE("a set that somebody else rotated is named so, presented once, and used while its access token lives")
{
    KeeperRig rig;
    rig.service.kills_old_access = false;
    rig.start();
    rig.give_set();
    const auto ours = rig.service.access();
    rig.service.rotate_elsewhere();
    rig.clock.advance_by(84h);
    const auto status = rig.keeper().status();
    REQUIRE(status.state == TokenState::foreign);
    REQUIRE(status.needs_person);
    REQUIRE(rig.service.posts == 1);
    REQUIRE(rig.access_text() == ours);
    rig.clock.advance_by(240h);
    REQUIRE(rig.service.posts == 1);
    REQUIRE(rig.access().error().kind() == ErrorKind::needs_person);
}

TEST_CASE("a service that answers 500 for ever gets a person after a day, and syncing goes on until the token ends")
{
    KeeperRig rig;
    for (int i = 0; i < 400; ++i) {
        rig.service.faults.push_back({false, html_500()});
    }
    go_to_refresh(rig);
    REQUIRE_FALSE(rig.keeper().status().needs_person);
    rig.clock.advance_by(25h);
    const auto status = rig.keeper().status();
    REQUIRE(status.state == TokenState::in_doubt);
    REQUIRE(status.needs_person);
    REQUIRE(status.access_usable);
    REQUIRE(rig.access_text() == rig.service.access());
    REQUIRE(rig.service.posts < 40);
    rig.service.faults.clear();
    rig.clock.advance_by(2h);
    REQUIRE(rig.keeper().status().state == TokenState::good);
}

TEST_CASE("an access token that had ended before the exchange proves nothing: the replay comes by the clock")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.service.expire_access();
    rig.service.grace = 1h;
    rig.service.faults.push_back({true, html_500()});
    rig.service.faults.push_back({false, html_500()});
    REQUIRE_FALSE(rig.run(rig.keeper().reject(1, "Bearer error_description=\"The access token has expired.\"")));
    REQUIRE(rig.service.posts == 1);
    rig.clock.advance_by(1s);
    REQUIRE(rig.service.posts == 2);
    rig.clock.advance_by(4s);
    REQUIRE(rig.service.posts == 2);
    rig.clock.advance_by(1s);
    REQUIRE(rig.service.posts == 3);
    REQUIRE(rig.access_text() == rig.service.access());
}

TEST_CASE("an answer that is long for its scope, or for its tokens, is kept like any other")
{
    struct Row {
        const char* name;
        std::size_t access, refresh, scope;
    };
    const auto row = GENERATE(values<Row>(
        {{"a scope of 10 KB", 30, 30, 10'000}, {"a scope of 40 KB", 30, 30, 40'000}, {"long tokens", 8000, 6000, 20}}));
    INFO(row.name);
    KeeperRig rig;
    const std::string access(row.access, 'a'), refresh(row.refresh, 'r'), scope(row.scope, 's');
    rig.service.faults.push_back(
        {true, http::Answer::ok(R"({"access_token": ")" + access + R"(", "expires_in": 604800, "scope": ")" + scope +
                                R"(", "refresh_token": ")" + refresh + "\"}")});
    go_to_refresh(rig);
    const auto check = [&] {
        REQUIRE(rig.keeper().status().state == TokenState::good);
        REQUIRE(rig.keeper().status().generation == 2);
        REQUIRE(rig.keeper().status().fingerprint == fingerprint(Secret(refresh)));
        REQUIRE(rig.access_text() == access);
    };
    check();
    rig.kill();
    rig.start();
    check();
}

TEST_CASE("tokens that no record holds are a loss with words of its own: not tried for ever, and no stop waits for it")
{
    KeeperRig rig;
    const std::string access(9000, 'a'), refresh(9000, 'r');
    rig.service.faults.push_back(
        {true, http::Answer::ok(R"({"access_token": ")" + access + R"(", "refresh_token": ")" + refresh + "\"}")});
    go_to_refresh(rig);
    const auto status = rig.keeper().status();
    REQUIRE(status.state == TokenState::lost);
    REQUIRE(status.reason.find("15 KiB") != std::string::npos);
    REQUIRE(status.do_this.find("shorter tokens") != std::string::npos);
    REQUIRE(rig.access_text() == access);
    REQUIRE_FALSE(rig.keeper().exchange_in_flight());
    const auto lines = rig.log_lines.size();
    rig.clock.advance_by(1h);
    REQUIRE(rig.log_lines.size() == lines);
    rig.stop();
    rig.start();
    REQUIRE(rig.keeper().status().state == TokenState::lost);
    REQUIRE(rig.access_text() == access);
    rig.service.issue();
    REQUIRE(rig.import(rig.service.response(), ImportMode::seal));
    REQUIRE(rig.keeper().status().state == TokenState::good);
}

TEST_CASE("a service that sends no new refresh token keeps the old one in force")
{
    KeeperRig rig;
    rig.service.rotates = false;
    rig.start();
    const auto response =
        R"({"access_token": ")" + rig.service.access() + R"(", "refresh_token": ")" + rig.service.refresh() + R"("})";
    REQUIRE(rig.import(response, ImportMode::leave_alone));
    rig.clock.advance_by(84h);
    rig.clock.advance_by(84h);
    REQUIRE(rig.service.posts == 2);
    REQUIRE(rig.access_text() == rig.service.access());
    REQUIRE(rig.keeper().status().learned.rotates == std::optional<bool>(false));
}

TEST_CASE("the facts about the service are measured and survive a restart")
{
    KeeperRig rig;
    rig.service.kills_old_access = GENERATE(true, false);
    rig.start();
    rig.give_set();
    rig.clock.advance_by(84h);
    rig.clock.advance_by(84h);
    rig.stop();
    rig.start();
    const auto learned = rig.keeper().status().learned;
    REQUIRE(learned.canary_refuses == std::optional<bool>(true));
    REQUIRE(learned.old_token_dies == std::optional<bool>(rig.service.kills_old_access));
    REQUIRE(learned.rotates == std::optional<bool>(true));
}

TEST_CASE("a stop waits for the exchange under way and for nothing else")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    SECTION("the answer comes after the stop was asked for")
    {
        rig.service.faults.push_back({true, http::Answer().after(20s)});
        rig.clock.advance_by(84h);
        REQUIRE(rig.keeper().exchange_in_flight());
        const auto before = rig.clock.boot_now();
        rig.stop();
        REQUIRE(rig.clock.boot_now() - before == 20s);
        rig.start();
        REQUIRE(rig.access_text() == rig.service.access());
        REQUIRE(rig.service.posts == 1);
    }
    SECTION("nothing is under way")
    {
        const auto before = rig.clock.boot_now();
        rig.stop();
        REQUIRE(rig.clock.boot_now() == before);
    }
}

TEST_CASE("no secret ever appears in a log line or in the status")
{
    KeeperRig rig;
    rig.service.faults.push_back({false, html_500()});
    rig.service.faults.push_back({true, http::Answer::cut(200, "{\"access_token\": \"xxxxx")});
    go_to_refresh(rig);
    rig.clock.advance_by(500h);
    const auto status = rig.keeper().status();
    std::string text = status.reason + status.do_this + status.next + status.fingerprint + status.storage_trouble;
    for (const auto& line : rig.log_lines) {
        text += line + "\n";
    }
    for (const auto& secret : rig.service.secrets) {
        REQUIRE(text.find(secret) == std::string::npos);
    }
    REQUIRE(text.find("client secret") == std::string::npos);
    REQUIRE_FALSE(rig.log_lines.empty());
}

}  // namespace
}  // namespace shelfd::oauth
