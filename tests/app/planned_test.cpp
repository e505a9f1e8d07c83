#include "app/library_bench.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

BenchOptions planned(std::vector<std::chrono::minutes> at)
{
    BenchOptions options;
    options.world.rows = 5;
    options.at = std::move(at);
    return options;
}

Instant instant(const std::string& text)
{
    return Instant::from_rfc3339(text).value();
}

// Somebody sets the clock, and a pass is asked for, so that the calendar of the test begins here.
void begin_at(LibraryBench& bench, const std::string& text)
{
    bench.set_wall(instant(text));
    REQUIRE(bench.sync().published);
}

void advance_to(LibraryBench& bench, const std::string& text)
{
    bench.pass_time(instant(text) - bench.clock.now());
}

// When the passes since then began, in the order in which they did: "2027-03-27T01:30 …", or less of each.
std::string starts_since(const LibraryBench& bench, const std::string& text, int letters = 16)
{
    return bench.query("SELECT group_concat(substr(started_at, 1, " + std::to_string(letters) +
                       "), ' ') FROM (SELECT started_at FROM _runs WHERE started_at > '" + text + "' ORDER BY rowid)");
}

}  // namespace

TEST_CASE("planned passes begin at their local times on both days on which the clocks change")
{
    LibraryBench bench(planned({2h + 30min, 3h + 30min}));
    begin_at(bench, "2027-03-26T12:00:00Z");
    advance_to(bench, "2027-03-29T12:00:00Z");
    // On the 28th 02:00 becomes 03:00: 02:30 is due when the hour has been skipped.
    CHECK(starts_since(bench, "2027-03-26T13") ==
          "2027-03-27T01:30 2027-03-27T02:30 2027-03-28T01:00 2027-03-28T01:30 2027-03-29T00:30 2027-03-29T01:30");

    begin_at(bench, "2027-10-29T12:00:00Z");
    advance_to(bench, "2027-11-01T12:00:00Z");
    // On the 31st the clocks show 02:30 twice: the first counts.
    CHECK(starts_since(bench, "2027-10-29T13") ==
          "2027-10-30T00:30 2027-10-30T01:30 2027-10-31T00:30 2027-10-31T02:30 2027-11-01T01:30 2027-11-01T02:30");
}

TEST_CASE("what was planned while the daemon was down is caught up by one pass, and what was served is not")
{
    LibraryBench bench(planned({3h + 30min, 9h}));
    begin_at(bench, "2027-05-01T12:00:00Z");
    bench.stop();
    bench.pass_time(1h);
    bench.start();
    bench.pass_time(1h);
    CHECK(starts_since(bench, "2027-05-01T12:30").empty());
    bench.stop();
    advance_to(bench, "2027-05-04T12:00:00Z");
    bench.start();
    advance_to(bench, "2027-05-05T00:00:00Z");
    CHECK(starts_since(bench, "2027-05-01T12:30", 15) == "2027-05-04T12:0");
    advance_to(bench, "2027-05-05T08:00:00Z");
    CHECK(starts_since(bench, "2027-05-05T00") == "2027-05-05T01:30 2027-05-05T07:00");
}

TEST_CASE("a clock set forward and back by hours neither loses nor doubles a planned pass")
{
    LibraryBench bench(planned({3h + 30min}));
    begin_at(bench, "2027-05-01T12:00:00Z");
    advance_to(bench, "2027-05-03T00:00:00Z");
    bench.step_wall(5h);  // beyond 03:30 in Brussels
    bench.pass_time(10min);
    CHECK(starts_since(bench, "2027-05-03", 10) == "2027-05-03");
    bench.step_wall(-5h);
    advance_to(bench, "2027-05-04T03:00:00Z");
    bench.step_wall(-3h);  // 03:30 comes again
    advance_to(bench, "2027-05-05T22:00:00Z");
    bench.step_wall(-2h);  // before the next
    advance_to(bench, "2027-05-06T12:00:00Z");
    CHECK(starts_since(bench, "2027-05-02", 10) == "2027-05-02 2027-05-03 2027-05-04 2027-05-05 2027-05-06");
}

TEST_CASE("a planned pass that fails is tried again until it is published, and the plan stays as it was")
{
    LibraryBench bench(planned({3h + 30min}));
    begin_at(bench, "2027-05-01T12:00:00Z");
    sim::Fault fault;
    fault.path = "/api/v2/library/";
    fault.times = std::nullopt;
    fault.status = 500;
    fault.acts = false;
    bench.world()->faults.add(fault);
    advance_to(bench, "2027-05-02T03:00:00Z");
    CHECK(bench.status().passes_failed > 0);
    bench.world()->faults.clear();
    advance_to(bench, "2027-05-02T03:45:00Z");
    CHECK(bench.query("SELECT count(*) FROM _runs WHERE started_at > '2027-05-02' AND result = 'published'") == "1");
    REQUIRE(bench.status().next_due);
    CHECK(bench.status().next_due->to_short_text() == "2027-05-03T01:30:00Z");
}

TEST_CASE("a planned table is late two hours past the next planned time")
{
    LibraryBench bench(planned({3h + 30min}));
    begin_at(bench, "2027-05-01T12:00:00Z");
    REQUIRE(bench.status().late_at);
    CHECK(bench.status().late_at->to_short_text() == "2027-05-02T03:30:00Z");
    advance_to(bench, "2027-05-02T02:00:00Z");
    CHECK(bench.status().late_at->to_short_text() == "2027-05-03T03:30:00Z");
}

TEST_CASE("an interval goes on by the time that passes when the clock is set back by hours")
{
    BenchOptions options;
    options.world.rows = 5;
    LibraryBench bench(options);
    REQUIRE(bench.sync().published);
    const auto before = bench.status().passes;
    bench.step_wall(-8h);
    bench.pass_time(1h);
    CHECK(bench.status().passes >= before + 3);
    CHECK(bench.status().passes <= before + 5);
}
