// What a person gives, declares, or takes away.
#include "oauth/keeper_rig.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

std::string disk_text(const KeeperRig& rig)
{
    std::string text;
    for (const auto file : {std::size_t{0}, std::size_t{1}}) {
        for (const auto byte : rig.disk.content(file)) {
            text += static_cast<char>(byte);
        }
    }
    return text;
}

TEST_CASE("a set that does not prove itself changes nothing")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto ours = rig.service.access();
    struct Row {
        const char* name;
        http::Answer canary;
        const char* says;
        std::optional<ErrorKind> kind = {};
    };
    const auto challenge = [](const char* why) {
        return std::vector<http::Header>{{"WWW-Authenticate", std::string("Bearer error_description=\"") + why + "\""}};
    };
    const std::vector<Row> rows = {
        {"another customer's", http::Answer::ok(R"({"id": 7})"), "another library"},
        {"expired", http::Answer::of(401, "{}", challenge("The access token has expired.")), "has expired"},
        {"unknown", http::Answer::of(401, "{}", challenge("The access token is invalid.")), "is invalid"},
        {"too narrow", http::Answer::of(403, "{}"), "more scopes"},
        {"unreachable", http::Answer::failed(ErrorKind::network, Delivery::not_sent), "could not be tested"},
        {"server error", http::Answer::of(500, ""), "could not be tested"},
        {"no such page", http::Answer::of(404, ""), "could not be tested", ErrorKind::protocol},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const auto before = disk_text(rig);
        rig.service.canary_fault = row.canary;
        const auto outcome = rig.import("access_token=aaa\nrefresh_token=rrr", ImportMode::seal);
        REQUIRE_FALSE(outcome);
        REQUIRE(outcome.error().text().find(row.says) != std::string::npos);
        REQUIRE(outcome.error().text().find("nothing was changed") != std::string::npos);
        // Whoever asks can tell a service without such a page from one that does not answer.
        REQUIRE((outcome.error().kind() == ErrorKind::protocol) == (row.kind == ErrorKind::protocol));
        rig.service.canary_fault.reset();
        REQUIRE(disk_text(rig) == before);
        REQUIRE(rig.access_text() == ours);
        REQUIRE(rig.keeper().status().state == TokenState::good);
        REQUIRE(rig.service.posts == 0);
    }
}

TEST_CASE(
    "a set without a refresh token is refused, unless access alone is wanted; then it ends at a time that is told")
{
    KeeperRig rig;
    rig.start();
    const auto paste = "access_token=" + rig.service.access();
    const auto refused = rig.import(paste, ImportMode::seal);
    REQUIRE_FALSE(refused);
    REQUIRE(refused.error().text().find("--access-only") != std::string::npos);
    const auto taken = rig.import(paste, ImportMode::access_only);
    REQUIRE(taken);
    const auto status = rig.keeper().status();
    REQUIRE(status.state == TokenState::ends);
    REQUIRE(status.deadline == status.expires);
    REQUIRE_FALSE(status.next_refresh);
    rig.clock.advance_by(167h);
    REQUIRE(rig.access_text() == rig.service.access());
    rig.kill();
    rig.start();
    REQUIRE(rig.access_text() == rig.service.access());
    rig.clock.advance_by(2h);
    REQUIRE(rig.keeper().status().state == TokenState::ended);
    REQUIRE(rig.access().error().kind() == ErrorKind::needs_person);
    REQUIRE(rig.client.count("grant_type=refresh_token") == 0);
}

