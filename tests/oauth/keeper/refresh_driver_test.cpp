// The actions of the refresh machine, carried out in the order that no crash may break.
#include "oauth/keeper/refresh_driver.hpp"
#include "oauth/parts_rig.hpp"

#include <cerrno>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

struct Driven : PartsRig {
    Driven()
    {
        open();
        put_in_force(set());
        world.clock.advance_by(assumed_lifetime / 2 + 1h);
    }
    Recovered on_disk(std::size_t copy)
    {
        auto gone = [] { return Result<std::unique_ptr<storage::JournalFile>>(Error(ErrorKind::storage, "gone")); };
        JournalPair one(copy == 0 ? store.a : gone, copy == 1 ? store.b : gone, "antwerp");
        return std::move(*one.open());
    }
    RefreshMachine::Action wake()
    {
        return world.run(driver.drive(machine.resume(driver.make_event(RefreshMachine::EventKind::woke))));
    }

    KeeperParts all = parts();
    RefreshDriver driver{all, store.places};
};

TEST_CASE("the intent is on both copies before the POST, the answer on both before the set is held")
{
    Driven rig;
    const auto old_access = rig.sets.access();
    rig.world.client.handle([&](const http::SeenRequest& request) {
        if (request.method == http::Method::post) {
            for (const std::size_t copy : {0u, 1u}) {
                CAPTURE(copy);
                const auto known = rig.on_disk(copy);
                REQUIRE(known.intent_open);
                REQUIRE(known.attempt == rig.machine.attempt());
                REQUIRE(known.set->generation == 1);
            }
        }
        return rig.world.service.answer(request);
    });
    std::size_t writes_while_old = 0;
    std::size_t writes_while_new = 0;
    rig.world.disk.on_call = [&](const storage::DiskCall& call) {
        if (rig.machine.state() == RefreshMachine::State::committing && call.kind == storage::DiskCall::Kind::sync) {
            (rig.sets.access() == old_access ? writes_while_old : writes_while_new) += 1;
        }
    };
    const auto rest = rig.wake();
    REQUIRE(rest.kind == RefreshMachine::ActionKind::rest);
    REQUIRE(rig.world.service.posts == 1);
    REQUIRE(writes_while_old == 2);
    REQUIRE(writes_while_new == 0);
    for (const std::size_t copy : {0u, 1u}) {
        CAPTURE(copy);
        REQUIRE(rig.on_disk(copy).set->generation == 2);
    }
    REQUIRE(rig.sets.access_token().token->reveal() == rig.world.service.access());
    REQUIRE(rig.sets.old_access().equals(*old_access));
    REQUIRE(rig.machine.standing() == Standing::good);
}

TEST_CASE("no intent, no POST")
{
    Driven rig;
    rig.world.disk.on_call = [&](const storage::DiskCall&) {
        if (rig.machine.state() == RefreshMachine::State::intending) {
            rig.world.disk.fail_after(0, EIO);
        }
    };
    rig.wake();
    REQUIRE(rig.world.service.posts == 0);
    REQUIRE(rig.machine.why() == Why::storage);
    REQUIRE(rig.sets.present()->generation == 1);
}

TEST_CASE("a client secret that cannot be read sends nothing and writes no intent")
{
    Driven rig;
    rig.world.settings.client_secret = [] { return Result<Secret>(Error(ErrorKind::permission, "not readable")); };
    rig.wake();
    REQUIRE(rig.world.service.posts == 0);
    REQUIRE(rig.machine.why() == Why::secret);
    REQUIRE(rig.standing.trouble() == "not readable");
    REQUIRE_FALSE(rig.on_disk(0).intent_open);
    REQUIRE(rig.driver.read_secret_again());
}

TEST_CASE("a refusal leaves a verdict with its reason, on both copies and in the log")
{
    Driven rig;
    rig.world.service.wrong_client = true;
    rig.wake();
    REQUIRE(rig.machine.standing() == Standing::configuration);
    for (const std::size_t copy : {0u, 1u}) {
        const auto known = rig.on_disk(copy);
        REQUIRE_FALSE(known.intent_open);
        REQUIRE(known.note->standing == Standing::configuration);
        REQUIRE(known.note->reason == rig.standing.reason());
    }
    REQUIRE(rig.world.log_has("a refresh did not give a new token set"));
}

