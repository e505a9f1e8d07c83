// What each outcome of an exchange leads to.
#include "oauth/keeper_rig.hpp"
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
        {"wrong secret, said as a gateway passes it on", 502, R"({"data": {"error_code": "INVALID_CLIENT"}})"},
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

struct Refusal {
    const char* name;
    int status;
    const char* body;
};

Refusal some_refusal()
{
    return GENERATE(values<Refusal>({
        {"401", 401, "<html>"},
        {"403", 403, "<html>"},
        {"403 in JSON", 403, R"({"error": "Forbidden"})"},
        {"404", 404, R"({"detail": "Not found."})"},
        {"405", 405, ""},
        {"302", 302, ""},
        {"429", 429, ""},
    }));
}

TEST_CASE("a refusal without an OAuth error that came after the service acted costs no set")
{
    const auto refusal = some_refusal();
    INFO(refusal.name);
    KeeperRig rig;
    rig.service.grace = 25s;
    rig.service.faults.push_back({true, http::Answer::of(refusal.status, refusal.body)});
    go_to_refresh(rig);
    REQUIRE(rig.service.posts == 2);
    REQUIRE(rig.service.rotations == 1);
    REQUIRE(rig.access_text() == rig.service.access());
    REQUIRE(rig.keeper().status().state == TokenState::good);
}

TEST_CASE("a refusal without an OAuth error while the old token works spends nothing, and says who may have made it")
{
    const auto refusal = some_refusal();
    if (refusal.status == 429) {
        return;  // is waited for instead
    }
    INFO(refusal.name);
    KeeperRig rig;
    for (int i = 0; i < 2; ++i) {
        rig.service.faults.push_back({false, http::Answer::of(refusal.status, refusal.body)});
    }
    go_to_refresh(rig);
    auto status = rig.keeper().status();
    REQUIRE(rig.service.posts == 1);
    REQUIRE(status.state == TokenState::in_doubt);
    REQUIRE_FALSE(status.needs_person);
    REQUIRE(rig.access_text() == rig.service.access());
    REQUIRE(status.reason.find(std::to_string(refusal.status)) != std::string::npos);
    REQUIRE(status.reason.find("a proxy in front of it") != std::string::npos);
    REQUIRE(status.reason.find("did not execute it") != std::string::npos);
    rig.clock.advance_by(180s);
    status = rig.keeper().status();
    REQUIRE(rig.service.posts == 2);
    REQUIRE(status.needs_person);
    REQUIRE(status.access_usable);
    REQUIRE(status.do_this.find("base_url") != std::string::npos);
    rig.kill();
    rig.start();
    rig.clock.advance_by(30min);
    REQUIRE(rig.service.rotations == 1);
    REQUIRE(rig.service.reuses == 0);
    REQUIRE(rig.keeper().status().state == TokenState::good);
}

// The service's answers with other words in the place of some.
void reword_grants(KeeperRig& rig, const bool& wanted, std::string (*reword)(std::string body))
{
    rig.client.handle([&rig, &wanted, reword](const http::SeenRequest& request) {
        auto answer = rig.service.answer(request);
        const bool is_grant = request.method == http::Method::post && answer.response && answer.response->status == 200;
        if (wanted && is_grant) {
            answer.response->body = reword(std::move(answer.response->body));
        }
        return answer;
    });
}

std::string without_access_token(std::string body)
{
    return body.replace(body.find("access-"), 3, "a\\u0007");
}

TEST_CASE("no lifetime that an answer names permits more refreshes a day than the guards, restarts or not")
{
    const auto lifetime = GENERATE(1, 5, 59);
    const auto restarts = GENERATE(false, true);
    CAPTURE(lifetime, restarts);
    KeeperRig rig;
    rig.start();
    rig.service.lifetime = lifetime;
    rig.give_set();
    for (int hour = 0; hour < 48; ++hour) {
        if (restarts) {
            rig.stop();
            rig.start();
        }
        rig.clock.advance_by(1h);
    }
    CHECK(rig.service.posts > 24);
    CHECK(rig.service.posts <= 48 + 1);
    const auto status = rig.keeper().status();
    CHECK(status.reason.find("the daily limit of refreshes is reached") != std::string::npos);
    CHECK(status.next.find("refreshes the set at ") == 0);
    CHECK(status.needs_person);
}

TEST_CASE("a lifetime of minutes is refreshed as often as it needs")
{
    KeeperRig rig;
    rig.start();
    rig.service.lifetime = 600;
    rig.give_set();
    rig.clock.advance_by(24h);
    CHECK(rig.keeper().status().state == TokenState::good);
    CHECK(rig.service.posts > 200);
}

