// A set from an authorization code.
#include "oauth/keeper_rig.hpp"
#include "support/catch.hpp"

#include <algorithm>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

const std::string verifier = "a-verifier-that-nobody-can-guess-0123456789";

CodeGrant grant_of(const std::string& code)
{
    return {Secret(std::string(code)), Secret(std::string(verifier)), "http://127.0.0.1:8123/"};
}

Result<ImportOutcome> log_in(KeeperRig& rig)
{
    return rig.run(rig.keeper().redeem(grant_of(rig.service.new_code(verifier))));
}

// Also after a crash.
void check_in_force(KeeperRig& rig, const std::string& access)
{
    CHECK(rig.access_text() == access);
    rig.kill();
    rig.start();
    CHECK(rig.access_text() == access);
    CHECK(rig.keeper().status().state == TokenState::good);
}

TEST_CASE("a login gives a set that needs no sealing, and it survives a restart")
{
    KeeperRig rig;
    rig.start();
    const auto outcome = log_in(rig);
    REQUIRE(outcome);
    CHECK(outcome->library_id == "42");
    CHECK(outcome->scope == "accounts library");
    CHECK(outcome->text.find("needs no sealing") != std::string::npos);
    CHECK(rig.service.posts == 1);
    CHECK(rig.access_text() == rig.service.access());
    CHECK(rig.keeper().status().state == TokenState::good);
    rig.kill();
    rig.start();
    CHECK(rig.access_text() == rig.service.access());
    rig.clock.advance_by(85h);
    CHECK(rig.service.rotations == 1);
    CHECK(rig.access_text() == rig.service.access());
}

TEST_CASE("a set from a login stays its user's own through restarts and refreshes, and an imported one is none")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    CHECK_FALSE(rig.keeper().status().from_login);
    REQUIRE(log_in(rig));
    CHECK(rig.keeper().status().from_login);
    rig.kill();
    rig.start();
    CHECK(rig.keeper().status().from_login);
    rig.clock.advance_by(85h);
    REQUIRE(rig.service.rotations >= 1);
    CHECK(rig.keeper().status().from_login);
    rig.kill();
    rig.start();
    CHECK(rig.keeper().status().from_login);
}

TEST_CASE("the request for a code is a form that holds code, verifier and the address of the redirect")
{
    const TokenEndpoint endpoint{"https://api.example.com", "client", ClientAuth::body, {}, {}};
    const auto request = make_code_request(endpoint, grant_of("a+code"), Secret("secret"));
    CHECK(request.url == "https://api.example.com/oauth/token/");
    CHECK(request.connection == http::Connection::one_shot);
    CHECK(request.body.reveal() == "grant_type=authorization_code&code=a%2Bcode&redirect_uri=http%3A%2F%2F127.0.0.1%"
                                   "3A8123%2F&code_verifier=" +
                                       verifier + "&client_id=client&client_secret=secret");
}

TEST_CASE("a code that does not give a set changes nothing and says how to go on")
{
    struct Row {
        const char* name;
        http::Answer answer;
        const char* says;
    };
    const auto row = GENERATE(values<Row>({
        {"too old", http::Answer::of(400, R"({"error": "invalid_grant"})"), "valid for one minute"},
        {"wrong secret", http::Answer::of(401, R"({"error": "invalid_client"})"), "client_secret"},
        {"too many", http::Answer::of(429, "{}"), "asked shelfd to wait"},
        {"broken service", http::Answer::of(500, ""), "did not arrive"},
        {"no answer", http::Answer::failed(ErrorKind::timeout, Delivery::perhaps_sent), "did not arrive"},
        {"no connection", http::Answer::failed(ErrorKind::network, Delivery::not_sent), "could not be sent"},
        {"cut", http::Answer::cut(200, R"({"access_token": "abc)"), "did not arrive"},
    }));
    INFO(row.name);
    KeeperRig rig;
    const auto had_set = GENERATE(true, false);
    rig.start();
    if (had_set) {
        rig.give_set();
    }
    rig.service.faults.push_back({false, row.answer});
    const auto outcome = log_in(rig);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().text().find(row.says) != std::string::npos);
    CHECK(outcome.error().text().find("shelfctl auth login antwerp") != std::string::npos);
    for (int start = 0; start < 2; ++start) {
        CHECK(rig.keeper().status().state == (had_set ? TokenState::good : TokenState::none));
        CHECK((rig.keeper().status().reason == "no token set was imported yet") != had_set);
        if (had_set) {
            CHECK(rig.access_text() == rig.service.access());
        }
        rig.kill();
        rig.start();
    }
    CHECK(log_in(rig));
    CHECK(rig.access_text() == rig.service.access());
}