TEST_CASE("a set that no disk takes stays in memory and is tried again until one does")
{
    Driven rig;
    rig.world.disk.on_call = [&](const storage::DiskCall&) {
        if (rig.machine.state() == RefreshMachine::State::committing && rig.machine.failed_commits() == 0) {
            rig.world.disk.fail_after(0, EIO);
        }
    };
    std::size_t tries = 0;
    rig.all.changed = [&] {
        if (rig.machine.failed_commits() > tries) {
            ++tries;
            REQUIRE(rig.sets.present()->generation == 1);
        }
        if (tries == 2) {
            rig.world.disk.heal();
        }
    };
    rig.wake();
    REQUIRE(tries == 2);
    REQUIRE(rig.world.log_has("a new token set is in memory only: no disk accepts it"));
    REQUIRE(rig.world.service.posts == 1);
    REQUIRE(rig.sets.present()->generation == 2);
    REQUIRE(rig.on_disk(0).set->generation == 2);
}

TEST_CASE("what becomes the next generation is made of the answer and of the set before")
{
    struct Row {
        const char* name;
        Origin before;
        RefreshMachine::ActionKind kind;
        Origin after;
        const char* refresh;
    };
    using Kind = RefreshMachine::ActionKind;
    const auto row = GENERATE(values<Row>({
        {"a refresh", Origin::rotated, Kind::commit, Origin::rotated, "new"},
        {"a refresh of an untried set", Origin::untried, Kind::commit, Origin::unproven, "new"},
        {"the rest of an answer", Origin::rotated, Kind::commit_rest, Origin::rest_of_answer, ""},
        {"the set before", Origin::pasted, Kind::restore_kept, Origin::restored, "kept"},
    }));
    CAPTURE(row.name);
    PartsRig rig;
    auto present = rig.set();
    present.generation = 7;
    present.origin = row.before;
    present.scope = "read";
    present.keep = 6;
    auto kept = rig.set();
    kept.refresh = Secret("kept");
    rig.sets.recover(std::move(present), std::move(kept));
    rig.begin();
    TokenAnswer answer;
    answer.access = Secret("new access");
    answer.refresh = Secret("new");
    const auto next = next_set(row.kind, {rig.sets, rig.machine, rig.moments, answer, rig.world.clock.boot_now()});
    REQUIRE(next.generation == 8);
    REQUIRE(next.origin == row.after);
    REQUIRE(next.refresh.reveal() == row.refresh);
    REQUIRE(next.keep == (row.after == Origin::unproven ? 6 : 0));
    REQUIRE((row.kind == Kind::restore_kept || next.scope == "read"));
    REQUIRE((row.kind == Kind::restore_kept || next.access.reveal() == "new access"));
}

TEST_CASE("a lifetime of less than a minute is believed once an access token has died so early")
{
    PartsRig rig;
    rig.sets.recover(rig.set(), std::nullopt);
    rig.begin();
    TokenAnswer answer;
    const auto lifetime = [&] {
        return lifetime_of({rig.sets, rig.machine, rig.moments, answer, rig.world.clock.boot_now()});
    };
    REQUIRE(lifetime() == assumed_lifetime);  // nothing was said
    answer.lifetime = 2h;
    REQUIRE(lifetime() == Duration(2h));
    answer.lifetime = 7s;
    REQUIRE(lifetime() == assumed_lifetime);
    RefreshMachine::Event rejected;
    rejected.kind = RefreshMachine::EventKind::rejected;
    rejected.now = rig.world.clock.boot_now();
    rig.machine.resume(rejected);
    RefreshMachine::Event refused;
    refused.kind = RefreshMachine::EventKind::canary;
    refused.now = rejected.now;
    refused.canary = CanaryAnswer::refused;
    rig.machine.resume(refused);
    REQUIRE(rig.machine.access_is_dead());
    REQUIRE(lifetime() == Duration(7s));
}

}  // namespace
}  // namespace shelfd::oauth
