#include "sync/details/detail_machine.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace shelfd::sync;
using namespace std::chrono_literals;

namespace {

using enum DetailEvent;

DetailVerdict hear(DetailMachine& machine, DetailEvent event, DetailTry item = {})
{
    return machine.heard(event, item, 0.999);
}

}  // namespace

TEST_CASE("each answer for an item has one meaning for it")
{
    struct Row {
        const char* name;
        DetailEvent event;
        DetailTry item;
        DetailAction action;
        Duration wait;  // at most; at least half of it
    };
    const Row rows[] = {
        {"an item", item, {}, DetailAction::keep, 1min},
        {"an item that could not be read twice before", item, {2, false}, DetailAction::keep, 4min},
        {"gone", gone, {}, DetailAction::drop, 0min},
        {"refused", refused, {}, DetailAction::postpone, 15min},
        {"refused again", refused, {1, false}, DetailAction::postpone, 30min},
        {"refused for long", refused, {40, false}, DetailAction::postpone, 24h},
        {"a dead token", unauthorized, {}, DetailAction::renew_token, 0min},
        {"a token just renewed", unauthorized, {0, true}, DetailAction::postpone, 15min},
        {"throttled", throttled, {}, DetailAction::leave, 0min},
        {"closed", closed, {}, DetailAction::postpone, 1min},
        {"closed again", closed, {2, false}, DetailAction::postpone, 4min},
        {"passing", passing, {}, DetailAction::postpone, 1min},
        {"passing again", passing, {3, false}, DetailAction::postpone, 8min},
        {"passing for long", passing, {40, false}, DetailAction::postpone, 24h},
        {"unusable", unusable, {}, DetailAction::postpone, 1min},
        {"no address", no_address, {}, DetailAction::postpone, 24h},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        DetailMachine machine;
        const auto verdict = hear(machine, row.event, row.item);
        CHECK(verdict.action == row.action);
        CHECK(verdict.wait <= row.wait);
        CHECK(verdict.wait >= row.wait / 2);
        CHECK(machine.trouble() == Trouble::none);
    }
}

TEST_CASE("nothing but one kind of trouble for a while makes the queue wait, and one item ends it")
{
    struct Row {
        DetailEvent event;
        int times;
        Trouble trouble;
    };
    const Row rows[] = {
        {passing, 3, Trouble::passing},          {refused, 5, Trouble::forbidden},
        {unusable, 10, Trouble::needs_person},   {gone, 20, Trouble::needs_person},
        {no_address, 20, Trouble::needs_person}, {throttled, 20, Trouble::passing},
        {closed, 3, Trouble::passing},
    };
    for (const auto& row : rows) {
        INFO(static_cast<int>(row.event));
        DetailMachine machine;
        for (int i = 1; i < row.times; ++i) {
            hear(machine, row.event);
            CHECK(machine.trouble() == Trouble::none);
        }
        hear(machine, row.event);
        CHECK(machine.trouble() == row.trouble);
        CHECK(machine.tries_one());
        hear(machine, item);
        machine.items_read(1, 0, 0);
        CHECK(machine.trouble() == Trouble::none);
        CHECK_FALSE(machine.tries_one());
    }
}

TEST_CASE("where the service asks for a pause, one item alone is tried until it answers")
{
    DetailMachine machine;
    hear(machine, throttled);
    CHECK(machine.trouble() == Trouble::none);
    CHECK(machine.tries_one());
    hear(machine, item);
    CHECK_FALSE(machine.tries_one());
}

TEST_CASE("an item whose answer names a wait is postponed at least as long, a day at most")
{
    DetailMachine machine;
    CHECK(machine.heard(closed, {.key = "1", .told = 20min}, 0).wait == 20min);
    CHECK(machine.heard(closed, {.failures = 6, .key = "1", .told = 20min}, 0).wait == 32min);
    CHECK(machine.heard(closed, {.failures = 40, .key = "1", .told = 48h}, 0.999).wait <= 24h);
    CHECK(machine.heard(closed, {.key = "2", .told = 48h}, 0).wait == 24h);
}

TEST_CASE("an item that is throttled again is postponed, and keeps its place again once it was answered")
{
    DetailMachine machine;
    CHECK(machine.heard(throttled, {.key = "1", .told = 20s}, 0).action == DetailAction::leave);
    CHECK(machine.heard(throttled, {.key = "2", .told = 20s}, 0).action == DetailAction::leave);
    machine.heard(item, {.key = "2"}, 0);
    const auto again = machine.heard(throttled, {.key = "1", .told = 40s}, 0);
    CHECK(again.action == DetailAction::postpone);
    CHECK(again.wait == 40s);
    CHECK(machine.heard(throttled, {.failures = 3, .key = "1", .told = 40s}, 0).wait == 4min);
    CHECK(machine.heard(throttled, {.key = "2"}, 0).action == DetailAction::leave);
    machine.heard(item, {.key = "1"}, 0);
    CHECK(machine.heard(throttled, {.key = "1"}, 0).action == DetailAction::leave);
}

