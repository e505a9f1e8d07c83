// What people are told about a token set: each state from the facts that make it.
#include "oauth/parts_rig.hpp"

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

struct Row {
    const char* name;
    void (*make)(PartsRig&);
    TokenState state;
    const char* reason;  // a part of it
};

void stand(PartsRig& rig, Standing standing)
{
    RefreshMachine::Start start;
    start.holding = rig.sets.holding_of(*rig.sets.present(), rig.moments);
    start.standing = standing;
    start.doubt.open = standing == Standing::in_doubt;
    rig.machine.begin(start);
}

void hold(PartsRig& rig, void (*change)(TokenSet&))
{
    auto set = rig.set();
    change(set);
    rig.sets.hold(std::move(set));
    rig.begin();
}

const std::vector<Row>& rows()
{
    using State = TokenState;
    static const std::vector<Row> table = {
        {"all is well", [](PartsRig&) {}, State::good, ""},
        {"no set", [](PartsRig& rig) { rig.sets.clear(); }, State::none, "no token set was imported yet"},
        {"forgotten", [](PartsRig& rig) { hold(rig, [](TokenSet& set) { set.origin = Origin::none; }); }, State::none,
         "its token set was deleted with auth forget"},
        {"closed", [](PartsRig& rig) { rig.journals.close("no such disk"); }, State::unreadable, "no such disk"},
        {"barred", [](PartsRig& rig) { rig.journals.set_finding(StoreState::barred, "too new"); }, State::unreadable,
         "too new"},
        {"damaged",
         [](PartsRig& rig) {
             rig.sets.clear();
             rig.journals.set_finding(StoreState::damaged, "3 damaged slots");
         },
         State::unreadable, "3 damaged slots"},
        {"another service",
         [](PartsRig& rig) { hold(rig, [](TokenSet& set) { set.service = "https://other.example.com"; }); },
         State::other_service, "this set was issued by https://other.example.com"},
        {"moved away",
         [](PartsRig& rig) {
             hold(rig, [](TokenSet& set) {
                 set.origin = Origin::moved_out;
                 set.moved_to = "ghent";
             });
         },
         State::moved, "the set was moved to ghent"},
        {"copied",
         [](PartsRig& rig) {
             rig.journals.set_finding(StoreState::copied, "on another machine");
             rig.machine.set_copied();
         },
         State::copied, "on another machine"},
        {"lost", [](PartsRig& rig) { stand(rig, Standing::lost); }, State::lost, "the answer to a refresh was lost"},
        {"foreign", [](PartsRig& rig) { stand(rig, Standing::foreign); }, State::foreign, "by somebody else"},
        {"refused", [](PartsRig& rig) { stand(rig, Standing::configuration); }, State::configuration,
         "the service refuses this application"},
        {"in doubt", [](PartsRig& rig) { stand(rig, Standing::in_doubt); }, State::in_doubt,
         "its outcome is not known"},
        {"another library",
         [](PartsRig& rig) {
             CanaryReading reading;
             reading.answer = CanaryAnswer::wrong_library;
             reading.text = "this is library 77";
             rig.sets.record_identity(reading);
         },
         State::wrong_library, "this is library 77"},
        {"access only", [](PartsRig& rig) { hold(rig, [](TokenSet& set) { set.refresh = Secret(); }); }, State::ends,
         "works until the access token expires"},
        {"ended",
         [](PartsRig& rig) {
             hold(rig, [](TokenSet& set) { set.refresh = Secret(); });
             rig.world.clock.advance_by(assumed_lifetime);
         },
         State::ended, "the access token has expired"},
        {"waiting", [](PartsRig& rig) { rig.world.clock.advance_by(assumed_lifetime); }, State::waiting,
         "a refresh is due"},
    };
    return table;
}

TEST_CASE("a refresh whose outcome is not known says in plain words what is asked next, and how to ask at once")
{
    PartsRig rig;
    rig.open();
    rig.put_in_force(rig.set());
    stand(rig, Standing::in_doubt);
    const auto status = describe(rig.facts());
    CHECK(status.next.starts_with("asks the service again"));
    CHECK(status.next.find("canary") == std::string::npos);
    CHECK(status.next.ends_with("to try at once: shelfctl sync " + rig.facts().library));
}

TEST_CASE("each state has its reason, and what needs a person says what to do")
{
    for (const auto& row : rows()) {
        CAPTURE(row.name);
        PartsRig rig;
        rig.open();
        rig.put_in_force(rig.set());
        row.make(rig);
        const auto status = describe(rig.facts());
        REQUIRE(status.state == row.state);
        REQUIRE(status.reason.find(row.reason) != std::string::npos);
        REQUIRE(status.needs_person == needs_person(row.state));
        REQUIRE((!status.needs_person || !status.do_this.empty()));
        REQUIRE((!status.deadline || status.access_usable));
    }
}

