// The orders of a person, each with the parts alone: what they change, and what they leave as it was.
#include "oauth/intake/import_outcome.hpp"
#include "oauth/intake/set_intake.hpp"
#include "oauth/parts_rig.hpp"

#include <cerrno>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

struct Intake : PartsRig {
    Intake()
    {
        open();
        begin_empty();
    }
    void begin_empty() { machine.begin({}); }
    ImportedSet pasted() const
    {
        ImportedSet given;
        given.access = Secret(world.service.access());
        given.refresh = Secret(world.service.refresh());
        return given;
    }
    // What a start would find.
    Recovered on_disk()
    {
        JournalPair next(store.a, store.b, "antwerp");
        return std::move(*next.open());
    }
    CodeGrant grant()
    {
        CodeGrant grant;
        grant.code = Secret(world.service.new_code("verifier"));
        grant.verifier = Secret("verifier");
        return grant;
    }

    SetIntake intake{parts()};
};

TEST_CASE("another set is durable before it is held, and nothing is held that no disk takes")
{
    Intake rig;
    rig.put_in_force(rig.set());
    auto next = rig.set();
    next.generation = 2;
    next.refresh = Secret("another");
    bool was_held_early = false;
    rig.world.disk.on_call = [&](const storage::DiskCall&) {
        was_held_early = was_held_early || rig.sets.present()->generation == 2;
    };
    const auto is_full = GENERATE(false, true);
    if (is_full) {
        rig.world.disk.fail_after(0, ENOSPC);
    }
    const auto trouble = rig.world.run(rig.intake.change.replace(std::move(next), std::nullopt));
    REQUIRE_FALSE(was_held_early);
    REQUIRE(trouble.empty() == !is_full);
    REQUIRE(rig.sets.present()->generation == (is_full ? 1 : 2));
    REQUIRE(rig.machine.holding().generation == rig.sets.present()->generation);
    rig.world.disk.on_call = {};
    rig.world.disk.heal();
    if (is_full) {
        REQUIRE(rig.world.run(rig.journals.tend()) == JournalTender::Tended::mended);
    }
    REQUIRE(rig.on_disk().set->generation == rig.sets.present()->generation);
}

TEST_CASE("a set that works is taken, and rotated where it was pasted")
{
    const auto mode = GENERATE(ImportMode::seal, ImportMode::leave_alone, ImportMode::access_only);
    Intake rig;
    const auto outcome = rig.world.run(rig.intake.import.run(rig.pasted(), {mode, Destroying::refused}));
    REQUIRE(outcome);
    REQUIRE(rig.rotations == (mode == ImportMode::seal ? 1 : 0));
    REQUIRE(rig.sets.present()->refresh.empty() == (mode == ImportMode::access_only));
    REQUIRE(rig.sets.present()->library_id == "42");
    REQUIRE(rig.on_disk().set->generation == 1);
}

TEST_CASE("an import that is refused changes nothing")
{
    struct Row {
        const char* name;
        void (*make)(Intake&, ImportedSet&, ImportOrder&);
        const char* why;
    };
    const auto row = GENERATE(values<Row>({
        {"closed journals", [](Intake& rig, ImportedSet&, ImportOrder&) { rig.journals.close("no such disk"); },
         "no such disk"},
        {"a login that waits", [](Intake& rig, ImportedSet&, ImportOrder&) { rig.sets.set_candidate(rig.set()); },
         "would destroy it"},
        {"no refresh token", [](Intake&, ImportedSet& given, ImportOrder&) { given.refresh = Secret(); },
         "no refresh_token"},
        {"the set of another library",
         [](Intake& rig, ImportedSet&, ImportOrder&) {
             rig.world.settings.other_holder = [](const std::string&) { return std::string("ghent"); };
         },
         "belongs to library ghent"},
        {"the set that is here", [](Intake& rig, ImportedSet&, ImportOrder&) { rig.put_in_force(rig.set()); },
         "already has this set"},
        {"an access token instead of a set",
         [](Intake& rig, ImportedSet&, ImportOrder& order) {
             rig.put_in_force(rig.set());
             order.mode = ImportMode::access_only;
         },
         "which this would destroy"},
        {"a wrong token", [](Intake&, ImportedSet& given, ImportOrder&) { given.access = Secret("wrong"); }, ""},
        {"a token that is not active",
         [](Intake& rig, ImportedSet&, ImportOrder&) {
             rig.world.settings.endpoint.introspection_path = "/oauth/introspect/";
             rig.world.service.introspection = R"({"active":false})";
             rig.world.service.canary_is_open = true;  // so that it proves nothing
         },
         "is not active"},
    }));
    CAPTURE(row.name);
    Intake rig;
    auto given = rig.pasted();
    ImportOrder order;
    row.make(rig, given, order);
    const auto before = rig.sets.present() ? rig.sets.present()->generation : 0;
    const auto outcome = rig.world.run(rig.intake.import.run(std::move(given), order));
    REQUIRE_FALSE(outcome);
    REQUIRE(outcome.error().text().find(row.why) != std::string::npos);
    REQUIRE((rig.sets.present() ? rig.sets.present()->generation : 0) == before);
    REQUIRE(rig.world.service.posts == 0);
    REQUIRE(rig.rotations == 0);
}