TEST_CASE("a pasted set that was consumed already gives way to the one before it")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto ours = rig.service.access();
    const auto our_refresh = rig.service.refresh();
    rig.service.kills_old_access = false;
    rig.service.issue();
    const auto paste = rig.service.response();
    rig.service.rotate_elsewhere();  // the owner's script was faster; the access token still works
    const auto outcome = rig.import(paste, ImportMode::seal);
    REQUIRE_FALSE(outcome);
    REQUIRE(outcome.error().text().find("used already") != std::string::npos);
    REQUIRE(rig.service.posts == 1);
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(rig.access_text() == ours);
    rig.kill();
    rig.start();
    REQUIRE(rig.access_text() == ours);
    REQUIRE(rig.keeper().status().fingerprint == fingerprint(Secret(our_refresh)));
    CHECK(rig.log_has("the newest token set does not work; the one before it is in use again"));

    // The status says so, also after the restart, until the set is refreshed.
    const auto status = rig.keeper().status();
    CAPTURE(status.reason);
    CHECK(status.reason.find("the service refused the newest token set (") != std::string::npos);
    CHECK(status.reason.find("invalid_grant") != std::string::npos);
    CHECK(status.reason.find("the one before it is in use again") != std::string::npos);
    CHECK(status.reason.find(rig.clock.now().to_short_text().substr(0, 10)) == 0);
    CHECK(status.do_this.find("shelfctl auth import antwerp") != std::string::npos);
    CHECK_FALSE(status.needs_person);
}

TEST_CASE("what is said of a set that was given up ends with the next import and with the next refresh")
{
    const auto by_refresh = GENERATE(false, true);
    CAPTURE(by_refresh);
    KeeperRig rig;
    rig.start();
    rig.service.lifetime = 3600;
    rig.service.kills_old_access = false;
    const auto spent = rig.service.response();
    rig.service.rotate_elsewhere();
    rig.service.issue();
    rig.give_set();
    REQUIRE_FALSE(rig.import(spent, ImportMode::seal));
    REQUIRE_FALSE(rig.keeper().status().reason.empty());
    if (by_refresh) {
        rig.clock.advance_by(1h);
    } else {
        rig.service.issue();
        REQUIRE(rig.import(rig.service.response(), ImportMode::seal));
    }
    CHECK(rig.keeper().status().state == TokenState::good);
    CHECK(rig.keeper().status().reason.empty());
    CHECK(rig.keeper().status().do_this.empty());
}

TEST_CASE("the adoption of journals that are older than what was in use here warns")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.keeper().record_mirror_generation(5);
    const auto before = rig.keeper().status();
    REQUIRE(before.state == TokenState::copied);
    CHECK(before.do_this.find("restore the newer journals") == 0);
    CHECK(before.do_this.find("if neither is possible (its refresh token was probably used before") !=
          std::string::npos);
    REQUIRE(rig.run(rig.keeper().adopt()));
    for (int life = 0; life < 2; ++life) {
        CAPTURE(life);
        const auto status = rig.keeper().status();
        CHECK(status.state == TokenState::good);
        CHECK(status.reason.find("the adopted token set is older than what was in use here (generation 1, and the "
                                 "mirror knows generation 5)") != std::string::npos);
        CHECK(status.do_this.find("shelfctl auth import antwerp") != std::string::npos);
        rig.kill();
        rig.start();
    }
    CHECK(rig.log_has("the adopted token set is older than what was in use here"));
    rig.clock.advance_by(100h);
    CHECK(rig.keeper().status().reason.empty());
}

TEST_CASE("a first set that was consumed already is named so")
{
    KeeperRig rig;
    rig.start();
    rig.service.kills_old_access = false;
    const auto paste = rig.service.response();
    rig.service.rotate_elsewhere();
    const auto outcome = rig.import(paste, ImportMode::seal);
    REQUIRE_FALSE(outcome);
    REQUIRE(outcome.error().kind() == ErrorKind::needs_person);
    REQUIRE(outcome.error().text().find("used already") != std::string::npos);
}

TEST_CASE("sealing goes on by itself when the service could not be reached for it")
{
    KeeperRig rig;
    rig.start();
    rig.service.faults.push_back({false, http::Answer::failed(ErrorKind::network, Delivery::not_sent)});
    const auto outcome = rig.import(rig.service.response(), ImportMode::seal);
    REQUIRE(outcome);
    REQUIRE_FALSE(outcome->sealed);
    REQUIRE(outcome->text.find("not sealed yet") != std::string::npos);
    rig.clock.advance_by(2min);
    REQUIRE(rig.service.rotations == 1);
    REQUIRE(rig.access_text() == rig.service.access());
}

