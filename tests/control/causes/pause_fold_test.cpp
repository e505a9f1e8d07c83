#include "control/causes/pause_fold.hpp"

#include "control/causes/cause_finder.hpp"
#include "control/sample_status.hpp"
#include "support/catch.hpp"

namespace shelfd::control {
namespace {

using namespace std::chrono_literals;

LibraryStatus paused(std::string name, Duration length)
{
    auto library = sample_library(name, {sample_resource("recipes", State::fresh)});
    library.budget.group = std::move(name);
    library.budget.paused_until = sample_now + length;
    return library;
}

TEST_CASE("each limit group that the service has paused is a cause with its own time")
{
    auto shared = paused("hasselt", 40min);
    shared.budget.group = "antwerp";
    const auto causes = find_causes(sample_status({paused("antwerp", 40min), shared, paused("bruges", 35s)}));
    REQUIRE(causes.size() == 2);
    CHECK(causes[0].affected.size() == 2);
    CHECK(causes[0].affected[0].next_try == sample_now + 40min);
    REQUIRE(causes[1].affected.size() == 1);
    CHECK(causes[1].affected[0].library == "bruges");
    CHECK(causes[1].affected[0].next_try == sample_now + 35s);
}

TEST_CASE("groups that one service has paused are one alert, which says until when at the latest")
{
    auto elsewhere = paused("ghent", 20min);
    elsewhere.origin = "https://other.example.com";
    const auto causes = find_causes(sample_status({paused("bruges", 35s), paused("antwerp", 40min), elsewhere}));
    REQUIRE(causes.size() == 3);
    const auto folded = fold_pauses(causes);
    REQUIRE(folded.size() == 2);
    CHECK(folded[0].key == "limit https://api.example.com");
    REQUIRE(folded[0].affected.size() == 2);
    CHECK(folded[0].affected[0].library == "antwerp");
    CHECK(folded[0].affected[0].why ==
          "rate limited by the service: no requests until 2024-01-06T06:40:00Z at the latest");
    CHECK(folded[0].affected[1].library == "bruges");
    CHECK(folded[1].affected[0].why == "rate limited by the service: no requests until 2024-01-06T06:20:00Z");
    for (const auto& cause : causes) {
        CHECK((alert_key(cause) == folded[0].key || alert_key(cause) == folded[1].key));
    }
}

TEST_CASE("only pauses are folded")
{
    auto down = sample_resource("recipes", State::fresh);
    down.trouble = Trouble::passing;
    down.why = "the service answered 502";
    const auto causes = find_causes(sample_status({sample_library("antwerp", {down})}));
    const auto folded = fold_pauses(causes);
    REQUIRE(folded.size() == 1);
    CHECK(folded[0].key == causes[0].key);
    CHECK(folded[0].affected[0].why == causes[0].affected[0].why);
}

}  // namespace
}  // namespace shelfd::control