TEST_CASE("what a loss or a refusal advises follows from the reason that the journals hold")
{
    struct Case {
        Standing standing;
        const char* reason;
        const char* advice;  // its beginning
    };
    for (const auto& one :
         {Case{Standing::configuration, "HTTP 400, invalid_scope", "ask the operator of the service to permit"},
          Case{Standing::configuration, "HTTP 401, invalid_client", "correct client_id, client_secret or base_url"},
          Case{Standing::foreign, "HTTP 400, invalid_grant", "ask the owner for a new token set"},
          Case{Standing::foreign, "HTTP 400, invalid_grant, after an answer that could not be read",
               "copy these files, and ask the operator"},
          Case{Standing::lost, "HTTP 400, invalid_grant, after an answer that could not be read",
               "copy these files, and ask the operator"},
          Case{Standing::lost, "the tokens have more than 15 KiB together, too much for a record of the journal",
               "ask the operator of the service for shorter tokens"}}) {
        INFO(one.reason);
        PartsRig rig;
        rig.open();
        rig.put_in_force(rig.set());
        stand(rig, one.standing);
        rig.standing.set_reason(one.reason);
        const auto advice = describe(rig.facts()).do_this;
        INFO(advice);
        CHECK(advice.starts_with(one.advice));
    }
}

TEST_CASE("a set waits for an access token since the last one expired, not since it was issued")
{
    PartsRig rig;
    rig.open();
    rig.put_in_force(rig.set());
    rig.world.clock.advance_by(assumed_lifetime + 10min);
    const auto status = describe(rig.facts());
    REQUIRE(status.state == TokenState::waiting);
    REQUIRE(status.expires);
    CHECK(status.since == *status.expires);
    CHECK(status.do_this.empty());
}

TEST_CASE("a set on one copy alone needs a person once mending has failed")
{
    PartsRig rig;
    rig.open();
    rig.put_in_force(rig.set());
    rig.world.disk.fail_file(1, 5);
    auto write = [&](JournalPair& pair) { return pair.write_token(*rig.sets.present(), rig.moments.now()); };
    rig.world.run(rig.journals.write(write));
    REQUIRE_FALSE(describe(rig.facts()).needs_person);
    rig.world.run(rig.journals.tend());
    const auto status = describe(rig.facts());
    REQUIRE(status.state == TokenState::good);
    REQUIRE(status.needs_person);
    REQUIRE(status.reason.find("only one copy of the token journals can be used") == 0);
}

TEST_CASE("a set of a login that waits is advice that destroys nothing")
{
    PartsRig rig;
    rig.open();
    rig.put_in_force(rig.set());
    const auto is_ours = GENERATE(false, true);
    auto candidate = rig.set();
    candidate.client_id = is_ours ? candidate.client_id : "other";
    rig.sets.set_candidate(std::move(candidate));
    const auto status = describe(rig.facts());
    REQUIRE(status.needs_person == !is_ours);
    REQUIRE(status.reason.find("the set of the last login waits") == 0);
    REQUIRE(status.do_this.find("forget") == std::string::npos);
    REQUIRE(why_not(rig.facts()).kind() == ErrorKind::needs_person);
}

TEST_CASE("a refresh that cannot be sent is reported when it begins and when it ends")
{
    PartsRig rig;
    rig.open();
    rig.put_in_force(rig.set());
    rig.world.clock.advance_by(assumed_lifetime);
    const auto event = [&](RefreshMachine::EventKind kind) {
        RefreshMachine::Event made;
        made.kind = kind;
        made.now = rig.world.clock.boot_now();
        return made;
    };
    rig.machine.resume(event(RefreshMachine::EventKind::woke));
    rig.machine.resume(event(RefreshMachine::EventKind::canary));  // unreachable
    REQUIRE(rig.machine.why() == Why::unreachable);
    const auto record = [&] { rig.blockage.record(rig.facts(), rig.services.log); };
    record();
    REQUIRE(rig.world.log_has("a refresh is due and waits: the service cannot be asked about the token"));
    REQUIRE(describe(rig.facts()).state == TokenState::waiting);
    rig.world.clock.advance_by(1h);
    const auto since = rig.world.clock.now();
    record();
    record();
    REQUIRE(rig.world.log_lines.size() == 2);
    REQUIRE(rig.world.log_has("the token set cannot be refreshed"));
    rig.world.clock.advance_by(1h);
    REQUIRE(describe(rig.facts()).state == TokenState::blocked);
    REQUIRE(describe(rig.facts()).since == since);
    rig.begin();
    record();
    REQUIRE(rig.world.log_has("the token set can be refreshed again"));
}

}  // namespace
}  // namespace shelfd::oauth