TEST_CASE("the library is learned from the first set and pinned from then on")
{
    KeeperRig rig;
    rig.settings.canary.library_id = "";
    rig.start();
    REQUIRE(rig.import(rig.service.response(), ImportMode::seal)->library_id == "42");
    rig.kill();
    rig.start();
    REQUIRE(rig.keeper().status().library_id == "42");
    rig.service.library_id = "7";
    const auto verdict = rig.run(rig.keeper().canary());
    REQUIRE(verdict->kind == CanaryVerdict::Kind::wrong_library);
    REQUIRE(verdict->library_id == "7");
    REQUIRE(rig.keeper().status().state == TokenState::wrong_library);
    rig.service.library_id = "42";
    REQUIRE(rig.run(rig.keeper().canary())->kind == CanaryVerdict::Kind::ours);
    REQUIRE(rig.keeper().status().state == TokenState::good);
}

TEST_CASE("the set of another library is refused by name")
{
    KeeperRig rig;
    rig.settings.other_holder = [&rig](const std::string& mark) {
        return mark == fingerprint(Secret(rig.service.refresh())) ? std::string("ghent") : std::string();
    };
    rig.start();
    const auto outcome = rig.import(rig.service.response(), ImportMode::seal);
    REQUIRE_FALSE(outcome);
    REQUIRE(outcome.error().text().find("ghent") != std::string::npos);
    REQUIRE(rig.client.seen().empty());
}

TEST_CASE("a set that can be refreshed is not destroyed by one of another library, unless a person wants it")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto ours = rig.service.access();
    rig.kill();
    // The name was given to another library meanwhile.
    rig.settings.canary.library_id = "7";
    rig.start();
    const auto before = disk_text(rig);
    const auto paste = std::string("access_token=aaa\nrefresh_token=rrr");
    rig.service.canary_fault = http::Answer::ok(R"({"id": 7})");
    for (const auto mode : {ImportMode::seal, ImportMode::leave_alone}) {
        const auto outcome = rig.import(paste, mode);
        REQUIRE_FALSE(outcome);
        const auto text = outcome.error().text();
        INFO(text);
        REQUIRE(outcome.error().kind() == ErrorKind::usage);
        REQUIRE(text.find("has the token set of library 42 of the service, which this one of library 7 would destroy; "
                          "nothing was changed") != std::string::npos);
        REQUIRE(disk_text(rig) == before);
        REQUIRE(rig.access_text() == ours);
    }
    REQUIRE(rig.service.posts == 0);
    REQUIRE(rig.import(paste, ImportMode::leave_alone, Destroying::wanted));
    REQUIRE(rig.access_text() == "aaa");
}

TEST_CASE("without a page that names the library, a set of the one before stays where another one is expected")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto ours = rig.service.access();
    rig.kill();
    rig.settings.canary.identity_field.clear();
    rig.settings.canary.library_id = GENERATE("", "42", "7");
    rig.start();
    rig.service.canary_fault = http::Answer::ok(R"({"count": 3})");
    const auto outcome = rig.import("access_token=aaa\nrefresh_token=rrr", ImportMode::leave_alone);
    const bool is_other = rig.settings.canary.library_id == "7";
    REQUIRE(outcome.has_value() != is_other);
    REQUIRE(rig.access_text() == (is_other ? ours : "aaa"));
}

TEST_CASE("a set of another service or another application is not used for this one")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.kill();
    const auto asked = rig.client.seen().size();
    SECTION("another service: the access token never goes there")
    {
        rig.settings.endpoint.base_url = "https://sandbox.example.com";
        rig.start();
        rig.clock.advance_by(200h);
        REQUIRE(rig.access().error().kind() == ErrorKind::needs_person);
        REQUIRE(rig.client.seen().size() == asked);
    }
    SECTION("another application: nothing is refreshed, the access token works")
    {
        rig.settings.endpoint.client_id = "other";
        rig.start();
        REQUIRE(rig.access_text() == rig.service.access());
        rig.clock.advance_by(100h);
        REQUIRE(rig.service.posts == 0);
    }
    REQUIRE(rig.keeper().status().state == TokenState::other_service);
    REQUIRE(rig.keeper().status().needs_person);
}

