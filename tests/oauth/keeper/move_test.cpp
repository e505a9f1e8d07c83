// A set that moves from one machine to another.
#include "oauth/keeper_rig.hpp"
#include "oauth/set/moved_set.hpp"
#include "support/catch.hpp"

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

std::string move_out(KeeperRig& rig, const std::string& where = "shelf2")
{
    auto document = rig.run(rig.keeper().move_out(where));
    REQUIRE(document);
    return std::string(document->reveal());
}

Result<ImportOutcome> move_in(KeeperRig& rig, const std::string& document)
{
    auto moved = read_moved_set(document);
    REQUIRE(moved);
    return rig.run(rig.keeper().move_in(std::move(*moved)));
}

// Asks the same service.
struct OtherMachine : KeeperRig {
    explicit OtherMachine(KeeperRig& source)
    {
        settings.machine_id = "another machine";
        client.handle([&source](const http::SeenRequest& request) { return source.service.answer(request); });
        start();
    }
};

TEST_CASE("a set that was moved away is not used here any more, not after any time or restart, and status says so")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    move_out(rig);
    const auto asked = rig.client.seen().size();
    for (int start = 0; start < 2; ++start) {
        const auto status = rig.keeper().status();
        CHECK(status.state == TokenState::moved);
        CHECK(status.needs_person);
        CHECK_FALSE(status.access_usable);
        CHECK(status.fingerprint.empty());
        CHECK(status.reason.find("shelf2") != std::string::npos);
        CHECK(status.do_this.find("shelfctl auth adopt antwerp") != std::string::npos);
        CHECK(rig.access().error().kind() == ErrorKind::needs_person);
        CHECK_FALSE(rig.keeper().reveal());
        rig.clock.advance_by(400h);
        rig.kill();
        rig.start();
    }
    CHECK(rig.client.seen().size() == asked);
    const auto elsewhere = rig.run(rig.keeper().move_out("shelf3"));
    REQUIRE_FALSE(elsewhere);
    CHECK(elsewhere.error().text().find("moved already, to shelf2") != std::string::npos);
    CHECK(elsewhere.error().text().find("shelfctl auth move-out antwerp --to shelf2") != std::string::npos);
    CHECK_FALSE(rig.run(rig.keeper().move_out("")));
}

TEST_CASE("a set that was moved is given out again for the same destination, after a restart too, until it is adopted")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto first = read_moved_set(move_out(rig));
    const auto asked = rig.client.seen().size();
    rig.kill();
    rig.start();
    const auto again = read_moved_set(move_out(rig));
    REQUIRE(first);
    REQUIRE(again);
    CHECK(again->set.refresh.equals(first->set.refresh));
    CHECK(again->set.access.equals(first->set.access));
    CHECK(again->from.generation == first->from.generation);
    CHECK(rig.keeper().status().state == TokenState::moved);
    CHECK(rig.client.seen().size() == asked);
    rig.disk.fail_file(1, EIO);
    const auto unsafe = rig.run(rig.keeper().move_out("shelf2"));
    REQUIRE_FALSE(unsafe);
    CHECK(unsafe.error().kind() == ErrorKind::storage);
    rig.disk.heal();
    rig.kill();
    rig.start();
    REQUIRE(rig.run(rig.keeper().adopt()));
    CHECK(rig.keeper().status().state == TokenState::good);
}

TEST_CASE("what was moved out goes on elsewhere, sealed there, and the source learns it before it takes it back")
{
    KeeperRig source;
    source.start();
    source.give_set();
    const auto document = move_out(source);

    OtherMachine target(source);
    const auto outcome = move_in(target, document);
    REQUIRE(outcome);
    CHECK(outcome->sealed);
    CHECK(target.access_text() == source.service.access());
    CHECK(target.keeper().status().state == TokenState::good);

    const auto posts = source.service.posts;
    const auto refused = source.run(source.keeper().adopt());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind() == ErrorKind::needs_person);
    CHECK(refused.error().text().find("another machine has probably refreshed the set") != std::string::npos);
    CHECK(source.keeper().status().state == TokenState::moved);
    source.clock.advance_by(1s);
    CHECK(source.service.posts == posts);
    CHECK(target.access_text() == source.service.access());

    // Once the access token would have expired anyway, nothing tells it any more.
    source.clock.advance_by(169h);
    REQUIRE(source.run(source.keeper().adopt()));
    source.clock.advance_by(1s);
    static_cast<void>(source.run(source.keeper().reject(source.keeper().status().generation, "Bearer")));
    CHECK(source.keeper().status().state == TokenState::foreign);
}