TEST_CASE("sets without a usable access token are no storm and no day of darkness")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    bool is_ill = true;
    reword_grants(rig, is_ill, without_access_token);
    rig.clock.advance_by(84h);
    REQUIRE(rig.service.posts == 1);
    auto status = rig.keeper().status();
    REQUIRE(status.state == TokenState::waiting);
    REQUIRE_FALSE(status.access_usable);
    REQUIRE(status.reason.find("without a usable access token") != std::string::npos);
    REQUIRE(status.do_this.empty());
    REQUIRE(status.next.find("refreshes the set at") != std::string::npos);
    REQUIRE(status.next_refresh == std::optional(rig.clock.now() + 60s));
    rig.clock.advance_by(59s);
    REQUIRE(rig.service.posts == 1);
    rig.clock.advance_by(1s);
    REQUIRE(rig.service.posts == 2);
    REQUIRE(rig.keeper().status().needs_person);
    REQUIRE(rig.access().error().kind() == ErrorKind::needs_person);
    SECTION("restarts do not hurry it")
    {
        for (int i = 0; i < 20; ++i) {
            rig.kill();
            rig.start();
            rig.clock.advance_by(1s);
        }
        REQUIRE(rig.service.posts == 2);
    }
    SECTION("for a day")
    {
        rig.clock.advance_by(24h);
        REQUIRE(rig.service.posts <= 24);
        REQUIRE(rig.service.posts >= 12);
    }
    const auto before = rig.service.posts;
    is_ill = false;
    SECTION("a person asks")
    {
        rig.keeper().try_again();
        rig.clock.advance_by(10s);
        REQUIRE(rig.service.posts == before + 1);
    }
    SECTION("nobody asks")
    {
        rig.clock.advance_by(2h);
        REQUIRE(rig.service.posts == before + 1);
    }
    rig.clock.advance_by(2h);
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(rig.access_text() == rig.service.access());
    REQUIRE(rig.service.reuses == 0);
}

TEST_CASE(
    "a set without an access token: whoever asks for one more try, and how often, exchanges are ten seconds apart")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const bool is_ill = true;
    reword_grants(rig, is_ill, without_access_token);
    rig.clock.advance_by(84h);
    REQUIRE(rig.service.posts == 1);
    for (int i = 0; i < 30; ++i) {
        rig.keeper().try_again();
        rig.clock.advance_by(1s);
    }
    CHECK(rig.service.posts >= 2);
    CHECK(rig.service.posts <= 4);
}

TEST_CASE("a calm refresh behind a slow one of another library is urgent once its set is late")
{
    KeeperRig rig;
    rig.service.lifetime = 60;
    rig.start();
    rig.give_set();
    rig.clock.advance_by(20s);
    REQUIRE(rig.service.posts == 0);
    const auto slow = rig.run(rig.gate.enter(Haste::calm));
    REQUIRE(slow);
    rig.clock.advance_by(20s);
    REQUIRE(rig.service.posts == 0);
    rig.clock.advance_by(15s);
    CHECK(rig.service.posts == 1);
    CHECK(rig.keeper().status().access_usable);
}

TEST_CASE("an answer that no set can be read from reaches a person at once, and its bytes stay where the sentence says")
{
    KeeperRig rig;
    rig.places = "/tokens/antwerp/journal.a and /copy/antwerp/journal.b";
    rig.service.grace = 1h;
    rig.start();
    rig.give_set();
    bool is_strange = true;
    reword_grants(rig, is_strange,
                  [](std::string body) { return R"({"sealed": ")" + body.substr(body.find("refresh-"), 12) + "\"}"; });
    rig.clock.advance_by(84h + 10s);
    const auto status = rig.keeper().status();
    REQUIRE(status.needs_person);
    REQUIRE(status.reason.find(rig.places) != std::string::npos);
    REQUIRE(rig.log_has("kept_in=" + rig.places));
    const auto posts = rig.service.posts;
    REQUIRE(posts == 2);
    rig.clock.advance_by(5h);
    REQUIRE(rig.service.posts == posts);
    const auto text = [&rig] {
        const auto& bytes = rig.disk.content(0);
        std::string all;
        for (const auto byte : bytes) {
            all += static_cast<char>(byte);
        }
        return all;
    };
    REQUIRE(text().find(R"({"sealed": "refresh-0002)") != std::string::npos);
    is_strange = false;
    rig.service.grace = 48h;
    rig.keeper().try_again();
    rig.clock.advance_by(1s);
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(rig.access_text() == rig.service.access());
}

TEST_CASE("a set in another dress is taken at once, also by the start after a crash before it was read")
{
    const auto dress = GENERATE(values<std::string (*)(std::string)>(
        {[](std::string body) { return R"({"status": "ok", "data": )" + body + "}"; },
         [](std::string body) {
             std::string escaped;
             for (const char c : body) {
                 escaped += c == '"' ? "\\\"" : std::string(1, c);
             }
             return R"({"statusCode": 200, "body": ")" + escaped + "\"}";
         },
         [](std::string body) {
             const auto access = body.substr(body.find("access-"), 28);
             return "access_token=" + access.substr(0, access.find('"')) +
                    "&expires_in=604800&refresh_token=" + body.substr(body.find("refresh-"), 29);
         }}));
    const bool dies = GENERATE(false, true);
    KeeperRig rig;
    rig.start();
    rig.give_set();
    bool is_dressed = true;
    reword_grants(rig, is_dressed, dress);
    if (dies) {
        // The answer is whole in the journals, and nobody has read it.
        rig.disk.on_call = [&rig](const storage::DiskCall& call) {
            const auto is_commit = call.kind == storage::DiskCall::Kind::write && rig.service.posts == 1 &&
                                   rig.keeper().status().state == TokenState::refreshing && !call.bytes.empty() &&
                                   call.bytes.size() >= slot_size;
            if (is_commit) {
                rig.die();
            }
        };
    }
    rig.clock.advance_by(84h);
    REQUIRE(rig.is_dead() == dies);
    if (dies) {
        rig.disk.on_call = {};
        rig.kill();
        rig.start();
    }
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(rig.access_text() == rig.service.access());
    REQUIRE(rig.service.posts == 1);
    REQUIRE(rig.service.reuses == 0);
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
    std::string text = status.reason + status.do_this + status.next + status.fingerprint + status.journals.trouble;
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