TEST_CASE("a login as another library is refused, and the set before stays in force")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto ours = rig.service.access();
    rig.client.handle([&rig](const http::SeenRequest& request) {
        auto answer = rig.service.answer(request);
        if (request.body.find("authorization_code") != std::string::npos) {
            rig.service.library_of[rig.service.access()] = "7";
        }
        return answer;
    });
    const auto outcome = log_in(rig);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().text().find("another library") != std::string::npos);
    CHECK(rig.keeper().status().failed_login.find("another library") != std::string::npos);
    check_in_force(rig, ours);
}

TEST_CASE("a set of a login waits behind a list that nobody may read, and is taken once another page answers")
{
    KeeperRig rig;
    rig.settings.canary.identity_field.clear();  // a list stands in for the page of `identity`
    rig.start();
    rig.service.canary_fault = http::Answer::of(403, R"({"detail": "Not for you."})");
    const auto outcome = log_in(rig);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().kind() == ErrorKind::busy);
    CHECK(rig.keeper().status().failed_login.empty());
    CHECK(rig.keeper().status().reason.find("waits until its library is known") != std::string::npos);
    rig.service.canary_fault.reset();
    rig.keeper().try_again();
    rig.clock.advance_by(1s);
    CHECK(rig.access_text() == rig.service.access());
    CHECK(rig.service.posts == 1);
}

TEST_CASE("a login that fails later is told in the status until the next one")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    CHECK(rig.keeper().status().failed_login.empty());
    rig.service.canary_fault = http::Answer::of(502, "");
    REQUIRE_FALSE(log_in(rig));  // its set waits for the canary, which is said as the reason
    CHECK(rig.keeper().status().failed_login.empty());
    rig.service.library_of[rig.service.access()] = "7";
    rig.service.canary_fault.reset();
    rig.clock.advance_by(16min);
    const auto failed = rig.keeper().status().failed_login;
    CHECK(failed.starts_with("at 20"));
    CHECK(failed.find("another library") != std::string::npos);
    CHECK(rig.keeper().status().state == TokenState::good);
    REQUIRE(log_in(rig));
    CHECK(rig.keeper().status().failed_login.empty());
}

TEST_CASE("a set that cannot be tried yet waits, also through a crash, and is taken when it can be")
{
    KeeperRig rig;
    rig.start();
    const auto had_set = GENERATE(true, false);
    if (had_set) {
        rig.give_set();
    }
    const auto ours = rig.service.access();
    rig.service.canary_fault = http::Answer::of(502, "");
    const auto outcome = log_in(rig);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().kind() == ErrorKind::busy);
    CHECK(rig.keeper().status().reason.find("is known (the check of the token: ") != std::string::npos);
    CHECK(rig.keeper().status().needs_person != had_set);
    const auto again = log_in(rig);
    REQUIRE_FALSE(again);
    CHECK(again.error().kind() == ErrorKind::busy);
    const auto is_killed = GENERATE(true, false);
    if (is_killed) {
        rig.kill();
        rig.start();
    }
    rig.clock.advance_by(100h);  // past the half-life of the old set
    CHECK(rig.service.posts == 1);
    if (had_set) {
        CHECK(rig.access_text() == ours);
    }
    rig.service.canary_fault.reset();
    rig.clock.advance_by(16min);
    CHECK(rig.access_text() == rig.service.access());
    CHECK(rig.keeper().status().state == TokenState::good);
    CHECK(rig.keeper().status().next.empty());
}