TEST_CASE("a verdict outlives a configuration that is wrong for a while")
{
    KeeperRig rig;
    rig.service.kills_old_access = false;
    rig.start();
    rig.give_set();
    rig.service.rotate_elsewhere();
    rig.clock.advance_by(84h);
    REQUIRE(rig.keeper().status().state == TokenState::foreign);
    rig.kill();
    rig.settings.endpoint.client_id = "other";
    rig.start();
    REQUIRE(rig.keeper().status().state == TokenState::other_service);
    rig.kill();
    rig.settings.endpoint.client_id = "client";
    rig.start();
    rig.clock.advance_by(240h);
    REQUIRE(rig.keeper().status().state == TokenState::foreign);
    REQUIRE(rig.service.posts == 1);
}

TEST_CASE("a library that was learned is forgotten with its set")
{
    KeeperRig rig;
    rig.settings.canary.library_id = "";
    rig.start();
    REQUIRE(rig.import(rig.service.response(), ImportMode::seal));
    rig.service.issue();
    rig.service.library_id = "7";
    REQUIRE_FALSE(rig.import(rig.service.response(), ImportMode::seal));
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(rig.run(rig.keeper().forget()));
    REQUIRE(rig.import(rig.service.response(), ImportMode::seal)->library_id == "7");
}

TEST_CASE("a store that was copied or restored refreshes nothing until it is adopted")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.kill();
    enum class Evidence { machine, mirror, both_files, one_file };
    const auto evidence = GENERATE(Evidence::machine, Evidence::mirror, Evidence::both_files, Evidence::one_file);
    const auto restored = evidence == Evidence::mirror;
    if (evidence == Evidence::machine) {
        rig.settings.machine_id = "another machine";
    } else if (!restored) {
        rig.disk.copy_file(0);
        rig.disk.copy_file(evidence == Evidence::both_files ? 1 : 0);
    }
    rig.start();
    if (restored) {
        rig.keeper().record_mirror_generation(5);
    } else {
        rig.kill();  // and says so at every start
        rig.start();
    }
    auto status = rig.keeper().status();
    REQUIRE(status.state == TokenState::copied);
    REQUIRE(status.do_this.find("shelfctl auth adopt antwerp") != std::string::npos);
    REQUIRE(rig.access_text() == rig.service.access());
    rig.clock.advance_by(100h);
    REQUIRE(rig.service.posts == 0);
    REQUIRE(rig.run(rig.keeper().adopt()));
    rig.clock.advance_by(1s);
    status = rig.keeper().status();
    REQUIRE(status.state == TokenState::good);
    REQUIRE(status.generation > (restored ? 5u : 1u));
    REQUIRE(rig.service.posts == 1);
    rig.kill();
    rig.start();
    REQUIRE(rig.keeper().status().state == TokenState::good);
    const auto again = rig.run(rig.keeper().adopt());
    REQUIRE_FALSE(again);
    REQUIRE(again.error().kind() == ErrorKind::usage);
}

TEST_CASE("a reboot is no copy, nor is a store of an older version, whose files are noted at its first start")
{
    KeeperRig rig;
    const auto older = GENERATE(false, true);
    rig.disk.has_marks = !older;
    rig.start();
    rig.give_set();
    rig.kill();
    rig.disk.has_marks = true;
    for (int boot = 2; boot < 5; ++boot) {
        rig.settings.boot_id[0] = static_cast<std::byte>(boot);
        rig.start();
        CHECK(rig.keeper().status().state == TokenState::good);
        CHECK(rig.keeper().status().journals.copies == 2);
        CHECK_FALSE(rig.log_has("complete again"));
        rig.kill();
    }
    rig.disk.copy_file(0);
    rig.disk.copy_file(1);
    rig.start();
    CHECK(rig.keeper().status().state == TokenState::copied);
    CHECK(rig.keeper().status().reason.find("journal.a and journal.b") != std::string::npos);
    CHECK(rig.service.posts == 0);
}

