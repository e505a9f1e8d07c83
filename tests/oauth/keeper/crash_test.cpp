// The process dies, the power goes, the disk refuses: at every call of a refresh.
#include "oauth/keeper_rig.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cerrno>
#include <set>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;
using storage::DiskCall;

bool is_record(const DiskCall& call, RecordKind kind)
{
    if (call.kind != DiskCall::Kind::write || call.bytes.size() < header_size) {
        return false;
    }
    const auto read = decode_header(call.bytes);
    return read.reading == HeaderReading::good && read.header.kind == kind && !read.header.closed;
}

// A piece of an answer on its way into RAW.
bool is_piece(const DiskCall& call)
{
    return call.kind == DiskCall::Kind::write && decode_header(call.bytes).reading == HeaderReading::unreadable;
}

bool is_closing(const DiskCall& call)
{
    return call.kind == DiskCall::Kind::write && call.bytes.size() == header_size;
}

// Every exchange needs an intent of its own, on the same copy.
std::size_t intents_on_first_copy(const storage::ScriptedDisk& disk)
{
    const auto& calls = disk.history();
    return static_cast<std::size_t>(std::count_if(calls.begin(), calls.end(), [](const DiskCall& call) {
        return call.file == 0 && is_record(call, RecordKind::intent);
    }));
}

void go_before_refresh(KeeperRig& rig)
{
    rig.start();
    rig.give_set();
    rig.clock.advance_by(83h);
    rig.disk.forget_history();
}

bool is_saved(KeeperRig& rig)
{
    return rig.access_text() == rig.service.access() && rig.keeper().status().state == TokenState::good;
}

TEST_CASE("killed at every disk call of a refresh, a set is lost only between an answer's arrival and its first write")
{
    const auto pieces = GENERATE(std::size_t{0}, std::size_t{50});
    std::size_t calls = 0;
    std::size_t lost = 0;
    for (bool died = true; died; ++calls) {
        const auto victim = calls;
        KeeperRig rig;
        go_before_refresh(rig);
        rig.service.faults.push_back({true, http::Answer().in_pieces_of(pieces)});
        std::size_t seen = 0;
        bool first_piece = false;
        rig.disk.on_call = [&](const DiskCall& call) {
            if (seen++ == victim) {
                const auto& past = rig.disk.history();
                first_piece = is_piece(call) && std::none_of(past.begin(), past.end(), is_piece);
                rig.die();
            }
        };
        rig.clock.advance_by(2h);
        rig.kill();
        died = seen > victim;
        rig.disk.on_call = {};
        rig.start();
        rig.clock.advance_by(1h);
        INFO("killed at call " << victim);
        REQUIRE(rig.service.posts <= intents_on_first_copy(rig.disk));
        const auto partial = pieces != 0 && rig.service.rotations == 1 && !is_saved(rig);
        if (first_piece || partial) {
            ++lost;
            REQUIRE(rig.keeper().status().state == TokenState::lost);
        } else {
            REQUIRE(is_saved(rig));
        }
    }
    CHECK(calls >= 12);
    // With one piece the write is one call; with several, only those before the refresh token is whole count.
    CHECK(lost <= (pieces == 0 ? 1 : 9));
}

TEST_CASE("killed at every disk call, a service with a grace window loses nothing")
{
    std::size_t calls = 0;
    for (bool died = true; died; ++calls) {
        const auto victim = calls;
        KeeperRig rig;
        rig.service.grace = 120s;
        go_before_refresh(rig);
        std::size_t seen = 0;
        rig.disk.on_call = [&](const DiskCall&) {
            if (seen++ == victim) {
                rig.die();
            }
        };
        rig.clock.advance_by(1h + 1s);
        rig.kill();
        died = seen > victim;
        rig.disk.on_call = {};
        rig.start();
        rig.clock.advance_by(1h);
        INFO("killed at call " << victim);
        REQUIRE(is_saved(rig));
    }
}