TEST_CASE(
    "a set that waits for ever holds nobody up who asks for a token, is said once, and is asked about at a reload")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.service.canary_fault =
        GENERATE(true, false) ? http::Answer::of(503, "", {{"Retry-After", "999999999"}}) : http::Answer::of(404, "");
    REQUIRE_FALSE(log_in(rig));
    const auto asked = rig.client.seen().size();
    rig.clock.advance_by(200h);  // the access token of the set in force has ended
    CHECK(rig.client.seen().size() - asked >= 190);
    CHECK(rig.client.seen().size() - asked <= 900);
    const auto token = rig.access();
    REQUIRE_FALSE(token);
    CHECK(token.error().kind() == ErrorKind::needs_person);
    CHECK(rig.keeper().status().needs_person);
    rig.run(rig.keeper().wait_idle());
    CHECK(std::count_if(rig.log_lines.begin(), rig.log_lines.end(), [](const std::string& line) {
              return line.find("a login is not completed") != std::string::npos;
          }) == 1);
    rig.service.canary_fault.reset();
    rig.keeper().try_again();
    rig.clock.advance_by(1s);
    CHECK(rig.access_text() == rig.service.access());
}

TEST_CASE("nothing but a person who gives it up destroys a set that waits")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.kill();
    rig.settings.machine_id = "another machine";
    rig.start();
    rig.service.canary_fault = http::Answer::of(503, "");
    REQUIRE_FALSE(log_in(rig));
    const auto theirs = rig.service.access();
    rig.service.canary_fault.reset();
    CHECK(rig.keeper().status().do_this.find("adopt") == std::string::npos);
    SECTION("adoption and import are refused, and it is taken when it can be")
    {
        const auto adopted = rig.run(rig.keeper().adopt());
        REQUIRE_FALSE(adopted);
        CHECK(adopted.error().kind() == ErrorKind::busy);
        for (const auto mode : {ImportMode::seal, ImportMode::access_only}) {
            const auto imported = rig.import(rig.service.response(), mode, Destroying::wanted);
            REQUIRE_FALSE(imported);
            CHECK(imported.error().text().find("this would destroy it") != std::string::npos);
        }
        rig.clock.advance_by(1min);
        CHECK(rig.access_text() == theirs);
    }
    SECTION("forgetting it is meant")
    {
        REQUIRE(rig.run(rig.keeper().forget()));
        CHECK(rig.keeper().status().state == TokenState::none);
    }
}

TEST_CASE("a login that gives an access token alone leaves a set that renews itself in force")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto ours = rig.service.access();
    rig.client.handle([&rig](const http::SeenRequest& request) {
        auto answer = rig.service.answer(request);
        const auto lonely = R"({"expires_in": 604800, "access_token": ")" + rig.service.access() + "\"}";
        return request.method == http::Method::post ? http::Answer::ok(lonely) : std::move(answer);
    });
    const auto outcome = log_in(rig);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().text().find("has a set that can be refreshed") != std::string::npos);
    check_in_force(rig, ours);
}

TEST_CASE("a login ends a loss, and what was in doubt before a login that failed is in doubt after it")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.service.faults.push_back({true, http::Answer::failed(ErrorKind::timeout, Delivery::perhaps_sent)});
    rig.service.faults.push_back({false, http::Answer::of(502, "")});
    rig.clock.advance_by(84h);
    REQUIRE(rig.keeper().status().state == TokenState::in_doubt);
    rig.service.faults = {{false, http::Answer::of(400, R"({"error": "invalid_grant"})")}};
    REQUIRE_FALSE(log_in(rig));
    CHECK(rig.keeper().status().state == TokenState::in_doubt);
    rig.kill();
    rig.start();
    CHECK(rig.keeper().status().state == TokenState::in_doubt);
    rig.clock.advance_by(2h);
    CHECK(rig.keeper().status().state == TokenState::lost);
    REQUIRE(log_in(rig));
    CHECK(rig.keeper().status().state == TokenState::good);
    CHECK(rig.access_text() == rig.service.access());
}

