#include "app/alerts/consumer_lag.hpp"

#include "control/hooks/round_call.hpp"
#include "support/catch.hpp"

namespace shelfd::app {
namespace {

constexpr auto now = Instant::from_seconds(1'704'520'800);

control::PendingCall call_for(const std::string& hook, const std::string& library, const std::string& before)
{
    control::LibraryRounds rounds;
    rounds.library = library;
    rounds.position_before = before;
    rounds.position = "a1:99";
    control::PendingCall call;
    call.hook = hook;
    call.incident = control::rounds_name(library);
    call.event = control::CallEvent::published;
    call.body = rounds_body(hook, rounds, {"mirror1", now});
    call.made = now;
    return call;
}

TEST_CASE("a consumer is where its oldest waiting call begins, or where the last round was announced")
{
    control::HookRule warehouse;
    warehouse.name = "warehouse";
    warehouse.on_publish = {"*"};
    control::HookRule of_ghent;
    of_ghent.name = "of_ghent";
    of_ghent.on_publish = {"recipes"};
    of_ghent.libraries = {"ghent"};
    control::HookRule mail;
    mail.name = "mail";
    std::vector<control::HookStatus> hooks(1);
    hooks[0].name = "warehouse";
    hooks[0].trouble = "the address answered 500";
    control::CallQueue queue;
    queue.add(call_for("warehouse", "antwerp", "a1:42"));
    const control::RoundWatch::Known announced = {{"antwerp", {"a1:99", {}}}, {"ghent", {"b2:7", {}}}};

    const auto consumers = find_consumers({warehouse, of_ghent, mail}, hooks, queue, announced);
    REQUIRE(consumers.size() == 2);
    const auto& antwerp = consumers.at("antwerp");
    REQUIRE(antwerp.size() == 1);
    CHECK(antwerp[0].hook == "warehouse");
    CHECK(antwerp[0].position == "a1:42");
    CHECK(antwerp[0].waiting == 1);
    CHECK(antwerp[0].waiting_since == now);
    CHECK(antwerp[0].why == "the address answered 500");
    const auto& ghent = consumers.at("ghent");
    REQUIRE(ghent.size() == 2);
    CHECK(ghent[0].position == "b2:7");
    CHECK(ghent[0].waiting == 0);
    CHECK_FALSE(ghent[0].waiting_since);
    CHECK(ghent[0].why.empty());
    CHECK(ghent[1].hook == "of_ghent");
}

}  // namespace
}  // namespace shelfd::app
