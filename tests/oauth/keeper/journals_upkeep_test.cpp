// The journals as they come and go under a library, and what keeps a set from being refreshed.
#include "oauth/keeper_rig.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cerrno>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

const std::vector<std::byte> blank(journal_size);

std::size_t lines_with(const KeeperRig& rig, const std::string& text)
{
    return static_cast<std::size_t>(std::count_if(rig.log_lines.begin(), rig.log_lines.end(), [&](const auto& line) {
        return line.find(text) != std::string::npos;
    }));
}

bool has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

// The daemon dies, one copy is unreadable from then on, and the other one alone must do.
bool survives_on(KeeperRig& rig, std::size_t copy)
{
    rig.kill();
    rig.disk.fail_file(1 - copy, EIO);
    rig.start();
    return rig.keeper().status().state == TokenState::good && rig.access_text() == rig.service.access();
}

TEST_CASE("journals that cannot be opened are a state with a reason and a cure, and are tried again")
{
    const auto is_reloaded = GENERATE(false, true);
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.kill();
    rig.disk.fail_file(0, EIO);
    rig.disk.fail_file(1, EIO);
    rig.start();
    const auto closed = rig.keeper().status();
    REQUIRE(closed.state == TokenState::unreadable);
    REQUIRE(closed.needs_person);
    REQUIRE(has(closed.reason, "the token journals cannot be opened: scripted disk failure"));
    REQUIRE(has(closed.do_this, "shelfctl reload"));
    REQUIRE_FALSE(closed.next.empty());
    REQUIRE(rig.access().error().kind() == ErrorKind::needs_person);
    REQUIRE_FALSE(rig.import(rig.service.response(), ImportMode::seal));
    REQUIRE_FALSE(rig.run(rig.keeper().forget()));
    REQUIRE_FALSE(rig.run(rig.keeper().adopt()));
    rig.clock.advance_by(24h);
    REQUIRE(lines_with(rig, "the token journals cannot be opened") == 1);
    rig.disk.heal();
    if (is_reloaded) {
        rig.keeper().try_again();
        rig.clock.settle();
    } else {
        rig.clock.advance_by(15min);
    }
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(rig.access_text() == rig.service.access());
    REQUIRE(rig.service.posts == 0);
    REQUIRE(lines_with(rig, "the token journals are open again") == 1);
    rig.clock.advance_by(84h);
    REQUIRE(rig.service.posts == 1);
}

TEST_CASE("who imports a set while the journals are closed is told to try again, and each try looks at the disk anew")
{
    KeeperRig rig;
    rig.disk.fail_file(0, ENOSPC);
    rig.disk.fail_file(1, ENOSPC);
    rig.start();
    const auto refused = rig.import(rig.service.response(), ImportMode::leave_alone);
    REQUIRE_FALSE(refused);
    REQUIRE(refused.error().kind() == ErrorKind::storage);
    REQUIRE(has(refused.error().text(), "the token journals cannot be opened"));
    REQUIRE(has(refused.error().text(), "correct that, then repeat the command"));
    rig.disk.heal();
    REQUIRE(rig.import(rig.service.response(), ImportMode::leave_alone));
    REQUIRE(rig.access_text() == rig.service.access());
}

TEST_CASE("an exchange that was open when the journals could not be read is landed once they can")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.disk.on_call = [&rig](const storage::DiskCall& call) {
        if (call.kind == storage::DiskCall::Kind::write && rig.service.rotations == 1 &&
            call.bytes.size() == slot_size) {
            rig.die();  // with the answer in RAW, and its set nowhere yet
        }
    };
    rig.clock.advance_by(84h);
    rig.disk.on_call = {};
    rig.kill();
    rig.disk.fail_file(0, EIO);
    rig.disk.fail_file(1, EIO);
    rig.start();
    REQUIRE(rig.keeper().status().state == TokenState::unreadable);
    rig.disk.heal();
    rig.clock.advance_by(15min);
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(rig.access_text() == rig.service.access());
    REQUIRE(rig.service.posts == 1);
}

