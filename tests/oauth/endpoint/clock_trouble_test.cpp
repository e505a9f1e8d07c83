#include "oauth/endpoint/clock_trouble.hpp"

#include "support/catch.hpp"

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

TEST_CASE("how wrong the clock is, is said to the nearest unit: an answer takes a moment")
{
    const auto now = Instant::from_seconds(1'700'000'000);
    const auto said = [now](Duration behind) { return clock_trouble_beside(now + behind, now); };
    CHECK(said(0s).empty());
    CHECK(said(3h - 1200ms).starts_with("the clock of this machine is 3 h behind the service's"));
    CHECK(said(-3h - 1200ms).starts_with("the clock of this machine is 3 h ahead of the service's"));
    CHECK(said(30min - 1200ms).find(" 30 min ") != std::string::npos);
    CHECK(said(10 * 24h - 1200ms).find(" 10 d ") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::oauth