TEST_CASE("a code is sent once its intent is durable, and its set takes the place of the present one")
{
    Intake rig;
    rig.put_in_force(rig.set());
    std::optional<Note> intent;
    rig.world.client.handle([&](const http::SeenRequest& request) {
        if (request.body.find("authorization_code") != std::string::npos) {
            intent = rig.on_disk().note;
            REQUIRE(rig.intake.login.is_redeeming());
        }
        return rig.world.service.answer(request);
    });
    const auto outcome = rig.world.run(rig.intake.login.run(rig.grant()));
    REQUIRE(outcome);
    REQUIRE(intent);
    REQUIRE(intent->code_sent);
    REQUIRE_FALSE(rig.intake.login.is_redeeming());
    REQUIRE_FALSE(rig.sets.candidate());
    REQUIRE_FALSE(rig.journals.holds_code_intent());
    REQUIRE(rig.sets.present()->origin == Origin::granted);
    REQUIRE(rig.on_disk().set->generation == 2);
}

TEST_CASE("a login waits in the journal until the canary answers, and a restart goes on with it")
{
    Intake rig;
    rig.put_in_force(rig.set());
    rig.world.service.canary_fault = http::Answer::of(500, "");
    const auto outcome = rig.world.run(rig.intake.login.run(rig.grant()));
    REQUIRE_FALSE(outcome);
    REQUIRE(outcome.error().kind() == ErrorKind::busy);
    REQUIRE(rig.sets.candidate());
    REQUIRE(rig.journals.holds_code_intent());
    const auto known = rig.on_disk();
    Intake next;
    next.put_in_force(next.set());
    next.intake.login.recover(*known.note, known.raw);
    REQUIRE(next.sets.candidate());
    REQUIRE(next.sets.candidate()->refresh.equals(rig.sets.candidate()->refresh));
    rig.world.service.canary_fault.reset();
    rig.world.clock.advance_by(10s);
    REQUIRE_FALSE(rig.world.run(rig.intake.login.settle_when_due()));
    REQUIRE(rig.sets.present()->origin == Origin::granted);
}

TEST_CASE("a set is marked on both copies before it is given away, and can be taken back")
{
    const auto is_broken = GENERATE(false, true);
    Intake rig;
    rig.put_in_force(rig.set());
    if (is_broken) {
        rig.world.disk.fail_file(1, EIO);
    }
    const auto moved = rig.world.run(rig.intake.handover.move_out("ghent"));
    REQUIRE(moved.has_value() == !is_broken);
    REQUIRE(rig.sets.is_moved_out() == !is_broken);
    REQUIRE(rig.machine.can_refresh() == is_broken);
    if (!is_broken) {
        REQUIRE(rig.on_disk().set->origin == Origin::moved_out);
        REQUIRE(rig.world.run(rig.intake.handover.adopt()));
        REQUIRE(rig.sets.present()->origin == Origin::restored);
        REQUIRE(rig.machine.can_refresh());
    }
}

TEST_CASE("what is forgotten leaves no token in memory or on disk")
{
    Intake rig;
    rig.put_in_force(rig.set());
    REQUIRE(rig.world.run(rig.intake.handover.forget()));
    REQUIRE_FALSE(rig.sets.has_set());
    REQUIRE(rig.sets.access() == nullptr);
    REQUIRE(rig.sets.old_access().empty());
    const auto refresh = rig.world.service.refresh();
    for (const std::size_t file : {0u, 1u}) {
        const auto& bytes = rig.world.disk.content(file);
        const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        REQUIRE(text.find(refresh) == std::string::npos);
    }
}

TEST_CASE("a store that is ours needs no adoption, one that looks copied gets another installation id")
{
    Intake rig;
    rig.put_in_force(rig.set());
    REQUIRE_FALSE(rig.world.run(rig.intake.handover.adopt()));
    rig.journals.set_finding(StoreState::copied, "on another machine");
    rig.machine.set_copied();
    rig.services.random = [] { return 0.25; };
    const auto before = rig.journals.pair().identity().installation;
    REQUIRE(rig.world.run(rig.intake.handover.adopt()));
    REQUIRE(rig.journals.pair().identity().installation != before);
    REQUIRE(rig.journals.health().store.state == StoreState::open);
    REQUIRE_FALSE(rig.machine.is_copied());
}