TEST_CASE("what items answered to a token that was replaced since counts for nothing")
{
    DetailMachine machine;
    for (int i = 0; i < 5; ++i) {
        hear(machine, unauthorized, {0, true});
    }
    REQUIRE(machine.trouble() == Trouble::forbidden);
    machine.token_replaced();
    CHECK(machine.trouble() == Trouble::none);
}

TEST_CASE("items nobody can read make the queue wait, too, unless there is one among them that is good")
{
    DetailMachine machine;
    machine.items_read(1, 100, 100);
    CHECK(machine.trouble() == Trouble::none);
    machine.items_read(0, 9, 9);
    CHECK(machine.trouble() == Trouble::none);
    hear(machine, item);  // a 200 alone proves nothing
    machine.items_read(0, 1, 1);
    CHECK(machine.trouble() == Trouble::needs_person);
    machine.items_read(1, 0, 0);
    CHECK(machine.trouble() == Trouble::none);
}

TEST_CASE("the same bad items tried again say nothing of the others, unless nothing good was read at all")
{
    for (const auto event : {passing, refused, unusable, no_address}) {
        INFO(static_cast<int>(event));
        DetailMachine machine;
        machine.items_read(1, 0, 0);
        for (std::uint32_t failures = 1; failures < 30; ++failures) {
            machine.heard(event, {failures, false}, 0.5);
        }
        CHECK(machine.trouble() == Trouble::none);
        DetailMachine after_a_restart;
        for (std::uint32_t failures = 1; failures < 30; ++failures) {
            after_a_restart.heard(event, {failures, false}, 0.5);
        }
        CHECK(after_a_restart.trouble() != Trouble::none);
    }
    DetailMachine machine;
    machine.items_read(1, 0, 0);
    machine.items_read(0, 30, 0);
    CHECK(machine.trouble() == Trouble::none);
    DetailMachine after_a_restart;
    after_a_restart.items_read(0, 30, 0);
    CHECK(after_a_restart.trouble() == Trouble::needs_person);
}

TEST_CASE("rows without a detail are no trouble where others have one")
{
    DetailMachine machine;
    machine.something_is_there();
    for (int i = 0; i < 100; ++i) {
        hear(machine, i % 2 == 0 ? gone : no_address);
    }
    CHECK(machine.trouble() == Trouble::none);
}

TEST_CASE("ten items in a row that had a detail and are gone were not deleted, and nothing more is dropped")
{
    const DetailTry had{.failures = 0, .renewed = false, .has_detail = true};
    DetailMachine machine;
    machine.something_is_there();
    const auto lose = [&](int times) {
        for (int i = 0; i < times; ++i) {
            CHECK(hear(machine, gone, had).action == DetailAction::drop);
        }
    };
    lose(9);
    hear(machine, item, had);
    lose(9);
    hear(machine, gone);  // one that never had a detail says nothing
    CHECK(machine.trouble() == Trouble::none);
    const auto tenth = hear(machine, gone, had);
    CHECK(tenth.action == DetailAction::postpone);
    CHECK(tenth.wait <= 15min);
    CHECK(machine.trouble() == Trouble::forbidden);
    CHECK(machine.has_lost_many());
    machine.items_read(5, 0, 0);  // of the same batch, before them
    CHECK(machine.trouble() == Trouble::forbidden);
    CHECK(hear(machine, gone, had).action == DetailAction::postpone);
    hear(machine, item, had);
    CHECK(machine.trouble() == Trouble::none);
    lose(9);
}

TEST_CASE("the queue waits ever longer, but never beyond an hour")
{
    DetailMachine machine;
    Duration before{};
    for (int i = 0; i < 12; ++i) {
        const auto wait = machine.pause(Trouble::passing, 0.999);
        CHECK(wait >= before);
        CHECK(wait <= 15min);
        before = wait;
    }
    CHECK(before > 14min);
    CHECK(machine.pause(Trouble::forbidden, 0) >= 15min);
    for (int i = 0; i < 12; ++i) {
        CHECK(machine.pause(Trouble::needs_person, 0.999) <= 1h);
    }
    machine.items_read(1, 0, 0);
    CHECK(machine.pause(Trouble::passing, 0.999) <= 30s);
}