TEST_CASE("killed at every disk call of a recovery, nothing more is lost")
{
    // The first life ends with a whole answer in RAW that nobody has read.
    std::size_t calls = 0;
    for (bool died = true; died; ++calls) {
        const auto victim = calls;
        KeeperRig rig;
        go_before_refresh(rig);
        bool closed = false;
        rig.disk.on_call = [&](const DiskCall& call) {
            if (closed && is_record(call, RecordKind::token)) {
                rig.die();
            }
            closed = closed || is_closing(call);
        };
        rig.clock.advance_by(2h);
        rig.kill();
        std::size_t seen = 0;
        rig.disk.on_call = [&](const DiskCall&) {
            if (seen++ == victim) {
                rig.die();
            }
        };
        static_cast<void>(rig.try_start());
        rig.clock.advance_by(1s);
        rig.kill();
        died = seen > victim;
        rig.disk.on_call = {};
        rig.start();
        rig.clock.advance_by(1h);
        INFO("killed at call " << victim << " of the recovery");
        REQUIRE(is_saved(rig));
        REQUIRE(rig.service.posts == 1);
    }
    CHECK(calls >= 4);
}

TEST_CASE(
    "every state that a power cut may leave recovers: nothing is lost once the answer was synced, no wrong verdict")
{
    // The journals have been round once, so that every slot holds something old.
    constexpr int earlier_refreshes = 6;
    KeeperRig first;
    go_before_refresh(first);
    for (int i = 0; i < earlier_refreshes; ++i) {
        first.clock.advance_by(84h);
    }
    REQUIRE(first.service.rotations == earlier_refreshes);
    first.disk.forget_history();
    const std::vector<std::vector<std::byte>> before = {first.disk.content(0), first.disk.content(1)};
    std::size_t sent_after = 0;
    first.client.handle([&](const http::SeenRequest& request) {
        sent_after = request.method == http::Method::post ? first.disk.history().size() : sent_after;
        return first.service.answer(request);
    });
    first.service.faults.push_back({true, http::Answer().in_pieces_of(48)});
    first.clock.advance_by(84h);
    REQUIRE(first.service.rotations == earlier_refreshes + 1);
    const auto history = first.disk.history();
    std::size_t synced_after = 0;
    for (std::size_t i = sent_after; i < history.size() && synced_after == 0; ++i) {
        synced_after = history[i].kind == DiskCall::Kind::sync ? i + 1 : 0;
    }

    std::size_t states = 0, lost = 0;
    std::set<std::pair<bool, std::vector<std::vector<std::byte>>>> seen;
    for_each_power_cut(before, history, [&](std::size_t done, const std::vector<std::vector<std::byte>>& files) {
        for (const bool acted : {false, true}) {
            const auto possible = acted ? done >= sent_after : done <= sent_after;
            if (!possible) {
                continue;
            }
            if (!seen.insert({acted, files}).second) {
                continue;
            }
            ++states;
            KeeperRig rig;
            rig.settings.boot_id[0] = std::byte{2};
            rig.clock.set_wall(first.clock.now());
            rig.disk.set_content(0, files[0]);
            rig.disk.set_content(1, files[1]);
            for (int i = 0; i < earlier_refreshes + (acted ? 1 : 0); ++i) {
                rig.service.rotate_elsewhere();
            }
            rig.start();
            rig.clock.advance_by(1h);
            const auto status = rig.keeper().status();
            INFO("cut after call " << done << " of " << history.size() << ", sent after " << sent_after
                                   << ", synced after " << synced_after << ", acted " << acted << ", state "
                                   << to_string(status.state));
            if (!acted || done >= synced_after) {
                REQUIRE(is_saved(rig));
            } else if (!is_saved(rig)) {
                ++lost;
                REQUIRE(status.state == TokenState::lost);
            }
        }
    });
    WARN(states << " states after a power cut, " << lost << " lost, all before the answer was synced");
    REQUIRE(states >= 500);
}

TEST_CASE("a disk error at any call costs no set while the process lives")
{
    const auto error = GENERATE(EIO, ENOSPC, EROFS);
    const auto is_sticky = GENERATE(false, true);
    std::size_t calls = 0;
    for (bool died = true; died; ++calls) {
        const auto victim = calls;
        KeeperRig rig;
        go_before_refresh(rig);
        const auto start = rig.disk.calls();
        rig.disk.fail_after(victim, error, is_sticky ? SIZE_MAX : 1);
        rig.clock.advance_by(1h + 1s);
        died = rig.disk.calls() - start > victim;
        INFO("errno " << error << " at call " << victim << (is_sticky ? " and ever after" : ""));
        // While no disk takes it, a new set is neither used nor forgotten.
        if (rig.service.rotations == 1 && is_sticky && !is_saved(rig)) {
            REQUIRE(rig.keeper().status().state == TokenState::unstored);
            REQUIRE(rig.keeper().exchange_in_flight());
        }
        rig.disk.heal();
        rig.clock.advance_by(1h);
        REQUIRE(is_saved(rig));
        REQUIRE(rig.service.reuses == 0);
        rig.kill();
        rig.start();
        REQUIRE(is_saved(rig));
    }
    CHECK(calls >= 12);
}