TEST_CASE("where one copy cannot be opened and the other one holds no set, nothing is taken for new")
{
    const auto away = GENERATE(std::size_t{0}, std::size_t{1});
    const auto was_ever_used = GENERATE(false, true);
    KeeperRig rig;
    if (was_ever_used) {
        rig.start();
        rig.give_set();
        rig.kill();
        rig.disk.set_content(1 - away, blank);  // another directory lies in its place
    }
    rig.disk.fail_file(away, EIO);
    rig.start();
    REQUIRE(rig.keeper().status().state == TokenState::unreadable);
    REQUIRE(has(rig.keeper().status().reason, "has no token set, but this one may"));
    REQUIRE_FALSE(rig.import(rig.service.response(), ImportMode::seal));
    REQUIRE(rig.service.posts == 0);
    REQUIRE(rig.disk.content(1 - away) == blank);
    rig.disk.heal();
    rig.clock.advance_by(15min);
    REQUIRE(rig.keeper().status().state == (was_ever_used ? TokenState::good : TokenState::none));
    REQUIRE((!was_ever_used || survives_on(rig, 1 - away)));
}

TEST_CASE("a set on one copy alone is used with an alarm, until the other copy is whole again")
{
    const auto away = GENERATE(std::size_t{0}, std::size_t{1});
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.kill();
    rig.disk.fail_file(away, EIO);
    rig.start();
    const auto status = rig.keeper().status();
    REQUIRE(status.state == TokenState::good);
    REQUIRE(status.needs_person);
    REQUIRE(status.journals.copies == 1);
    REQUIRE(has(status.reason, away == 0 ? "journal.a: scripted" : "journal.b: scripted"));
    REQUIRE_FALSE(status.do_this.empty());
    REQUIRE_FALSE(status.deadline);
    REQUIRE(rig.access_text() == rig.service.access());
    rig.clock.advance_by(150h);
    REQUIRE(rig.service.posts == 1);
    REQUIRE(rig.keeper().status().needs_person);
    REQUIRE(lines_with(rig, "cannot be repaired") == 1);
    rig.disk.heal();
    rig.clock.advance_by(15min);
    REQUIRE_FALSE(rig.keeper().status().needs_person);
    REQUIRE(rig.keeper().status().journals.copies == 2);
    REQUIRE(survives_on(rig, away));
}

// The newest set is on one copy alone, and the daemon is down.
void leave_one_behind(KeeperRig& rig, std::size_t behind)
{
    rig.start();
    rig.give_set();
    rig.disk.on_call = [&](const storage::DiskCall&) {
        if (rig.service.rotations == 1) {
            rig.disk.fail_file(behind, EIO);
        }
    };
    rig.clock.advance_by(84h);
    REQUIRE(rig.service.rotations == 1);
    rig.kill();
    rig.disk.on_call = {};
    rig.disk.heal();
}

TEST_CASE(
    "an older copy that is there alone is not taken for a restored store: nothing is sent, and adoption is refused")
{
    const auto behind = GENERATE(std::size_t{0}, std::size_t{1});
    KeeperRig rig;
    leave_one_behind(rig, behind);
    rig.mirror_generation = 2;
    rig.disk.fail_file(1 - behind, EIO);
    rig.start();
    const auto status = rig.keeper().status();
    CHECK(status.state == TokenState::unreadable);
    CHECK(has(status.reason, behind == 1 ? "journal.a: scripted" : "journal.b: scripted"));
    CHECK(has(status.reason, "the mirror knows generation 2"));
    CHECK(has(status.do_this, "correct what it names"));
    CHECK_FALSE(rig.run(rig.keeper().adopt()));
    rig.clock.advance_by(400h);
    CHECK(rig.service.reuses == 0);
    CHECK(rig.service.posts == 1);
    rig.disk.heal();
    rig.clock.advance_by(16min);
    CHECK(rig.service.reuses == 0);
    CHECK(rig.keeper().status().state == TokenState::good);
    CHECK(rig.keeper().status().journals.copies == 2);
    CHECK(rig.access_text() == rig.service.access());
}