TEST_CASE("an answer that a copied store holds is no reason to think that it is no copy")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.client.handle([&rig](const http::SeenRequest& request) {
        auto answer = rig.service.answer(request);
        if (request.url.find("/oauth/token/") != std::string::npos) {
            rig.disk.on_call = [&rig](const storage::DiskCall& call) {
                // The answer is on both disks; the set that comes of it is not yet.
                if (call.kind == storage::DiskCall::Kind::sync && call.file == 1) {
                    rig.disk.on_call = {};
                    rig.die();
                }
            };
        }
        return answer;
    });
    rig.clock.advance_by(85h);
    rig.kill();
    rig.client.handle([&rig](const http::SeenRequest& request) { return rig.service.answer(request); });
    REQUIRE(rig.service.posts == 1);
    const auto by_machine = GENERATE(false, true);
    if (by_machine) {
        rig.settings.machine_id = "another machine";
    } else {
        rig.disk.copy_file(0);
        rig.disk.copy_file(1);
    }
    for (int start = 0; start < 3; ++start) {
        rig.start();
        rig.clock.advance_by(100h);
        CHECK(rig.keeper().status().state == TokenState::copied);
        CHECK(rig.service.posts == 1);
        rig.kill();
    }
}

TEST_CASE("a forgotten set leaves no trace, and a new one may be given")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.clock.advance_by(84h);
    REQUIRE(rig.run(rig.keeper().forget()));
    REQUIRE(rig.keeper().status().state == TokenState::none);
    REQUIRE(rig.access().error().kind() == ErrorKind::needs_person);
    for (const auto& secret : rig.service.secrets) {
        REQUIRE(disk_text(rig).find(secret) == std::string::npos);
    }
    rig.kill();
    rig.start();
    REQUIRE(rig.keeper().status().state == TokenState::none);
    REQUIRE(rig.import(rig.service.response(), ImportMode::seal));
    REQUIRE(rig.access_text() == rig.service.access());
}

TEST_CASE("forgetting on a bad disk says whether the set is still in force")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.disk.fail_file(1, EIO);
    const auto is_forgotten = GENERATE(true, false);
    if (!is_forgotten) {
        rig.disk.fail_file(0, EIO);
    }
    const auto forgotten = rig.run(rig.keeper().forget());
    REQUIRE_FALSE(forgotten);
    REQUIRE(forgotten.error().kind() == ErrorKind::storage);
    const auto says = [&forgotten](const char* part) {
        return forgotten.error().text().find(part) != std::string::npos;
    };
    REQUIRE(says("the set was deleted, but not every copy could be wiped: ") == is_forgotten);
    REQUIRE(says("nothing was deleted, and the set stays in use") == !is_forgotten);
    REQUIRE(rig.access().has_value() == !is_forgotten);
}

TEST_CASE("a set that no record holds is refused, and the present one is not even written anew")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto first = rig.disk.content(0), second = rig.disk.content(1);
    const auto paste = "access_token=" + rig.service.access() + "\nrefresh_token=" + std::string(18'000, 'r');
    const auto outcome = rig.import(paste, ImportMode::leave_alone);
    REQUIRE_FALSE(outcome);
    REQUIRE_THAT(outcome.error().text(), Catch::Matchers::Contains("15 KiB"));
    rig.clock.advance_by(1h);
    REQUIRE((rig.disk.content(0) == first));
    REQUIRE((rig.disk.content(1) == second));
    REQUIRE(rig.access_text() == rig.service.access());
}

TEST_CASE("the token for a person is the present one, and asking for it sends nothing")
{
    KeeperRig rig;
    rig.start();
    REQUIRE_FALSE(rig.keeper().reveal());
    rig.give_set();
    const auto asked = rig.client.seen().size();
    REQUIRE(rig.keeper().reveal()->token->reveal() == rig.service.access());
    REQUIRE(rig.client.seen().size() == asked);
}

TEST_CASE("journals of another library are left alone, even by an import")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.kill();
    const auto before = disk_text(rig);
    rig.settings.library = "ghent";
    rig.start();
    const auto status = rig.keeper().status();
    REQUIRE(status.state == TokenState::unreadable);
    REQUIRE(status.reason.find("antwerp") != std::string::npos);
    rig.service.issue();
    REQUIRE_FALSE(rig.import(rig.service.response(), ImportMode::seal));
    REQUIRE_FALSE(rig.run(rig.keeper().forget()));
    rig.clock.advance_by(200h);
    REQUIRE(disk_text(rig) == before);
}