TEST_CASE("killed at every disk call of a login, the old set or the new one is in force, and the new one once it came")
{
    std::size_t calls = 0;
    std::size_t taken = 0;
    for (std::size_t kill_at = 0; kill_at <= calls; ++kill_at) {
        KeeperRig rig;
        rig.start();
        rig.give_set();
        const auto ours = rig.service.access();
        std::size_t call = 0;
        bool landed = false;
        rig.disk.on_call = [&](const storage::DiskCall& done) {
            if (rig.is_dead()) {
                return;
            }
            if (call++ == kill_at) {
                rig.die();
                return;
            }
            // A piece of the answer went to the disk before.
            landed = landed || (done.kind == storage::DiskCall::Kind::write && done.bytes.size() < header_size);
        };
        auto work = rig.keeper().redeem(grant_of(rig.service.new_code(verifier)));
        bool is_done = false;
        auto attempt = [](asio::awaitable<Result<ImportOutcome>> redeeming, bool& done) -> asio::awaitable<void> {
            static_cast<void>(co_await std::move(redeeming));
            done = true;
        };
        {
            TaskGroup group(rig.loop.get_executor());
            group.spawn(attempt(std::move(work), is_done));
            rig.clock.advance_by(10min);
            calls = kill_at == 0 ? calls : std::max(calls, call);
            rig.disk.on_call = {};
            rig.kill();
            group.cancel();
            rig.run(group.join());
        }
        calls = std::max(calls, call);
        INFO("killed at call " << kill_at << " of " << calls);
        rig.start();
        rig.clock.advance_by(1min);
        const auto token = rig.access_text();
        REQUIRE((token == ours || token == rig.service.access()));
        REQUIRE(rig.service.posts <= 1);
        REQUIRE((!landed || token == rig.service.access()));
        REQUIRE(rig.keeper().status().state == TokenState::good);
        taken += token == rig.service.access() && token != ours ? 1 : 0;
    }
    WARN(calls << " disk calls of a login, " << taken << " deaths after which the new set is in force");
    REQUIRE(taken > 2);
    REQUIRE(taken < calls);
}

TEST_CASE("a stop in the middle of a login waits for the answer, and the next start goes on with the set")
{
    KeeperRig rig;
    rig.start();
    rig.client.handle([&rig](const http::SeenRequest& request) {
        auto answer = rig.service.answer(request);
        const bool is_post = request.method == http::Method::post;
        return is_post ? std::move(answer).after(5s) : answer;
    });
    TaskGroup group(rig.loop.get_executor());
    auto redeem = [](TokenKeeper& keeper, CodeGrant grant) -> asio::awaitable<void> {
        auto redeeming = keeper.redeem(std::move(grant));
        const auto outcome = co_await std::move(redeeming);
        CHECK_FALSE(outcome);
    };
    group.spawn(redeem(rig.keeper(), grant_of(rig.service.new_code(verifier))));
    rig.clock.advance_by(1s);
    CHECK(rig.keeper().exchange_in_flight());
    rig.stop();
    rig.run(group.join());
    rig.start();
    rig.clock.advance_by(1s);
    CHECK(rig.service.posts == 1);
    CHECK(rig.access_text() == rig.service.access());
}

TEST_CASE("no code, verifier or token of a login is ever said")
{
    KeeperRig rig;
    rig.start();
    rig.service.faults.push_back({false, http::Answer::of(400, R"({"error": "invalid_grant"})")});
    std::string said = log_in(rig).error().text();
    said += log_in(rig)->text;
    for (const auto& line : rig.log_lines) {
        said += "\n" + line;
    }
    rig.service.secrets.push_back(verifier);
    for (const auto& secret : rig.service.secrets) {
        CHECK(said.find(secret) == std::string::npos);
    }
}

// A login whose set cannot be tried before its access token has ended.
struct EndedLogin {
    EndedLogin(bool had_set)
    {
        rig.start();
        if (had_set) {
            rig.give_set();
        }
        ours = rig.service.access();
        rig.service.canary_fault = http::Answer::of(503, "");
        REQUIRE_FALSE(log_in(rig));
        rig.service.expire_access();
    }
    void reach_service()
    {
        rig.service.canary_fault.reset();
        rig.clock.advance_by(1min);
    }

