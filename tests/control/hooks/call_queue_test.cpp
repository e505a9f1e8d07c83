#include "control/hooks/call_queue.hpp"

#include "control/sample_status.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

namespace shelfd::control {
namespace {

using namespace std::chrono_literals;

PendingCall call_of(std::string incident, CallEvent event = CallEvent::opened, std::string hook = "mail")
{
    PendingCall call;
    call.hook = std::move(hook);
    call.incident = std::move(incident);
    call.event = event;
    call.body = "{}";
    call.made = sample_now;
    return call;
}

std::vector<std::string> waiting(const CallQueue& queue)
{
    std::vector<std::string> found;
    for (const auto& call : queue.calls()) {
        found.push_back(call.incident + " " + std::string(to_string(call.event)));
    }
    return found;
}

using Waiting = std::vector<std::string>;

TEST_CASE("calls of a hook go in their order, and one hook does not wait for another")
{
    CallQueue queue;
    queue.add(call_of("1"));
    queue.add(call_of("2"));
    queue.add(call_of("3", CallEvent::opened, "chat"));
    const auto* first = queue.next("mail", sample_now);
    REQUIRE(first != nullptr);
    CHECK(first->incident == "1");
    CHECK(queue.next("chat", sample_now)->incident == "3");
    CHECK(queue.next("other", sample_now) == nullptr);
    queue.begin(first->number, sample_now);
    queue.accepted(first->number);
    CHECK(queue.next("mail", sample_now)->incident == "2");
    CHECK(queue.waiting("mail") == 1);
}

TEST_CASE("untried calls of one incident, or of all, can be held, and no other call waits for them")
{
    CallQueue queue;
    const auto next = [&queue](Instant at) {
        const auto* call = queue.next("mail", at);
        return call == nullptr ? "" : call->incident;
    };
    queue.add(call_of("1"));
    queue.add(call_of("2"));
    queue.add(call_of("3"));
    queue.add(call_of("feed", CallEvent::published));
    queue.begin(2, sample_now);
    queue.failed(2, sample_now, 1min, 0);
    queue.hold_untried(sample_now + 5min);
    CHECK(next(sample_now) == "feed");
    queue.withdraw(4);
    CHECK(next(sample_now).empty());
    CHECK(next(sample_now + 1min) == "2");
    queue.try_now("mail", sample_now);  // the hook works again: what was tried goes on
    CHECK(next(sample_now) == "2");
    CHECK(next(sample_now + 5min) == "1");
    queue.withdraw(2);
    CHECK(next(sample_now).empty());
    queue.hold_untried(std::nullopt, "another");
    CHECK(next(sample_now).empty());
    queue.hold_untried(std::nullopt, "3");
    CHECK(next(sample_now) == "3");
    queue.hold_untried(std::nullopt);
    CHECK(next(sample_now) == "1");
}

PendingCall call_with(std::string incident, Severity severity, CallEvent event = CallEvent::opened)
{
    auto call = call_of(std::move(incident), event);
    call.severity = severity;
    return call;
}

// What is accepted in that order, as far as the limit allows now.
std::vector<std::string> take_all(CallQueue& queue, Instant now)
{
    std::vector<std::string> taken;
    while (const auto* call = queue.next("mail", now)) {
        const auto number = call->number;
        taken.push_back(call->incident + " " + std::string(to_string(call->event)));
        queue.begin(number, now);
        queue.accepted(number);
    }
    return taken;
}

TEST_CASE("calls of what is silenced wait, tried or not, and go when it is over")
{
    CallQueue queue;
    queue.add(call_of("1"));
    queue.add(call_of("2"));
    const bool is_tried = GENERATE(true, false);
    CAPTURE(is_tried);
    if (is_tried) {
        const auto first = queue.next("mail", sample_now)->number;
        queue.begin(first, sample_now);
        queue.failed(first, sample_now, std::nullopt, 0.5);
    }
    queue.hold_silent("mail", "1", sample_now + 1h);
    REQUIRE(queue.next("mail", sample_now + 20s) != nullptr);
    CHECK(queue.next("mail", sample_now + 20s)->incident == "2");
    queue.hold_silent("chat", "2", sample_now + 1h);
    CHECK(queue.next("mail", sample_now + 1h)->incident == "1");
    SECTION("the silence was ended")
    {
        queue.hold_silent("mail", "1", std::nullopt);
        CHECK(queue.next("mail", sample_now + 20s)->incident == "1");
    }
    SECTION("it is over")
    {
        queue.add(call_of("1", CallEvent::recovered));
        CHECK(waiting(queue) == (is_tried ? Waiting{"2 opened", "1 recovered"} : Waiting{"2 opened"}));
    }
}

TEST_CASE("pages go first, then tickets, infos, and what is over; a reminder after new trouble")
{
    CallQueue queue;
    queue.add(call_of("0", CallEvent::recovered));
    queue.add(call_with("1", Severity::info));
    queue.add(call_with("2", Severity::ticket, CallEvent::repeated));
    queue.add(call_with("3", Severity::ticket));
    queue.add(call_with("4", Severity::page, CallEvent::repeated));
    queue.add(call_with("5", Severity::page));
    queue.add(call_with("6", Severity::ticket));
    CHECK(take_all(queue, sample_now) ==
          Waiting{"5 opened", "4 repeated", "3 opened", "6 opened", "2 repeated", "1 opened", "0 recovered"});
}

TEST_CASE("a page does not wait behind what has used up the limit, and neither does a ticket behind what is over")
{
    CallQueue queue;
    for (int i = 0; i < 20; ++i) {
        queue.add(call_with(fmt::format("ticket {}", i), Severity::ticket));
        queue.add(call_of(fmt::format("before {}", i), CallEvent::recovered));
    }
    CHECK(take_all(queue, sample_now).size() == 2 * CallQueue::burst);
    CHECK(queue.next("mail", sample_now + 1s) == nullptr);
    queue.add(call_with("page", Severity::page));
    CHECK(queue.next_time("mail", sample_now + 1s) == sample_now + 1s);
    CHECK(take_all(queue, sample_now + 1s) == Waiting{"page opened"});
    CHECK(take_all(queue, sample_now + 30s) == Waiting{"ticket 10 opened", "before 10 recovered"});
    // Pages have a limit, too.
    for (int i = 0; i < 20; ++i) {
        queue.add(call_with(fmt::format("page {}", i), Severity::page));
    }
    CHECK(take_all(queue, sample_now + 31s).size() == CallQueue::burst);
}

TEST_CASE("the calls of one incident keep their order, as urgent as the most urgent of them")
{
    CallQueue queue;
    queue.add(call_with("other", Severity::ticket));
    queue.add(call_with("1", Severity::ticket));
    const auto number = queue.calls().back().number;
    queue.begin(number, sample_now);
    queue.failed(number, sample_now, Duration(10min), 0.5);
    CHECK(queue.next("mail", sample_now)->incident == "other");
    queue.add(call_with("1", Severity::page, CallEvent::escalated));
    // What waits for its time is tried again at once, because a page waits behind it.
    CHECK(take_all(queue, sample_now) == Waiting{"1 opened", "1 escalated", "other opened"});
    queue.add(call_with("2", Severity::info));
    queue.begin(queue.calls().front().number, sample_now);
    queue.add(call_of("2", CallEvent::recovered));
    CHECK(take_all(queue, sample_now + 1h) == Waiting{"2 opened", "2 recovered"});
}

TEST_CASE("what was told, ended, came back and ended again before a call was possible is told to be over once")
{
    CallQueue queue;
    queue.add(call_of("1", CallEvent::recovered));
    queue.add(call_of("1"));
    queue.add(call_of("1", CallEvent::recovered));
    CHECK(waiting(queue) == Waiting{"1 recovered"});
}

TEST_CASE("news join a call that was not tried yet, and follow one that was")
{
    CallQueue queue;
    queue.add(call_with("1", Severity::info));
    auto news = call_with("1", Severity::info, CallEvent::changed);
    news.body = "{\"library_count\":40}";
    queue.add(news);
    CHECK(waiting(queue) == Waiting{"1 opened"});
    CHECK(queue.calls().front().body == news.body);
    CHECK(queue.untried().contains({"mail", "1"}));
    queue.begin(queue.calls().front().number, sample_now);
    CHECK(queue.untried().empty());
    queue.add(news);
    queue.add(call_with("1", Severity::page, CallEvent::escalated));
    CHECK(waiting(queue) == Waiting{"1 opened", "1 escalated"});
    CHECK(queue.calls().back().severity == Severity::page);
    CHECK(queue.oldest("mail")->event == CallEvent::opened);
    CHECK(queue.oldest("mail", "2") == nullptr);
    queue.render(queue.calls().back().number, "{}", Severity::ticket);
    CHECK(queue.calls().back().body == "{}");
    queue.withdraw(queue.calls().back().number);
    CHECK(waiting(queue) == Waiting{"1 opened"});
}

TEST_CASE("a reminder of what was not delivered yet is dropped")
{
    CallQueue queue;
    queue.add(call_of("1"));
    queue.add(call_of("1", CallEvent::repeated));
    CHECK(waiting(queue) == Waiting{"1 opened"});
}

TEST_CASE("what is over before anybody was told is told to nobody")
{
    CallQueue queue;
    queue.add(call_of("1"));
    queue.add(call_of("2"));
    queue.add(call_of("1", CallEvent::recovered));
    CHECK(waiting(queue) == Waiting{"2 opened"});
}

TEST_CASE("the end of what may have arrived is told, behind it")
{
    CallQueue queue;
    queue.add(call_of("1"));
    queue.begin(queue.calls().front().number, sample_now);
    queue.add(call_of("1", CallEvent::recovered));
    CHECK(waiting(queue) == Waiting{"1 opened", "1 recovered"});
}

TEST_CASE("the end of what was accepted is told, and drops a reminder that waits")
{
    CallQueue queue;
    queue.add(call_of("1", CallEvent::repeated));
    queue.add(call_of("1", CallEvent::recovered));
    CHECK(waiting(queue) == Waiting{"1 recovered"});
}

TEST_CASE("what gets worse before it was told is told as it is now")
{
    CallQueue queue;
    queue.add(call_of("1"));
    auto worse = call_of("1", CallEvent::escalated);
    worse.body = "{\"severity\":\"page\"}";
    queue.add(worse);
    CHECK(waiting(queue) == Waiting{"1 opened"});
    CHECK(queue.calls().front().body == worse.body);
    queue.begin(queue.calls().front().number, sample_now);
    queue.add(worse);
    CHECK(waiting(queue) == Waiting{"1 opened", "1 escalated"});
}

TEST_CASE("a failed call is tried again after ten seconds, then ever later, up to a quarter of an hour")
{
    CallQueue queue;
    queue.add(call_of("1"));
    const auto number = queue.calls().front().number;
    auto now = sample_now;
    std::vector<Duration> waits;
    for (int i = 0; i < 10; ++i) {
        queue.begin(number, now);
        queue.failed(number, now, std::nullopt, 1.0);
        const auto next = queue.next_time("mail", now);
        REQUIRE(next);
        waits.push_back(*next - now);
        CHECK(queue.next("mail", *next - 1s) == nullptr);
        CHECK(queue.next("mail", *next) != nullptr);
        now = *next;
    }
    CHECK(waits.front() == 10s);
    CHECK(waits[1] == 20s);
    CHECK(waits.back() == 15min);
}

TEST_CASE("a wait that the receiver names is kept, within an hour")
{
    CallQueue queue;
    queue.add(call_of("1"));
    const auto number = queue.calls().front().number;
    queue.begin(number, sample_now);
    queue.failed(number, sample_now, Duration(2min), 0.5);
    CHECK(queue.next_time("mail", sample_now) == sample_now + 2min);
    queue.failed(number, sample_now, Duration(48h), 0.5);
    CHECK(queue.next_time("mail", sample_now) == sample_now + 1h);
}

TEST_CASE("what the receiver refuses three times is dropped and counted")
{
    CallQueue queue;
    queue.add(call_of("1"));
    const auto number = queue.calls().front().number;
    CHECK_FALSE(queue.refused(number, sample_now, 0));
    CHECK_FALSE(queue.refused(number, sample_now, 0));
    CHECK(queue.dropped() == 0);
    CHECK(queue.refused(number, sample_now, 0));
    CHECK(queue.dropped() == 1);
    CHECK(queue.calls().empty());
    CHECK_FALSE(queue.refused(number, sample_now, 0));
}

TEST_CASE("a hook gets ten calls at once, and then one in half a minute")
{
    CallQueue queue;
    for (int i = 0; i < 30; ++i) {
        queue.add(call_of(std::to_string(i)));
    }
    std::size_t sent = 0;
    const auto send_all = [&](Instant now) {
        while (const auto* call = queue.next("mail", now)) {
            const auto number = call->number;
            queue.begin(number, now);
            queue.accepted(number);
            ++sent;
        }
    };
    send_all(sample_now);
    CHECK(sent == CallQueue::burst);
    send_all(sample_now + 29s);
    CHECK(sent == CallQueue::burst);
    send_all(*queue.next_time("mail", sample_now));
    CHECK(sent == CallQueue::burst + 1);
    send_all(sample_now + 24h);
    CHECK(sent == 2 * CallQueue::burst + 1);
}

TEST_CASE("a queue that is read back goes on where it was")
{
    CallQueue queue;
    queue.add(call_of("1"));
    queue.add(call_of("2"));
    queue.begin(queue.calls().front().number, sample_now);
    CallQueue again(queue.calls());
    CHECK(again.next("mail", sample_now)->incident == "1");
    CHECK(again.next("mail", sample_now)->tries == 1);
    again.add(call_of("3"));
    CHECK(again.calls().back().number > again.calls()[1].number);
}

TEST_CASE("calls of hooks that are gone, and those that nobody took for a week, are dropped")
{
    CallQueue queue;
    queue.add(call_of("1"));
    queue.add(call_of("2", CallEvent::opened, "gone"));
    CHECK(queue.drop_stale({"mail"}, sample_now) == 1);
    CHECK(waiting(queue) == Waiting{"1 opened"});
    CHECK(queue.dropped() == 0);
    CHECK(queue.drop_stale({"mail"}, sample_now + CallQueue::max_age + 1s) == 1);
    CHECK(queue.dropped() == 1);
    CHECK(queue.calls().empty());
}

TEST_CASE("the queue is bounded in number and size")
{
    CallQueue queue;
    for (std::size_t i = 0; i < CallQueue::max_calls + 5; ++i) {
        queue.add(call_of(std::to_string(i)));
    }
    CHECK(queue.calls().size() == CallQueue::max_calls);
    CHECK(queue.dropped() == 5);
    CallQueue large;
    auto call = call_of("1");
    call.body.assign(CallQueue::max_bytes, 'x');
    large.add(call);
    large.add(call_of("2"));
    CHECK(large.calls().size() == 1);
    large.accepted(large.calls().front().number);
    large.add(call_of("2"));
    CHECK(large.calls().size() == 1);
}

TEST_CASE("with too many calls the mildest go, the oldest of these first, and never a page for a ticket")
{
    CallQueue queue;
    for (std::size_t i = 0; i < CallQueue::max_calls; ++i) {
        queue.add(call_with(fmt::format("ticket {}", i), Severity::ticket));
    }
    CHECK(queue.take_crowded_out().empty());
    queue.add(call_with("info", Severity::info));
    queue.add(call_with("page", Severity::page));
    const auto gone = queue.take_crowded_out();
    REQUIRE(gone.size() == 2);
    CHECK(gone[0].incident == "info");
    CHECK(gone[1].incident == "ticket 0");
    CHECK(gone[1].hook == "mail");
    CHECK(gone[1].severity == Severity::ticket);
    CHECK(queue.take_crowded_out().empty());
    CHECK(queue.dropped() == 2);
    CHECK(queue.next("mail", sample_now)->incident == "page");
    // Among pages, too, the oldest goes.
    for (std::size_t i = 0; i < CallQueue::max_calls; ++i) {
        queue.add(call_with(fmt::format("page {}", i), Severity::page));
    }
    CHECK(queue.calls().size() == CallQueue::max_calls);
    CHECK(queue.take_crowded_out().back().incident == "page");
}

TEST_CASE("with too many calls one that a later call of its incident supersedes goes first, and none that is made now")
{
    CallQueue queue;
    for (std::size_t i = 0; i < CallQueue::max_calls - 1; ++i) {
        queue.add(call_with(fmt::format("ticket {}", i), Severity::ticket));
    }
    // The first is made now; the third has failed, and has become worse since.
    queue.begin(queue.calls()[0].number, sample_now);
    const auto number = queue.calls()[2].number;
    queue.begin(number, sample_now);
    queue.failed(number, sample_now, std::nullopt, 0.5);
    queue.add(call_with("ticket 2", Severity::ticket, CallEvent::changed));
    queue.add(call_with("new", Severity::ticket));
    queue.add(call_with("newer", Severity::ticket));
    const auto gone = queue.take_crowded_out();
    REQUIRE(gone.size() == 2);
    CHECK(gone[0].incident == "ticket 2");
    CHECK(gone[0].event == CallEvent::opened);
    CHECK(gone[1].incident == "ticket 1");
    CHECK(queue.oldest("mail", "ticket 0") != nullptr);
}

TEST_CASE("news that make a waiting call too long make room for themselves")
{
    CallQueue queue;
    queue.add(call_with("info", Severity::info));
    queue.add(call_with("1", Severity::ticket));
    auto news = call_with("1", Severity::ticket, CallEvent::changed);
    news.body.assign(CallQueue::max_bytes, 'x');
    queue.add(news);
    CHECK(waiting(queue) == Waiting{"1 opened"});
    CHECK(queue.dropped() == 1);
}

std::vector<std::string> together(CallQueue& queue, Instant now)
{
    std::vector<std::string> found;
    const auto* first = queue.next("mail", now);
    REQUIRE(first != nullptr);
    for (const auto& call : queue.together_with(*first, now)) {
        found.push_back(call.incident);
    }
    return found;
}

TEST_CASE("ends that the rate limit would delay are one call, which it counts once")
{
    CallQueue queue;
    for (std::uint32_t i = 0; i < CallQueue::burst; ++i) {
        queue.add(call_of(std::to_string(i), CallEvent::recovered));
    }
    CHECK(together(queue, sample_now) == Waiting{"0"});
    queue.add(call_of("more", CallEvent::recovered));
    queue.add(call_of("other", CallEvent::recovered, "chat"));
    const auto all = queue.together_with(*queue.next("mail", sample_now), sample_now);
    REQUIRE(all.size() == CallQueue::burst + 1);
    queue.begin(all, sample_now);
    for (const auto& call : all) {
        queue.accepted(call.number);
    }
    CHECK(queue.waiting("mail") == 0);
    CHECK(queue.waiting("chat") == 1);
    // Nine calls are left at once.
    for (std::uint32_t i = 1; i < CallQueue::burst; ++i) {
        queue.add(call_of(std::to_string(i), CallEvent::recovered));
    }
    CHECK(together(queue, sample_now) == Waiting{"1"});
}

TEST_CASE("an end is not told with others when its incident has begun anew, waits for its time, or was refused")
{
    CallQueue queue;
    for (std::uint32_t i = 0; i < CallQueue::burst + 4; ++i) {
        queue.add(call_of(std::to_string(i), CallEvent::recovered));
    }
    const auto number_of = [&queue](std::size_t place) { return queue.calls()[place].number; };
    queue.add(call_of("1"));
    queue.begin(number_of(2), sample_now);
    queue.failed(number_of(2), sample_now, Duration(5min), 0.5);
    queue.begin(number_of(3), sample_now);
    (void)queue.refused(number_of(3), sample_now - 1h, 0.5);
    // First the incident that has begun anew, in its order.
    CHECK(together(queue, sample_now) == Waiting{"1"});
    queue.begin(number_of(1), sample_now);
    queue.accepted(number_of(1));
    queue.begin(queue.calls().back().number, sample_now);
    queue.accepted(queue.calls().back().number);
    CHECK(together(queue, sample_now) == Waiting{"0", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"});
}

TEST_CASE("ends that were tried as one stay one, and refused ones are tried each by itself")
{
    CallQueue queue;
    for (std::uint32_t i = 0; i < 12; ++i) {
        queue.add(call_of(std::to_string(i), CallEvent::recovered));
    }
    const auto all = queue.together_with(*queue.next("mail", sample_now), sample_now);
    REQUIRE(all.size() == 12);
    queue.begin(all, sample_now);
    for (const auto& call : all) {
        queue.failed(call.number, sample_now, Duration(1min), 0.5);
    }
    CHECK(queue.next("mail", sample_now + 59s) == nullptr);
    CHECK(together(queue, sample_now + 1h).size() == 12);
    for (const auto& call : all) {
        CHECK_FALSE(queue.refused(call.number, sample_now, 0.5));
    }
    CHECK(together(queue, sample_now + 1h).size() == 1);
}

TEST_CASE("a wall clock that is set back keeps no call waiting")
{
    CallQueue queue;
    queue.add(call_of("1"));
    const auto number = queue.calls().front().number;
    queue.begin(number, sample_now);
    queue.failed(number, sample_now, std::nullopt, 0.5);
    CHECK(queue.next("mail", sample_now - 24h) != nullptr);
}

TEST_CASE("a wall clock that is set back does not stop the rate limit of a hook from being refilled")
{
    CallQueue queue;
    for (std::uint32_t i = 0; i <= CallQueue::burst; ++i) {
        queue.add(call_of(std::to_string(i)));
    }
    for (std::uint32_t i = 0; i < CallQueue::burst; ++i) {
        const auto* const next = queue.next("mail", sample_now);
        REQUIRE(next != nullptr);
        const auto number = next->number;
        queue.begin(number, sample_now);
        queue.accepted(number);
    }
    const auto earlier = sample_now - 24h;
    CHECK(queue.next("mail", earlier) == nullptr);
    CHECK(queue.next_time("mail", earlier) == earlier + CallQueue::between_calls);
    CHECK(queue.next("mail", earlier + CallQueue::between_calls) != nullptr);
}

}  // namespace
}  // namespace shelfd::control