TEST_CASE("clocks that jump cost at most one early refresh, and a suspended month one late one")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    SECTION("the wall clock alone is nobody's business")
    {
        rig.clock.step_wall(GENERATE(-87'600h, 87'600h));
        rig.clock.advance_by(80h);
        REQUIRE(rig.service.posts == 0);
    }
    SECTION("ten years forth and a reboot")
    {
        rig.stop();
        rig.settings.boot_id[0] = std::byte{2};
        rig.clock.step_wall(87'600h);
        rig.start();
        rig.clock.advance_by(80h);
        REQUIRE(rig.service.posts == 1);
    }
    SECTION("ten years back and a reboot")
    {
        rig.stop();
        rig.settings.boot_id[0] = std::byte{2};
        rig.clock.step_wall(-87'600h);
        rig.start();
        rig.clock.advance_by(80h);
        REQUIRE(rig.service.posts == 0);
        REQUIRE(rig.access_text() == rig.service.access());
    }
    SECTION("thirty days of suspend")
    {
        rig.clock.advance_to(rig.clock.boot_now() + 1h);
        rig.stop();
        rig.service.expire_access();
        rig.clock.advance_by(720h);
        rig.start();
        REQUIRE(rig.access_text() == rig.service.access());
        REQUIRE(rig.service.posts == 1);
    }
    REQUIRE(rig.keeper().status().state == TokenState::good);
}

TEST_CASE("what the paste does not tell is learned from the service, where it can be asked")
{
    KeeperRig rig;
    rig.settings.endpoint.introspection_path = "/oauth/introspect/";
    rig.start();
    const auto paste =
        "access_token=" + rig.service.access() + "\nrefresh_token=" + rig.service.refresh() + "\nexpires_in=604800";
    const auto ends = rig.clock.now() + 50h;
    rig.service.introspection = fmt::format(
        R"({{"active": true, "scope": "library sales", "exp": {}, "client_id": "client"}})", ends.seconds());
    const auto outcome = rig.import(paste, ImportMode::leave_alone);
    REQUIRE(outcome);
    CHECK(outcome->scope == "library sales");
    CHECK(rig.keeper().status().expires->seconds() == ends.seconds());
    CHECK(rig.service.posts == 0);
}

TEST_CASE("introspection says whose set it is: at an import, and once for each set that the daemon finds")
{
    KeeperRig rig;
    rig.settings.endpoint.introspection_path = "/oauth/introspect/";
    rig.service.introspection = R"({"active": true, "sub": "7", "username": "someone"})";
    rig.start();
    REQUIRE(rig.import(rig.service.response(), ImportMode::seal));
    CHECK(rig.keeper().user() == "7");
    REQUIRE(rig.run(rig.keeper().canary()));
    CHECK(rig.client.count("introspect") == 1);

    rig.stop();
    rig.start();
    CHECK(rig.keeper().user().empty());
    rig.service.introspection = R"({"active": true, "username": "someone"})";
    REQUIRE(rig.run(rig.keeper().canary()));
    CHECK(rig.keeper().user() == "someone");
    REQUIRE(rig.run(rig.keeper().canary()));
    CHECK(rig.client.count("introspect") == 2);

    rig.stop();
    rig.start();
    rig.service.introspection.reset();
    REQUIRE(rig.run(rig.keeper().canary()));
    REQUIRE(rig.run(rig.keeper().canary()));
    CHECK(rig.keeper().user().empty());
    CHECK(rig.client.count("introspect") == 3);
}

TEST_CASE("tokens and the client secret go to the token endpoint only, unless the configuration names another path")
{
    KeeperRig rig;
    rig.service.introspection = R"({"active": true, "scope": "never asked", "client_id": "somebody"})";
    rig.start();
    const auto mode = GENERATE(ImportMode::seal, ImportMode::leave_alone, ImportMode::access_only);
    REQUIRE(rig.import(rig.service.response(), mode));
    const std::string verifier = "verifier";
    REQUIRE(rig.run(rig.keeper().redeem({Secret(rig.service.new_code(verifier)), Secret(std::string(verifier)),
                                         "https://api.example.com/auth-code/"})));
    auto moved = rig.run(rig.keeper().move_out("there"));
    REQUIRE(moved);
    REQUIRE(rig.run(rig.keeper().adopt()));
    for (const auto& request : rig.client.seen()) {
        const bool is_asked = request.method == http::Method::get;
        CHECK((is_asked || request.url == "https://api.example.com/oauth/token/"));
        CHECK((!is_asked || (request.body.empty() && request.basic.empty())));
    }
    CHECK(rig.client.count("introspect") == 0);
}

TEST_CASE("an expiry is measured by the clock of the service that names it, and nonsense is left out")
{
    const auto read = [](const std::string& exp) {
        http::Response response;
        response.status = 200;
        response.headers.push_back({"Date", "Sat, 06 Jan 2024 05:00:00 GMT"});
        response.body = R"({"active":true,"exp":)" + exp + "}";
        return read_introspection(response);
    };
    const auto said = Instant::from_rfc3339("2024-01-06T05:00:00Z");
    const auto found = read("1704520800");
    REQUIRE(found);
    CHECK(found->said_at == said);
    CHECK(*found->expires - *found->said_at == 1h);
    CHECK(read("1704520800.5")->expires == found->expires);
    for (const auto* nonsense : {"1704520800000", "-1", "1e300", "\"soon\"", "null"}) {
        INFO(nonsense);
        CHECK_FALSE(read(nonsense)->expires);
    }
}

TEST_CASE("an import works where nobody introspects, as issued now")
{
    const auto answer = GENERATE(as<std::optional<std::string>>(), std::nullopt, "", "<html>", R"({"active": "yes"})");
    KeeperRig rig;
    rig.settings.endpoint.introspection_path = "/oauth/introspect/";
    rig.service.introspection = answer;
    rig.start();
    const auto outcome = rig.import(rig.service.response(), ImportMode::leave_alone);
    REQUIRE(outcome);
    CHECK(outcome->scope == "accounts library");
    CHECK(rig.keeper().status().lifetime == Duration(168h));
}

TEST_CASE("a set of another application, or one that is not active, is refused before anything is spent")
{
    KeeperRig rig;
    rig.settings.endpoint.introspection_path = "/oauth/introspect/";
    rig.start();
    rig.service.introspection = R"({"active": true, "client_id": "somebody"})";
    const auto other = rig.import(rig.service.response(), ImportMode::seal);
    REQUIRE_FALSE(other);
    CHECK(other.error().text().find("issued to the application somebody") != std::string::npos);
    rig.service.introspection = R"({"active": false})";
    rig.service.canary_is_open = true;
    const auto dead = rig.import(rig.service.response(), ImportMode::seal);
    REQUIRE_FALSE(dead);
    CHECK(dead.error().text().find("not active") != std::string::npos);
    CHECK(rig.service.posts == 0);
    CHECK(rig.keeper().status().state == TokenState::none);
    // A canary that refuses wrong tokens knows better than a service that tells nobody anything.
    rig.service.canary_is_open = false;
    CHECK(rig.import(rig.service.response(), ImportMode::seal));
}

TEST_CASE("a set that renews itself is not destroyed for an access token that ends, unless a person insists")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto mark = rig.keeper().status().fingerprint;
    const auto before = disk_text(rig);
    const auto paste = "access_token=" + rig.service.access();
    if (GENERATE(false, true)) {
        rig.kill();
        rig.settings.machine_id = "another machine";  // withheld, and perhaps good all the same
        rig.start();
    }
    const auto refused = rig.import(paste, ImportMode::access_only);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind() == ErrorKind::usage);
    CHECK(refused.error().text().find("--force") != std::string::npos);
    CHECK(rig.keeper().status().fingerprint == mark);
    CHECK(disk_text(rig) == before);
    REQUIRE(rig.import(paste, ImportMode::access_only, Destroying::wanted));
    CHECK(rig.keeper().status().state == TokenState::ends);
    REQUIRE(rig.import(paste, ImportMode::access_only));
}