TEST_CASE("a copy that comes back with a newer set is taken up, not thrown out, where nothing else knew of that set")
{
    const auto behind = GENERATE(std::size_t{0}, std::size_t{1});
    KeeperRig rig;
    leave_one_behind(rig, behind);
    rig.disk.fail_file(1 - behind, EIO);
    rig.start();
    rig.clock.advance_by(5h);
    CHECK(rig.service.posts == 1);
    CHECK(rig.keeper().status().state == TokenState::blocked);
    CHECK(has(rig.keeper().status().reason, "a copy that was not read yet may have a newer set"));
    rig.disk.heal();
    rig.clock.advance_by(16min);
    CHECK(rig.access_text() == rig.service.access());
    CHECK(rig.keeper().status().state == TokenState::good);
    CHECK(rig.keeper().status().journals.copies == 2);
    CHECK(survives_on(rig, behind));
}

TEST_CASE("a store that looks copied is adopted only when both of its copies were read")
{
    const auto behind = GENERATE(std::size_t{0}, std::size_t{1});
    KeeperRig rig;
    leave_one_behind(rig, behind);
    rig.settings.machine_id = "another machine";
    rig.disk.fail_file(1 - behind, EIO);
    rig.start();
    REQUIRE(rig.keeper().status().state == TokenState::copied);
    const auto refused = rig.run(rig.keeper().adopt());
    REQUIRE_FALSE(refused);
    CHECK(has(refused.error().text(), "may have a newer set"));
    rig.disk.heal();
    rig.clock.advance_by(16min);
    REQUIRE(rig.keeper().status().state == TokenState::copied);
    REQUIRE(rig.run(rig.keeper().adopt()));
    CHECK(rig.service.reuses == 0);
    CHECK(rig.access_text() == rig.service.access());
}

TEST_CASE("journals that open late hold no set that another library has taken over meanwhile")
{
    KeeperRig rig;
    rig.settings.other_holder = [](const std::string&) { return std::string("ghent"); };
    rig.start();
    rig.settings.other_holder = {};
    rig.kill();
    rig.start();
    rig.give_set();
    rig.kill();
    rig.settings.other_holder = [](const std::string&) { return std::string("ghent"); };
    rig.disk.fail_file(0, EIO);
    rig.disk.fail_file(1, EIO);
    rig.start();
    REQUIRE(rig.keeper().status().state == TokenState::unreadable);
    rig.disk.heal();
    rig.clock.advance_by(16min);
    CHECK(rig.keeper().status().state == TokenState::foreign);
    CHECK(has(rig.keeper().status().reason, "library ghent has the same set"));
    rig.clock.advance_by(400h);
    CHECK(rig.service.posts == 0);
}

TEST_CASE("an import that no disk takes does not come into force later")
{
    for (std::size_t call = 0; call < 8; ++call) {
        KeeperRig rig;
        rig.start();
        rig.give_set();
        const auto ours = rig.keeper().status().fingerprint;
        rig.service.issue();
        rig.disk.fail_after(call, EIO);
        const auto imported = rig.import(rig.service.response(), ImportMode::leave_alone);
        INFO("every disk fails from call " << call << " on");
        if (imported) {
            continue;
        }
        CHECK(imported.error().kind() == ErrorKind::storage);
        rig.disk.heal();
        rig.clock.advance_by(16min);
        CHECK(rig.keeper().status().fingerprint == ours);
        CHECK(rig.keeper().status().journals.copies == 2);
        rig.kill();
        rig.start();
        CHECK(rig.keeper().status().fingerprint == ours);
    }
}

TEST_CASE("a set that reached one copy only is on both a moment later, not at the next refresh")
{
    const auto bad = GENERATE(std::size_t{0}, std::size_t{1});
    const auto by_import = GENERATE(false, true);
    KeeperRig rig;
    rig.start();
    rig.give_set();
    if (by_import) {
        rig.service.issue();
        rig.disk.fail_file(bad, EIO);
        rig.give_set();
        rig.disk.heal();
    } else {
        rig.disk.on_call = [&](const storage::DiskCall&) {
            if (rig.service.rotations == 1) {
                rig.disk.on_call = {};
                rig.disk.fail_file(bad, EIO);
            }
        };
        rig.clock.advance_by(84h);
        REQUIRE(rig.service.rotations == 1);
        rig.disk.heal();
    }
    REQUIRE(lines_with(rig, "a copy of the token journal cannot be written") == 1);
    rig.clock.advance_by(1min);
    REQUIRE(lines_with(rig, "both copies of the token set are complete again") == 1);
    REQUIRE(rig.keeper().status().generation == 2);
    REQUIRE(survives_on(rig, bad));
    REQUIRE(rig.keeper().status().generation == 2);
}