TEST_CASE("a set that no disk takes outlives the process in the refuge, and leaves it for the first disk that is well")
{
    KeeperRig rig;
    rig.has_refuge = true;
    go_before_refresh(rig);
    // The intent itself must get through: the disks fail behind it.
    rig.service.faults.push_back({true, http::Answer().after(1s)});
    rig.disk.on_call = [&rig](const DiskCall& call) {
        if (is_piece(call)) {
            rig.disk.fail_file(0, ENOSPC);
            rig.disk.fail_file(1, EIO);
        }
    };
    rig.clock.advance_by(1h + 10s);
    REQUIRE(rig.service.rotations == 1);
    REQUIRE(rig.keeper().status().state == TokenState::unstored);
    REQUIRE(rig.keeper().status().needs_person);
    REQUIRE(rig.access().error().kind() == ErrorKind::storage);
    {
        // The other libraries of the service need not wait for our disk.
        REQUIRE(rig.run(rig.gate.enter(Haste::calm)) != nullptr);
    }
    rig.kill();
    rig.disk.on_call = {};
    rig.disk.heal();
    rig.start();
    REQUIRE(is_saved(rig));
    REQUIRE(rig.service.posts == 1);
    rig.clock.advance_by(84h);
    REQUIRE(is_saved(rig));
    REQUIRE(rig.disk.content(2) == std::vector<std::byte>(journal_size));
    rig.kill();
    rig.start();
    REQUIRE(is_saved(rig));
}

TEST_CASE("what a copy lacks is mended at the start, not at the next refresh")
{
    const auto disks_refused = GENERATE(false, true);  // the new set is in the refuge alone; else on one copy
    const auto well_late = GENERATE(false, true);      // a disk takes no write at the start, and does a little later
    const auto broken_later = GENERATE(std::size_t{0}, std::size_t{1});
    KeeperRig rig;
    rig.has_refuge = true;
    go_before_refresh(rig);
    rig.disk.on_call = [&](const DiskCall& call) {
        if (disks_refused && is_piece(call)) {
            rig.disk.fail_file(0, EIO);
            rig.disk.fail_file(1, EIO);
        } else if (!disks_refused && call.file == 1 && is_record(call, RecordKind::token)) {
            rig.die();
        }
    };
    rig.clock.advance_by(1h + 10s);
    REQUIRE(rig.service.rotations == 1);
    rig.kill();
    rig.disk.on_call = {};
    rig.disk.heal();
    if (well_late) {
        rig.disk.fail_after(disks_refused ? 6 : 4, ENOSPC);  // all is opened and read
    }
    rig.start();
    rig.disk.heal();
    rig.clock.advance_by(1min);
    REQUIRE(is_saved(rig));
    rig.kill();
    rig.disk.set_content(2, std::vector<std::byte>(journal_size));  // the machine was restarted
    rig.disk.fail_file(broken_later, EIO);
    rig.start();
    INFO("refused " << disks_refused << ", well late " << well_late << ", broken later " << broken_later);
    REQUIRE(is_saved(rig));
    REQUIRE(rig.service.posts == 1);
}

TEST_CASE("one bad copy stops no refresh that is urgent, and is mended when it is well again")
{
    const auto bad = GENERATE(std::size_t{0}, std::size_t{1});
    KeeperRig rig;
    go_before_refresh(rig);
    rig.disk.fail_file(bad, EIO);
    rig.clock.advance_by(2h);
    REQUIRE(rig.service.posts == 0);  // three quarters of the life are left: wait for the second copy
    REQUIRE_FALSE(rig.keeper().status().journals.trouble.empty());
    rig.clock.advance_by(42h);
    REQUIRE(rig.service.posts == 1);
    REQUIRE(rig.access_text() == rig.service.access());
    rig.disk.heal();
    rig.clock.advance_by(84h);
    REQUIRE(rig.service.posts == 2);
    REQUIRE(rig.keeper().status().journals.trouble.empty());
    rig.kill();
    // The other copy alone is enough now.
    rig.disk.fail_file(1 - bad, EIO);
    rig.start();
    REQUIRE(rig.access_text() == rig.service.access());
}

}  // namespace
}  // namespace shelfd::oauth
