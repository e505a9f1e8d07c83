// Asking the canary, and when it is asked again.
#include "oauth/exchange/asking_pace.hpp"
#include "oauth/parts_rig.hpp"

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

TEST_CASE("the canary says whose a token is, and refuses one that nobody issued")
{
    PartsRig rig;
    const auto ours = rig.world.run(rig.canary.ask(Secret(rig.world.service.access())));
    REQUIRE(ours.answer == CanaryAnswer::ours);
    REQUIRE(ours.library_id == "42");
    const auto wrong = rig.world.run(rig.canary.ask(Secret(std::string(wrong_token))));
    REQUIRE(refuses(wrong.answer));
}

TEST_CASE("the library that the service named is expected where the configuration names none")
{
    PartsRig rig;
    auto spec = rig.world.settings.canary;
    spec.library_id = GENERATE("", "7");
    const auto configured = spec.library_id;
    rig.canary.set_spec(spec);
    rig.sets.recover(rig.set(), std::nullopt);
    REQUIRE(rig.canary.spec().library_id == (configured.empty() ? "42" : configured));
}

TEST_CASE("the page may say whose token it is, and a member that is no name is a fault of the configuration")
{
    PartsRig rig;
    auto spec = rig.world.settings.canary;
    spec.user_field = "user.id";
    rig.canary.set_spec(spec);
    const auto read = [&rig](const std::string& user) {
        rig.world.service.canary_fault = http::Answer::of(200, R"({"id":42,"user":)" + user + "}");
        auto reading = rig.world.run(rig.canary.ask(Secret(rig.world.service.access())));
        CHECK(reading.answer == CanaryAnswer::ours);
        rig.sets.record_identity(reading);
        return reading.user;
    };
    CHECK(read(R"({"id":7,"name":"x"})") == "7");
    CHECK(rig.canary.user_fault().empty());
    CHECK(rig.sets.user() == "7");
    for (const auto* unusable : {"8", "null", R"({"id":1.5})", R"({"id":"a\tb"})", R"({"id":""})"}) {
        INFO(unusable);
        CHECK(read(unusable).empty());
        CHECK(rig.canary.user_fault().find("no usable member user.id (identity.user_field)") != std::string::npos);
        CHECK(rig.sets.user() == "7");  // an answer without a user says nothing
    }
    CHECK(read(R"({"id":"brasserie"})") == "brasserie");
    CHECK(rig.canary.user_fault().empty());
}

TEST_CASE("another canary has another mark")
{
    PartsRig rig;
    const auto mark = rig.canary.mark();
    auto spec = rig.world.settings.canary;
    spec.identity_field = "name";
    rig.canary.set_spec(spec);
    REQUIRE(rig.canary.mark() != mark);
}

TEST_CASE("a page that does not exist is a fault to correct, a silent service is none")
{
    PartsRig rig;
    rig.world.service.canary_fault = http::Answer::of(404, "{}");
    REQUIRE(rig.world.run(rig.canary.ask(std::nullopt)).misconfigured);
    REQUIRE_FALSE(rig.canary.fault().empty());
    rig.world.service.canary_fault = http::Answer::failed(ErrorKind::network, Delivery::not_sent);
    rig.world.run(rig.canary.ask(std::nullopt));
    REQUIRE_FALSE(rig.canary.fault().empty());  // nothing new is known
    rig.world.service.canary_fault.reset();
    rig.world.run(rig.canary.ask(Secret(rig.world.service.access())));
    REQUIRE(rig.canary.fault().empty());
}

TEST_CASE("a first replay waits three seconds for the canary, and no longer")
{
    PartsRig rig;
    rig.world.service.canary_fault = http::Answer::of(200, "{}").after(10s);
    const auto began = rig.world.clock.boot_now();
    const auto reading = rig.world.run(rig.canary.ask_in_time(Secret(rig.world.service.access())));
    REQUIRE(reading.answer == CanaryAnswer::unreachable);
    REQUIRE(reading.text == "no answer within 3 s");
    REQUIRE(rig.world.clock.boot_now() - began == Duration(3s));
}

TEST_CASE("a clock that is wrong is reported when it goes wrong")
{
    PartsRig rig;
    rig.canary.record_clock("it is an hour late");
    rig.canary.record_clock("it is two hours late");
    REQUIRE(rig.world.log_lines.size() == 1);
    REQUIRE(rig.canary.clock_trouble() == "it is two hours late");
    rig.canary.record_clock("");
    REQUIRE(rig.canary.clock_trouble().empty());
}

TEST_CASE("a set that waits is asked about ever more seldom, and as the service asks")
{
    PartsRig rig;
    AskingPace pace(rig.world.clock);
    REQUIRE(pace.is_due());
    CanaryReading silent;
    for (const auto pause : {10s, 20s, 40s}) {
        pace.wait_after(silent);
        REQUIRE(pace.due() - rig.world.clock.boot_now() == Duration(pause));
    }
    CanaryReading throttled;
    throttled.retry_after = 10min;
    pace.wait_after(throttled);
    REQUIRE(pace.due() - rig.world.clock.boot_now() == Duration(10min));
    pace.try_again();
    REQUIRE(pace.is_due());
    pace.wait_after(silent);
    REQUIRE(pace.due() - rig.world.clock.boot_now() == Duration(10s));
    REQUIRE(pace.is_news("no answer"));
    REQUIRE_FALSE(pace.is_news("no answer"));
    REQUIRE_FALSE(pace.is_news(""));
    pace.reset();
    REQUIRE(pace.is_due());
}

}  // namespace
}  // namespace shelfd::oauth