TEST_CASE("where refresh tokens do not rotate, nobody is told that what was pasted is dead")
{
    KeeperRig rig;
    rig.start();
    const auto paste = rig.service.response();
    rig.service.rotates = false;
    rig.service.repeats_refresh = GENERATE(false, true);
    const auto outcome = rig.import(paste, ImportMode::seal);
    REQUIRE(outcome);
    CHECK_FALSE(outcome->sealed);
    CHECK(outcome->text.find("dead") == std::string::npos);
    CHECK(outcome->text.find("the pasted copy still works") != std::string::npos);
    CHECK(rig.keeper().status().learned.rotates == false);
    CHECK(rig.service.rotations == 1);
    CHECK(rig.access_text() == rig.service.access());
}

TEST_CASE("the older set that is kept until a pasted one is proven is kept through an adoption and a move that failed")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto our_mark = rig.keeper().status().fingerprint;
    rig.service.issue();
    REQUIRE(rig.import(rig.service.response(), ImportMode::leave_alone));
    SECTION("an adoption")
    {
        rig.kill();
        rig.settings.machine_id = "another machine";
        rig.start();
        REQUIRE(rig.run(rig.keeper().adopt()));
    }
    SECTION("a move that one copy did not take")
    {
        rig.disk.fail_file(1, EIO);
        REQUIRE_FALSE(rig.run(rig.keeper().move_out("shelf2")));
        rig.disk.heal();
    }
    if (GENERATE(false, true)) {
        rig.kill();
        rig.start();
    }
    rig.service.rotate_elsewhere();
    rig.clock.advance_by(85h);
    CHECK(rig.keeper().status().fingerprint == our_mark);
}

