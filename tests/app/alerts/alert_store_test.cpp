#include "app/alerts/alert_store.hpp"

#include "support/catch.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/io_context.hpp>

namespace shelfd::app {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a call that was not tried waits while its incident is perhaps over, and goes when that is back")
{
    asio::io_context loop;
    SimulatedClock clock(loop);
    const TempDirectory directory;
    AlertStore store(clock, Lane(), Log([](const LogRecord&) {}), directory / "hooks");
    clock.run(store.load());
    control::Cause lost;
    lost.key = "token_lost";
    lost.kind = control::CauseKind::token_lost;
    lost.severity = control::Severity::page;
    lost.affected.emplace_back().library = "antwerp";
    control::HookRule rule;
    rule.name = "mail";
    rule.on = {"page"};
    const auto look = [&](const std::vector<control::Cause>& causes) {
        auto announced = store.book.update(causes, {rule}, clock.now(), store.queue.untried());
        store.hold_ending();
        return announced;
    };
    const auto announced = look({lost});
    REQUIRE(announced.size() == 1);
    control::PendingCall call;
    call.hook = "mail";
    call.incident = announced.front().incident.id;
    call.severity = control::Severity::page;
    call.made = clock.now();
    store.queue.add(call);
    REQUIRE(store.queue.next("mail", clock.now()) != nullptr);

    CHECK(look({}).empty());
    CHECK(store.queue.next("mail", clock.now()) == nullptr);
    SECTION("it is back")
    {
        look({lost});
        CHECK(store.queue.next("mail", clock.now()) != nullptr);
    }
    SECTION("it stays away: neither begin nor end is told")
    {
        std::vector<control::Announcement> ended;
        for (int minute = 0; minute < 120 && ended.empty(); ++minute) {
            clock.advance_by(15s);
            CHECK(store.queue.next("mail", clock.now()) == nullptr);
            ended = look({});
        }
        REQUIRE(ended.size() == 1);
        call.event = ended.front().event;
        CHECK(call.event == control::CallEvent::recovered);
        store.queue.add(call);
        CHECK(store.queue.calls().empty());
    }
}

}  // namespace
}  // namespace shelfd::app