TEST_CASE("journals that are removed or replaced under a running daemon are written anew, however it goes on")
{
    enum class Then { runs, refreshes, stops };
    const auto then = GENERATE(Then::runs, Then::refreshes, Then::stops);
    const auto is_backup = GENERATE(false, true);  // else they are gone
    KeeperRig rig;
    rig.start();
    rig.give_set();
    const auto old = rig.disk.content(0);
    rig.clock.advance_by(84h);
    REQUIRE(rig.service.rotations == 1);
    const auto replace = [&] {
        rig.disk.replace_file(0, is_backup ? old : blank);
        rig.disk.replace_file(1, is_backup ? old : blank);
    };
    if (then == Then::refreshes) {
        rig.disk.on_call = [&](const storage::DiskCall&) {
            if (rig.service.rotations == 2) {
                rig.disk.on_call = {};
                replace();
            }
        };
        rig.clock.advance_by(85h);
        REQUIRE(rig.service.rotations == 2);
    } else {
        replace();
        then == Then::runs ? rig.clock.advance_by(61min) : rig.stop();
    }
    rig.kill();
    rig.start();
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(rig.access_text() == rig.service.access());
    REQUIRE(rig.service.reuses == 0);
    REQUIRE((then == Then::refreshes || rig.log_has("removed or replaced while shelfd ran")));
    const auto later = rig.service.rotations + 1;
    rig.clock.advance_by(85h);
    REQUIRE(rig.service.rotations == later);
}

TEST_CASE("another store's journal in the place of ours is left as it is, and said")
{
    KeeperRig other;
    other.settings.library = GENERATE("antwerp", "ghent");
    other.start();
    other.give_set();
    other.clock.advance_by(300h);
    KeeperRig rig;
    rig.settings.machine_id = "another";
    rig.start();
    rig.give_set();
    for (const std::size_t copy : {std::size_t{0}, std::size_t{1}}) {
        rig.disk.replace_file(copy, other.disk.content(0));
    }
    rig.clock.advance_by(84h);
    REQUIRE(rig.disk.content(0) == other.disk.content(0));
    REQUIRE(rig.disk.content(1) == other.disk.content(0));
    const auto status = rig.keeper().status();
    REQUIRE(status.needs_person);
    REQUIRE(status.journals.copies == 0);
    REQUIRE(has(status.reason, other.settings.library == "ghent" ? "of library ghent" : "that of another store"));
    REQUIRE(rig.service.posts == 0);
    REQUIRE(rig.access_text() == rig.service.access());
}

TEST_CASE("journals that hold nothing where the mirror has seen a set are gone, not new")
{
    KeeperRig rig;
    rig.mirror_generation = 3;
    rig.start();
    const auto status = rig.keeper().status();
    REQUIRE(status.state == TokenState::unreadable);
    REQUIRE(status.needs_person);
    REQUIRE(has(status.reason, "the token journals are gone: the mirror knows generation 3"));
    REQUIRE(has(status.do_this, "restore them"));
    REQUIRE(rig.log_has("the token journals are gone"));
    REQUIRE(rig.import(rig.service.response(), ImportMode::seal));
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(rig.keeper().status().generation == 5);
}