TEST_CASE("an unproven set becomes the library's, gives way to the one before, or stays for a person")
{
    struct Row {
        const char* name;
        const char* library;
        bool has_kept;
        Origin origin;
        ErrorKind kind;
    };
    const auto row = GENERATE(values<Row>({
        {"ours", "42", true, Origin::rotated, ErrorKind::usage},
        {"another library's", "77", true, Origin::restored, ErrorKind::needs_person},
        {"another library's, and the only one", "77", false, Origin::rotated, ErrorKind::needs_person},
    }));
    CAPTURE(row.name);
    Intake rig;
    auto unproven = rig.set();
    unproven.origin = Origin::unproven;
    unproven.generation = 2;
    unproven.library_id = "42";
    auto kept = row.has_kept ? std::optional<TokenSet>(rig.set()) : std::nullopt;
    REQUIRE(rig.world.run(rig.intake.change.replace(std::move(unproven), std::move(kept))).empty());
    rig.world.service.library_of[rig.world.service.access()] = row.library;
    const auto outcome = rig.world.run(rig.intake.proof.refresh_untried(ImportMode::leave_alone, Secret("given")));
    REQUIRE(outcome.has_value() == (std::string(row.library) == "42"));
    REQUIRE((outcome || outcome.error().kind() == row.kind));
    REQUIRE(rig.sets.present()->origin == row.origin);
    REQUIRE(rig.rotations == 1);
    REQUIRE_FALSE(rig.world.run(rig.intake.proof.run_when_due()));
}

TEST_CASE("an unproven set is asked about when its pause is over, and never in doubt")
{
    Intake rig;
    auto unproven = rig.set();
    unproven.origin = Origin::unproven;
    REQUIRE(rig.world.run(rig.intake.change.replace(std::move(unproven), std::nullopt)).empty());
    rig.world.service.canary_fault = http::Answer::of(500, "");
    const auto due = rig.world.run(rig.intake.proof.run_when_due());
    REQUIRE(due);
    REQUIRE(*due - rig.world.clock.boot_now() == Duration(10s));
    const auto seen = rig.world.client.seen().size();
    REQUIRE(rig.world.run(rig.intake.proof.run_when_due()) == due);
    REQUIRE(rig.world.client.seen().size() == seen);
    auto start = start_of({rig.sets, rig.moments, "", false, 0.5});
    start.doubt.open = true;
    rig.machine.begin(start);
    REQUIRE_FALSE(rig.world.run(rig.intake.proof.run_when_due()));
}

TEST_CASE("a person is told what became of a set that was taken in")
{
    struct Row {
        Origin origin;
        ImportMode mode;
        const char* given;
        const char* text;
    };
    const auto row = GENERATE(values<Row>({
        {Origin::granted, ImportMode::leave_alone, "", "needs no sealing"},
        {Origin::rotated, ImportMode::seal, "given", "accepted and sealed"},
        {Origin::rotated, ImportMode::seal, "the same", "cannot be sealed"},
        {Origin::pasted, ImportMode::seal, "given", "not sealed yet"},
        {Origin::untried, ImportMode::leave_alone, "given", "no new one was received yet"},
        {Origin::rotated, ImportMode::leave_alone, "given", "had expired and was refreshed"},
        {Origin::left_alone, ImportMode::leave_alone, "given", "accepted without sealing"},
        {Origin::access_only, ImportMode::access_only, "", "until it expires"},
        {Origin::restored, ImportMode::seal, "given", "the service refuses this refresh token"},
    }));
    CAPTURE(row.text);
    Intake rig;
    auto set = rig.set();
    set.origin = row.origin;
    rig.put_in_force(std::move(set));
    const std::string given = row.given;
    CanaryReading reading;
    reading.library_id = "42";
    reading.library_name = "Bakery";
    const auto outcome = import_outcome(rig.facts(), row.mode,
                                        Secret(given == "the same" ? rig.world.service.refresh() : given), reading);
    CHECK((!outcome || outcome->text.ends_with("; it belongs to library 42 (Bakery)")));
    const auto text = outcome ? outcome->text : outcome.error().text();
    REQUIRE(text.find(row.text) != std::string::npos);
    REQUIRE((!outcome || outcome->sealed == (text.find("and sealed") != std::string::npos)));
}

}  // namespace
}  // namespace shelfd::oauth