    KeeperRig rig;
    std::string ours;
};

TEST_CASE("a set of a login that could not be tried before its access token ended is refreshed, not dropped")
{
    EndedLogin login(GENERATE(true, false));
    auto& rig = login.rig;
    if (GENERATE(true, false)) {
        rig.kill();
        rig.start();
    }
    if (GENERATE(true, false)) {  // refreshed, and the canary cannot be asked whose it is
        rig.client.handle([&rig](const http::SeenRequest& request) {
            auto answer = rig.service.answer(request);
            if (request.method == http::Method::post) {
                rig.service.canary_fault = http::Answer::of(503, "");
            }
            return answer;
        });
        login.reach_service();
        REQUIRE(rig.service.rotations == 1);
        rig.client.handle([&rig](const http::SeenRequest& request) { return rig.service.answer(request); });
        if (GENERATE(true, false)) {
            rig.kill();
            rig.start();
        }
    }
    login.reach_service();
    for (int start = 0; start < 2; ++start) {
        CHECK(rig.service.rotations == 1);
        CHECK(rig.access_text() == rig.service.access());
        CHECK(rig.keeper().status().state == TokenState::good);
        rig.kill();
        rig.start();
    }
}

TEST_CASE("a set that was proven once stays, whatever the canary says of it later, and gives way to no older one")
{
    EndedLogin login(true);
    auto& rig = login.rig;
    login.reach_service();
    REQUIRE(rig.access_text() == rig.service.access());
    const auto mark = rig.keeper().status().fingerprint;
    SECTION("after a restart")
    {
        const bool is_forbidden = GENERATE(true, false);
        if (is_forbidden) {
            rig.service.canary_fault = http::Answer::of(403, R"({"detail": "You do not have permission."})");
        } else {
            rig.service.library_of[rig.service.access()] = "7";
        }
        rig.kill();
        rig.start();
        rig.clock.advance_by(1h);
        CHECK(rig.keeper().status().fingerprint == mark);
    }
    SECTION("at the next refusal, which nobody can be kept from")
    {
        rig.service.rotate_elsewhere();
        rig.clock.advance_by(85h);
        CHECK(rig.keeper().status().state == TokenState::foreign);
        CHECK(rig.keeper().status().fingerprint == mark);
    }
}

TEST_CASE("a permission that is missing for a while costs no set that was refreshed unseen")
{
    EndedLogin login(true);
    auto& rig = login.rig;
    rig.client.handle([&rig](const http::SeenRequest& request) {
        auto answer = rig.service.answer(request);
        if (request.method == http::Method::post) {
            rig.service.canary_fault = http::Answer::of(403, R"({"detail": "You do not have permission."})");
        }
        return answer;
    });
    login.reach_service();
    const auto mark = rig.keeper().status().fingerprint;
    rig.clock.advance_by(1h);
    CHECK(rig.keeper().status().fingerprint == mark);
    CHECK_FALSE(rig.keeper().status().library_verified);
    rig.client.handle([&rig](const http::SeenRequest& request) { return rig.service.answer(request); });
    rig.service.canary_fault.reset();
    rig.clock.advance_by(16min);
    CHECK(rig.keeper().status().fingerprint == mark);
    CHECK(rig.keeper().status().library_verified);
}

TEST_CASE("a set of a login that proves dead, or of another library, once it is refreshed gives way to the one before")
{
    const bool had_set = GENERATE(true, false);
    EndedLogin login(had_set);
    auto& rig = login.rig;
    const bool is_dead = GENERATE(true, false);
    if (is_dead) {
        rig.service.faults.push_back({false, http::Answer::of(400, R"({"error": "invalid_grant"})")});
    } else {
        rig.client.handle([&rig](const http::SeenRequest& request) {
            auto answer = rig.service.answer(request);
            if (request.method == http::Method::post) {
                rig.service.library_of[rig.service.access()] = "7";
            }
            return answer;
        });
    }
    login.reach_service();
    for (int start = 0; start < 2; ++start) {
        const auto state = rig.keeper().status().state;
        if (had_set) {
            CHECK(state == TokenState::good);
            CHECK(rig.access_text() == login.ours);
        } else if (is_dead) {
            CHECK(state == TokenState::foreign);
        } else if (start == 0) {  // after a restart the first pass asks
            CHECK(state == TokenState::wrong_library);
        }
        CHECK(rig.service.posts == 2);
        rig.kill();
        rig.start();
    }
}