TEST_CASE(
    "a moved set whose access token was revoked, but which nobody has refreshed, is refreshed by a move to itself")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    static_cast<void>(move_out(rig));
    rig.service.revoke_access();
    const auto refused = rig.run(rig.keeper().adopt());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text().find("shelfctl auth move-out antwerp | shelfctl auth move-in antwerp") !=
          std::string::npos);
    CHECK(rig.service.posts == 0);
    const auto moved = move_in(rig, move_out(rig));
    INFO((moved ? "" : moved.error().text()));
    CHECK(moved);
    CHECK(rig.access_text() == rig.service.access());
}

TEST_CASE("a copied store whose original has refreshed the set is not adopted while the access token tells it")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.kill();
    rig.settings.machine_id = "another machine";
    rig.start();
    REQUIRE(rig.keeper().status().state == TokenState::copied);
    rig.service.rotate_elsewhere();
    const auto refused = rig.run(rig.keeper().adopt());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text().find("shelfctl auth ask antwerp") != std::string::npos);
    CHECK(rig.keeper().status().state == TokenState::copied);
    rig.clock.advance_by(1h);
    CHECK(rig.service.posts == 0);
    CHECK(rig.service.reuses == 0);
    rig.service.canary_fault = http::Answer::of(503, "");  // it tells nothing
    CHECK(rig.run(rig.keeper().adopt()));
}

TEST_CASE("a move or an import that is typed again, because its answer was lost, says that the set arrived")
{
    KeeperRig source;
    source.start();
    source.give_set();
    const auto document = move_out(source);
    OtherMachine target(source);
    REQUIRE(move_in(target, document));
    const auto posts = source.service.posts;
    const auto moved = move_in(target, document);
    REQUIRE_FALSE(moved);
    CHECK(moved.error().text().find("If you have moved this set in before, it arrived, and there is nothing to do") !=
          std::string::npos);
    const auto imported = target.import(document, ImportMode::seal);
    REQUIRE_FALSE(imported);
    CHECK(imported.error().text().find("if this one was imported before, it arrived and was sealed") !=
          std::string::npos);
    CHECK(source.service.posts == posts);
    CHECK(target.keeper().status().state == TokenState::good);
    CHECK(target.access_text() == source.service.access());
}

TEST_CASE("a set that never arrived is taken back by adoption, by moving it in again, or by importing it")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto ours = rig.service.access();
    const auto document = move_out(rig);
    SECTION("adopted")
    {
        REQUIRE(rig.run(rig.keeper().adopt()));
        CHECK(rig.access_text() == ours);
    }
    SECTION("moved in again")
    {
        REQUIRE(move_in(rig, document));
    }
    SECTION("imported")
    {
        REQUIRE(rig.import(document, ImportMode::seal));
    }
    CHECK(rig.keeper().status().state == TokenState::good);
    rig.kill();
    rig.start();
    CHECK(rig.keeper().status().state == TokenState::good);
    CHECK(rig.access_text() == rig.service.access());
}

TEST_CASE("only a set that would go on elsewhere is told, and none that is of another service or application is taken")
{
    KeeperRig rig;
    rig.start();
    CHECK_FALSE(rig.run(rig.keeper().move_out("")));
    rig.give_set();
    const auto document = move_out(rig);
    rig.kill();
    rig.settings.endpoint.client_id = "other";
    rig.start();
    const auto refused = move_in(rig, document);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text().find("the application client") != std::string::npos);
    rig.kill();
    rig.settings.endpoint.base_url = "https://sandbox.example.com";
    rig.start();
    CHECK_FALSE(move_in(rig, document));
    for (const auto* text : {"", "{}", R"({"access_token": "a", "refresh_token": "b"})", "access_token=a"}) {
        INFO(text);
        const auto read = read_moved_set(text);
        REQUIRE_FALSE(read);
        CHECK(read.error().kind() == ErrorKind::usage);
    }
}

TEST_CASE("with a copy that cannot take the mark the set is not told, and stays")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto ours = rig.service.access();
    rig.disk.fail_file(1, EIO);
    const auto outcome = rig.run(rig.keeper().move_out("shelf2"));
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().kind() == ErrorKind::storage);
    CHECK(rig.keeper().status().state == TokenState::good);
    CHECK(rig.access_text() == ours);
    rig.disk.heal();
    rig.kill();
    rig.start();
    CHECK(rig.access_text() == ours);
}