TEST_CASE("a client secret that cannot be read blocks refreshes, is said once, and is tried again at a reload")
{
    KeeperRig rig;
    bool is_readable = true;
    rig.settings.client_secret = [&is_readable] {
        return is_readable ? Result<Secret>(Secret("s")) : Error(ErrorKind::permission, "cannot open /etc/secret");
    };
    rig.start();
    rig.give_set();
    is_readable = false;
    rig.clock.advance_by(83h);
    REQUIRE_FALSE(rig.keeper().status().needs_person);
    rig.clock.advance_by(2h);
    const auto status = rig.keeper().status();
    REQUIRE(status.state == TokenState::blocked);
    REQUIRE(status.needs_person);
    REQUIRE(status.deadline == status.expires);
    REQUIRE(has(status.reason, "the client secret cannot be read: cannot open /etc/secret"));
    REQUIRE(has(status.do_this, "shelfctl reload"));
    REQUIRE(rig.access_text() == rig.service.access());
    rig.clock.advance_by(100h);
    REQUIRE(rig.keeper().status().state == TokenState::blocked);
    REQUIRE(rig.access().error().kind() == ErrorKind::needs_person);
    REQUIRE(lines_with(rig, "the token set cannot be refreshed") == 1);
    is_readable = true;
    rig.keeper().try_again();
    rig.clock.advance_by(1s);
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(rig.service.rotations == 1);
    REQUIRE(rig.log_has("the token set can be refreshed again"));
}

TEST_CASE("journals that take no write block refreshes, and the reason is the one the disk gave")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.disk.fail_file(0, ENOSPC);
    rig.disk.fail_file(1, ENOSPC);
    rig.clock.advance_by(85h);
    const auto status = rig.keeper().status();
    REQUIRE(status.state == TokenState::blocked);
    REQUIRE(status.needs_person);
    REQUIRE(has(status.reason, "scripted disk failure"));
    REQUIRE_FALSE(has(status.reason, "not repaired"));
    REQUIRE(status.journals.copies == 0);
    REQUIRE(rig.service.posts == 0);
    REQUIRE(lines_with(rig, "the token set cannot be refreshed") == 1);
    rig.disk.heal();
    rig.clock.advance_by(15min);
    REQUIRE(rig.service.rotations == 1);
    REQUIRE_FALSE(rig.keeper().status().needs_person);
}

TEST_CASE("a service that does not answer is waited for while the token lives, and needs a person some time after")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.service.canary_fault = http::Answer::of(503, "<html>");
    rig.clock.advance_by(160h);
    REQUIRE_FALSE(rig.keeper().status().needs_person);
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(lines_with(rig, "a refresh is due and waits") == 1);
    rig.clock.advance_by(8h + 15min);
    const auto status = rig.keeper().status();
    REQUIRE(status.state == TokenState::blocked);
    REQUIRE(status.needs_person);
    REQUIRE(has(status.reason, "the service answered 503"));
    REQUIRE(has(status.do_this, "identity"));
    REQUIRE(lines_with(rig, "the token set cannot be refreshed") == 1);
    rig.service.canary_fault.reset();
    rig.clock.advance_by(15min);
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(rig.service.rotations == 1);
}

TEST_CASE("a canary that the service does not know needs a person while the token lives, an hour after it is wanted")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.service.canary_fault = http::Answer::of(404, "<html>");
    rig.clock.advance_by(84h);
    REQUIRE_FALSE(rig.keeper().status().needs_person);
    rig.clock.advance_by(2h);
    const auto status = rig.keeper().status();
    REQUIRE(status.state == TokenState::blocked);
    REQUIRE(status.access_usable);
    REQUIRE(has(status.reason, "HTTP 404"));
    REQUIRE_FALSE(has(status.reason, "ended"));
    REQUIRE(has(status.do_this, "identity"));
    REQUIRE(rig.service.posts == 0);
    rig.service.canary_fault.reset();
    rig.clock.advance_by(15min);
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(rig.service.rotations == 1);
}

TEST_CASE("a network that is late at a start whose token has ended is no matter for a person yet")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.stop();
    rig.clock.advance_by(200h);
    rig.service.canary_fault = http::Answer::failed(ErrorKind::network, Delivery::not_sent);
    rig.start();
    rig.clock.advance_by(30min);
    REQUIRE_FALSE(rig.keeper().status().needs_person);
    rig.clock.advance_by(1h);
    REQUIRE(rig.keeper().status().state == TokenState::blocked);
}

}  // namespace
}  // namespace shelfd::oauth
