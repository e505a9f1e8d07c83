// Both copies of the journals, as they come and go.
#include "oauth/parts_rig.hpp"

#include <cerrno>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

// A rig whose journals hold a set on both copies.
struct Tended : PartsRig {
    Tended()
    {
        open();
        put_in_force(set());
    }
    JournalTender::Tended tend_after(Duration pause)
    {
        world.clock.advance_by(pause);
        return world.run(journals.tend());
    }
    void write_again()
    {
        auto write = [&](JournalPair& pair) { return pair.write_token(*sets.present(), moments.now()); };
        world.run(journals.write(write));
    }
};

TEST_CASE("a copy that fails is counted out, mended as soon as it works, and both are reported once")
{
    Tended rig;
    rig.world.disk.fail_file(1, EIO);
    rig.write_again();
    REQUIRE(rig.journals.health().copies == 1);
    REQUIRE_FALSE(rig.journals.health().trouble.empty());
    REQUIRE(rig.journals.wants_mending());
    REQUIRE(rig.tend_after(1s) == JournalTender::Tended::mended);
    REQUIRE(rig.tend_after(1s) == JournalTender::Tended::nothing);  // its pause lasts
    rig.world.disk.heal();
    REQUIRE(rig.tend_after(30s) == JournalTender::Tended::mended);
    REQUIRE(rig.journals.health().copies == 2);
    REQUIRE(rig.journals.health().tries == 0);
    REQUIRE(rig.world.log_has("a copy of the token set cannot be repaired"));
    REQUIRE(rig.world.log_has("both copies of the token set are complete again"));
    REQUIRE(rig.journals.health().repair);
    CHECK(rig.journals.health().repair->found.find("journal.b") != std::string::npos);
    REQUIRE(rig.journals.due() == rig.journals.look_due());
}

TEST_CASE("nothing is mended in a store that looks copied, nor over the intent of a code")
{
    const auto is_copied = GENERATE(false, true);
    Tended rig;
    rig.world.disk.fail_file(1, EIO);
    rig.write_again();
    rig.world.disk.heal();
    if (is_copied) {
        rig.journals.set_finding(StoreState::copied, "a copy");
    } else {
        rig.journals.set_code_intent();
    }
    REQUIRE(rig.tend_after(1min) == JournalTender::Tended::nothing);
    rig.world.run(rig.journals.repair_at_exit());
    REQUIRE(rig.journals.health().copies == 1);
    if (is_copied) {
        rig.journals.accept_store();
        REQUIRE(rig.journals.health().store.why.empty());
    } else {
        rig.journals.forget_code_intent();
    }
    REQUIRE(rig.tend_after(1s) == JournalTender::Tended::mended);
    REQUIRE(rig.journals.health().copies == 2);
}

TEST_CASE("journals that cannot be opened are closed with a reason, and opened after a pause that doubles")
{
    PartsRig rig;
    rig.world.disk.fail_after(0, EIO);
    REQUIRE_FALSE(rig.world.run(rig.journals.open()));
    REQUIRE(rig.journals.health().is_closed());
    REQUIRE(rig.journals.health().bar().find("the token journals cannot be opened: ") == 0);
    REQUIRE(rig.standing.since() == rig.world.clock.now());
    const auto since = rig.standing.since();
    for (const auto pause : {30s, 60s, 120s}) {
        REQUIRE(rig.journals.due() - rig.world.clock.boot_now() == Duration(pause));
        REQUIRE_FALSE(rig.journals.must_open_again());
        rig.world.clock.advance_by(pause);
        REQUIRE(rig.journals.must_open_again());
        REQUIRE_FALSE(rig.world.run(rig.journals.open()));
    }
    REQUIRE(rig.standing.since() == since);  // for the same reason
    rig.world.disk.heal();
    REQUIRE(rig.world.run(rig.journals.open()));
    REQUIRE(rig.journals.health().bar().empty());
    REQUIRE(rig.world.log_has("the token journals are open again"));
}

TEST_CASE("a copy that could not be read is looked for where the other one looks copied and is not mended")
{
    Tended before;
    PartsRig rig;
    for (const std::size_t file : {0u, 1u}) {
        rig.world.disk.set_content(file, before.world.disk.content(file));
    }
    rig.world.settings.machine_id = "another machine";
    JournalTender elsewhere(rig.world.settings, rig.services, rig.moments, rig.sets, rig.standing, rig.store);
    rig.world.disk.fail_file(1, EIO);
    auto known = rig.world.run(elsewhere.open());
    REQUIRE(known);
    rig.sets.recover(std::move(*known->set), std::nullopt);
    rig.world.run(elsewhere.finish_opening());
    REQUIRE_FALSE(elsewhere.health().unread.empty());
    REQUIRE_FALSE(elsewhere.must_open_again());
    rig.world.clock.advance_by(2min);
    REQUIRE(elsewhere.must_open_again());
}

TEST_CASE("the half that an older copy knows is not used where the mirror has seen a newer generation")
{
    Tended before;
    PartsRig rig;
    rig.world.disk.set_content(0, before.world.disk.content(0));
    rig.world.disk.fail_file(1, EIO);
    rig.sets.record_mirror_generation(2);
    REQUIRE_FALSE(rig.world.run(rig.journals.open()));
    REQUIRE(rig.journals.health().bar().find("the other copy has generation 1") != std::string::npos);
}

TEST_CASE("journals that the next start would not find are written anew at the end")
{
    Tended rig;
    const std::vector<std::byte> blank(journal_size);
    rig.world.disk.replace_file(0, blank);
    rig.world.disk.replace_file(1, blank);
    rig.world.run(rig.journals.repair_at_exit());
    REQUIRE(rig.world.disk.content(0) != blank);
    REQUIRE(rig.journals.health().copies == 2);
    REQUIRE(rig.world.log_has("the token journals were removed or replaced while shelfd ran; they are written again"));
}

TEST_CASE("a set on one copy alone is reported once for each trouble")
{
    Tended rig;
    for (const auto* trouble : {"full", "full", "read-only"}) {
        rig.journals.warn_of({1, trouble, Fit::fits});
    }
    rig.journals.warn_of({2, "", Fit::fits});
    rig.journals.warn_of({0, "gone", Fit::fits});
    REQUIRE(rig.world.log_lines.size() == 2);
}

}  // namespace
}  // namespace shelfd::oauth