TEST_CASE("killed at every disk call of a move, the set is never told while it lives here, and never lost")
{
    std::size_t calls = 0;
    std::size_t told = 0;
    for (std::size_t kill_at = 0; kill_at <= calls; ++kill_at) {
        KeeperRig rig;
        rig.start();
        rig.give_set();
        const auto ours = rig.service.access();
        std::size_t call = 0;
        rig.disk.on_call = [&](const storage::DiskCall&) {
            if (!rig.is_dead() && call++ == kill_at) {
                rig.die();
            }
        };
        bool is_told = false;
        auto attempt = [](asio::awaitable<Result<Secret>> moving, const KeeperRig& at,
                          bool& done) -> asio::awaitable<void> {
            const auto document = co_await std::move(moving);
            done = document.has_value() && !at.is_dead();
        };
        {
            TaskGroup group(rig.loop.get_executor());
            group.spawn(attempt(rig.keeper().move_out("shelf2"), rig, is_told));
            rig.clock.advance_by(1min);
            rig.disk.on_call = {};
            rig.kill();
            group.cancel();
            rig.run(group.join());
        }
        calls = std::max(calls, call);
        INFO("killed at call " << kill_at << " of " << calls);
        rig.start();
        const auto state = rig.keeper().status().state;
        REQUIRE((state == TokenState::good || state == TokenState::moved));
        REQUIRE((!is_told || state == TokenState::moved));
        if (state == TokenState::moved) {
            const auto again = rig.run(rig.keeper().move_out("shelf2"));
            REQUIRE(again);
            REQUIRE(read_moved_set(again->reveal())->set.access.reveal() == ours);
            REQUIRE(rig.run(rig.keeper().adopt()));
        }
        REQUIRE(rig.access_text() == ours);
        told += is_told ? 1 : 0;
    }
    WARN(calls << " disk calls of a move");
    REQUIRE(calls > 10);
    REQUIRE(told == 1);
}

TEST_CASE("the document of a move reads back as it was written, whatever the names in it hold")
{
    TokenSet set;
    set.generation = 7;
    set.access = Secret(std::string("a\"b\\c"));
    set.refresh = Secret(std::string("refresh"));
    set.scope = "accounts library";
    set.service = "https://api.example.com";
    set.library_id = "42";
    set.from_login = true;
    set.client_id = "with \"quotes\"";
    set.lifetime = 100h;
    set.issued.wall = Instant::from_seconds(1'704'520'800);
    const auto document = write_moved_set(set, "antwerp", set.issued.wall + 40h);
    const auto moved = read_moved_set(document.reveal());
    REQUIRE(moved);
    CHECK(moved->set.access.reveal() == "a\"b\\c");
    CHECK(moved->set.refresh.reveal() == "refresh");
    CHECK(moved->set.scope == "accounts library");
    CHECK(moved->set.lifetime == Duration(60h));
    CHECK(moved->from.library == "antwerp");
    CHECK(moved->from.service == "https://api.example.com");
    CHECK(moved->from.client_id == "with \"quotes\"");
    CHECK(moved->from.generation == 7);
    CHECK(moved->from.library_id == "42");
    CHECK(moved->from.from_login);
    set.from_login = false;
    const auto other = read_moved_set(write_moved_set(set, "antwerp", set.issued.wall).reveal());
    REQUIRE(other);
    CHECK_FALSE(other->from.from_login);
}

// A source that gives its set away, and a target for which it arrives after its access token has ended.
struct LateMove {
    LateMove()
    {
        source.start();
        source.give_set();
        document = move_out(source);
        source.service.expire_access();
        target.settings.machine_id = "another machine";
        target.client.handle([this](const http::SeenRequest& request) { return source.service.answer(request); });
        target.start();
    }
    KeeperRig source, target;
    std::string document;
};

TEST_CASE("a set whose access token ended on the way is refreshed where it arrives")
{
    LateMove late;
    SECTION("at once")
    {
        const auto outcome = move_in(late.target, late.document);
        REQUIRE(outcome);
        CHECK(outcome->sealed);
    }
    SECTION("as soon as the service can be reached for it")
    {
        late.source.service.faults.push_back({false, http::Answer::failed(ErrorKind::network, Delivery::not_sent)});
        const auto outcome = move_in(late.target, late.document);
        REQUIRE(outcome);
        CHECK(outcome->text.find("no new one was received yet") != std::string::npos);
        late.target.kill();
        late.target.start();
        late.target.clock.advance_by(1min);
    }
    CHECK(late.source.service.rotations == 1);
    for (int start = 0; start < 2; ++start) {
        CHECK(late.target.keeper().status().state == TokenState::good);
        CHECK(late.target.access_text() == late.source.service.access());
        late.target.kill();
        late.target.start();
    }
}

TEST_CASE("a set that nothing proves, and whose refresh is in doubt, leaves its loop to the others")
{
    LateMove late;
    auto& service = late.source.service;
    late.target.client.handle([&service](const http::SeenRequest& request) {
        auto answer = service.answer(request);
        service.canary_fault = http::Answer::of(403, R"({"detail":"no"})");  // from the second request on
        return answer;
    });
    const auto outcome = move_in(late.target, late.document);
    REQUIRE_FALSE(outcome);
    REQUIRE(outcome.error().text().find("its library is not known yet") != std::string::npos);
    // Due by age, and without an end that anybody could be sure of.
    for (int i = 0; i < 4; ++i) {
        service.faults.push_back({false, http::Answer::of(502, "")});
    }
    late.target.clock.advance_by(86h);
    CHECK(service.faults.size() < 4);
    late.target.client.handle([&service](const http::SeenRequest& request) {
        service.canary_fault.reset();
        return service.answer(request);
    });
    late.target.clock.advance_by(8h);
    CHECK(late.target.keeper().status().state == TokenState::good);
    CHECK(service.reuses == 0);
}

TEST_CASE("a set that only a refresh could try is left alone where its document does not prove enough")
{
    LateMove late;
    SECTION("of another library")
    {
        late.target.kill();
        late.target.settings.canary.library_id = "7";
        late.target.start();
    }
    SECTION("of a library that nobody names")
    {
        late.document.replace(late.document.find(R"("library_id": "42")"), 18, R"("library_id": "")");
        late.document.replace(late.document.find(R"("library": "antwerp")"), 20, R"("library": "bruges")");
    }
    SECTION("where it would take the place of a good one")
    {
        KeeperRig other;
        auto& good = late.target;
        good.client.handle([&other](const http::SeenRequest& request) { return other.service.answer(request); });
        other.service.issue();
        REQUIRE(good.import(other.service.response(), ImportMode::leave_alone));
        good.client.handle([&late](const http::SeenRequest& request) { return late.source.service.answer(request); });
    }
    const auto outcome = move_in(late.target, late.document);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().text().find("nothing was changed") != std::string::npos);
    CHECK(outcome.error().text().find("shelfctl auth adopt") != std::string::npos);
    CHECK(late.source.service.posts == 0);
    REQUIRE(late.source.run(late.source.keeper().adopt()));
    static_cast<void>(late.source.run(late.source.keeper().reject(late.source.keeper().status().generation, "Bearer")));
    CHECK(late.source.access_text() == late.source.service.access());
}