TEST_CASE("what one canary taught is not believed of another one")
{
    KeeperRig rig;
    const bool was_open = GENERATE(false, true);
    rig.service.canary_is_open = was_open;
    rig.start();
    rig.give_set();
    rig.clock.advance_by(85h);
    REQUIRE(rig.keeper().status().learned.canary_refuses == !was_open);
    rig.kill();
    rig.start();
    REQUIRE(rig.keeper().status().learned.canary_refuses == !was_open);
    rig.kill();
    rig.settings.canary.identity_field = GENERATE("id", "name");
    rig.settings.canary.library_id = "";
    if (rig.settings.canary.identity_field == "id") {
        rig.settings.canary.url = "https://api.example.com/api/v2/accounts/users/me/";
    }
    rig.service.canary_is_open = !was_open;
    rig.start();
    CHECK_FALSE(rig.keeper().status().learned.canary_refuses);
    CHECK_FALSE(rig.keeper().status().learned.old_token_dies);
    rig.clock.advance_by(85h);
    CHECK(rig.keeper().status().learned.canary_refuses == was_open);
}

TEST_CASE("an answer that suddenly speaks of seconds makes no storm of refreshes, until a token does die so early")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.service.lifetime = 7;
    rig.clock.advance_by(84h);
    REQUIRE(rig.service.posts == 1);
    CHECK(rig.keeper().status().lifetime == Duration(168h));
    CHECK(rig.log_has("expires in less than a minute"));
    rig.clock.advance_by(1h);
    CHECK(rig.service.posts == 1);
    static_cast<void>(rig.run(rig.keeper().reject(rig.keeper().status().generation, "Bearer")));
    CHECK(rig.service.posts == 2);
    CHECK(rig.keeper().status().lifetime == Duration(7s));
}

TEST_CASE("a wait that the token endpoint asked for outlives a restart")
{
    struct Row {
        const char* name;
        int status;
    };
    const auto row = GENERATE(values<Row>({{"too many", 429}, {"out of service", 503}}));
    INFO(row.name);
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.service.faults.push_back({false, http::Answer::of(row.status, "{}", {{"Retry-After", "7200"}})});
    rig.clock.advance_by(84h);
    REQUIRE(rig.service.posts == 1);
    rig.kill();
    if (GENERATE(false, true)) {
        rig.settings.boot_id[0] = std::byte{2};
    }
    rig.start();
    rig.clock.advance_by(110min);
    CHECK(rig.service.posts == 1);
    rig.clock.advance_by(15min);
    CHECK(rig.service.posts == 2);
    CHECK(rig.keeper().status().state == TokenState::good);
}

}  // namespace
}  // namespace shelfd::oauth