TEST_CASE("a login whose access token had ended destroys no set of another library that can be refreshed")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto ours = rig.service.access();
    const auto mark = rig.keeper().status().fingerprint;
    rig.kill();
    // The name was given to another library meanwhile.
    rig.settings.canary.library_id = "7";
    rig.start();
    rig.service.canary_fault = http::Answer::of(503, "");
    REQUIRE_FALSE(log_in(rig));
    rig.service.expire_access();
    rig.client.handle([&rig](const http::SeenRequest& request) {
        auto answer = rig.service.answer(request);
        if (request.method == http::Method::post) {
            rig.service.library_of[rig.service.access()] = "7";
        }
        return answer;
    });
    rig.service.canary_fault.reset();
    rig.clock.advance_by(1min);
    CHECK(rig.service.posts == 1);  // the code; the set that it gave was not refreshed
    CHECK(rig.log_has("has the token set of library 42 of the service, which this one of library 7 would destroy"));
    for (int start = 0; start < 2; ++start) {
        CHECK(rig.keeper().status().fingerprint == mark);
        CHECK(rig.access_text() == ours);
        rig.kill();
        rig.start();
    }
}

TEST_CASE("a set that was kept stays, too, when another library is expected while the new set's is asked")
{
    EndedLogin login(true);
    auto& rig = login.rig;
    rig.client.handle([&rig](const http::SeenRequest& request) {
        auto answer = rig.service.answer(request);
        if (request.method == http::Method::post) {
            rig.service.library_of[rig.service.access()] = "7";
            rig.service.canary_fault = http::Answer::of(503, "");
        }
        return answer;
    });
    login.reach_service();
    REQUIRE(rig.service.rotations == 1);
    REQUIRE(rig.access_text() != login.ours);
    rig.kill();
    rig.settings.canary.library_id = "7";
    rig.start();
    rig.service.canary_fault.reset();
    rig.clock.advance_by(16min);
    for (int start = 0; start < 2; ++start) {
        CHECK(rig.access_text() == login.ours);
        rig.kill();
        rig.start();
    }
}

TEST_CASE("a set that waits is shown to nobody but the service, and for the application, that the login was with")
{
    KeeperRig rig;
    rig.start();
    rig.service.canary_fault = http::Answer::of(503, "");
    REQUIRE_FALSE(log_in(rig));
    rig.service.canary_fault.reset();
    rig.kill();
    const auto right = rig.settings;
    if (GENERATE(true, false)) {
        rig.settings.endpoint.base_url = "https://sandbox.example.com";
        rig.settings.canary.url = "https://sandbox.example.com/api/v2/accounts/libraries/current/";
    } else {
        rig.settings.endpoint.client_id = "other";
    }
    const auto asked = rig.client.seen().size();
    rig.start();
    rig.clock.advance_by(50h);
    CHECK(rig.client.seen().size() == asked);
    const auto status = rig.keeper().status();
    CHECK(status.needs_person);
    CHECK(status.reason.find("the set of the last login waits") != std::string::npos);
    CHECK(status.do_this.find("shelfctl auth login antwerp") != std::string::npos);
    SECTION("put right, it is taken")
    {
        const auto ours = rig.service.access();
        rig.kill();
        rig.settings = right;
        rig.start();
        rig.clock.advance_by(1s);
        CHECK(rig.access_text() == ours);
        CHECK(rig.keeper().status().state == TokenState::good);
    }
    SECTION("another login takes its place")
    {
        REQUIRE(log_in(rig));
        CHECK(rig.access_text() == rig.service.access());
        CHECK(rig.keeper().status().state == TokenState::good);
    }
}

}  // namespace
}  // namespace shelfd::oauth