TEST_CASE("a set that was moved and answers as another library after its refresh stays, and fills no table")
{
    LateMove late;
    late.source.service.library_id = "7";
    const auto outcome = move_in(late.target, late.document);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().text().find("is kept") != std::string::npos);
    CHECK(late.target.keeper().status().state == TokenState::wrong_library);
    late.source.service.library_id = "42";
    static_cast<void>(late.target.run(late.target.keeper().canary()));
    CHECK(late.target.keeper().status().state == TokenState::good);
    CHECK(late.target.access_text() == late.source.service.access());
}

TEST_CASE("a revocation goes to the path that is configured, with the refresh token, and to no other")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto asked = rig.client.seen().size();
    const auto refused = rig.run(rig.keeper().revoke());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text().find("revocation_path is not configured") != std::string::npos);
    CHECK(rig.client.seen().size() == asked);

    KeeperRig other;
    other.settings.endpoint.revocation_path = "/oauth/revoke_token/";
    other.start();
    other.give_set();
    const auto before = other.client.seen().size();
    // What is refused there is an error, and the set stays in use.
    const auto answered = other.run(other.keeper().revoke());
    REQUIRE_FALSE(answered);
    CHECK(answered.error().text().find("/oauth/revoke_token/ answered 401") != std::string::npos);
    REQUIRE(other.client.seen().size() == before + 1);
    const auto& sent = other.client.seen().back();
    CHECK(sent.url.find("/oauth/revoke_token/") != std::string::npos);
    CHECK(sent.body.find("token=" + other.service.refresh() + "&token_type_hint=refresh_token") != std::string::npos);
    CHECK(other.keeper().status().state == TokenState::good);

    move_out(other);
    CHECK(other.run(other.keeper().revoke()).error().text().find("another machine") != std::string::npos);
    CHECK(other.client.seen().size() == before + 1);
}

TEST_CASE("the set of a store that looks copied is not revoked: where it was copied from it may be in use")
{
    KeeperRig rig;
    rig.settings.endpoint.revocation_path = "/oauth/revoke_token/";
    rig.start();
    rig.give_set();
    rig.kill();
    rig.settings.machine_id = "another machine";
    rig.start();
    REQUIRE(rig.keeper().status().state == TokenState::copied);
    const auto before = rig.client.seen().size();
    const auto refused = rig.run(rig.keeper().revoke());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind() == ErrorKind::usage);
    CHECK(refused.error().text().find("looks copied") != std::string::npos);
    CHECK(rig.client.seen().size() == before);
}

}  // namespace
}  // namespace shelfd::oauth
