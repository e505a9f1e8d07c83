#include "sync/plan/unbrought.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

Instant at(const char* text)
{
    return Instant::from_rfc3339(text).value();
}

sync::UnbroughtSearch walk_at_night(Duration resolution, Duration reach)
{
    // Whole walks at half past three, changes every quarter of an hour.
    return {"m", {at("2026-03-09T03:30:00Z"), at("2026-03-10T03:15:00Z"), reach, resolution}};
}

}  // namespace

TEST_CASE("a date tells whether passes for changes should have brought its row, as far as it can")
{
    enum class Told { certain, unsure, nothing };
    struct Row {
        const char* date;
        Duration resolution;
        Duration reach;
        Told told;
    };
    const auto row = GENERATE(values<Row>({
        {"2026-03-09T12:00:00.000000Z", 1s, 5min, Told::certain},
        {"2026-03-10T03:09:00.000000Z", 1s, 5min, Told::certain},
        {"2026-03-10T03:12:00.000000Z", 1s, 5min, Told::nothing},  // it may have shown late
        {"2026-03-10T03:20:00.000000Z", 1s, 5min, Told::nothing},  // nobody has asked since then
        {"2026-03-09T03:00:00.000000Z", 1s, 5min, Told::nothing},  // the walk before saw it
        {"2026-03-09T03:30:00.000000Z", 1min, 61s, Told::certain},
        {"2026-03-09", 24h, 38h, Told::unsure},
        {"2026-03-08", 24h, 38h, Told::unsure},
        {"2026-03-10", 24h, 38h, Told::unsure},
        {"2026-03-11", 24h, 38h, Told::nothing},
        {"2026-03-06", 24h, 38h, Told::nothing},
        {"2026-03-09T00:00:00.000000Z", 24h, 38h, Told::unsure},
        {"2026-03-09T12:00", 1min, 61s, Told::unsure},
        {"2026-03-09 12:00:31", 1s, 2s, Told::unsure},
        {"2026-03-10T03:20:00", 1s, 2s, Told::unsure},   // in the east it is before the last pass for changes
        {"2026-03-10T17:20:00", 1s, 2s, Told::nothing},  // nobody has asked since then, in any zone
        {"noon", 1s, 2s, Told::nothing},
    }));
    INFO(row.date);
    auto rows = walk_at_night(row.resolution, row.reach);
    rows.take({"7", row.date});
    const auto found = rows.found("");
    CHECK(found.certain.empty() == (row.told != Told::certain));
    CHECK(found.unsure.empty() == (row.told != Told::unsure));
}

TEST_CASE("days and times without a zone are certain where they are so in every zone")
{
    for (const std::string date : {"2026-03-04", "2026-03-04T12:00", "2026-03-04 12:00:30"}) {
        INFO(date);
        sync::UnbroughtSearch rows("m", {at("2026-03-01T03:30:00Z"), at("2026-03-10T03:15:00Z"), 38h, 24h});
        rows.take({"7", date});
        CHECK(rows.found("").certain == "row 7 has the m " + date);
    }
}

TEST_CASE("a row whose time has no zone is asked for as the next pass for changes would")
{
    auto rows = walk_at_night(1s, 2s);
    rows.take({"7", "2026-03-09T12:00:00"});
    const auto found = rows.found("[3]");
    REQUIRE(found.unsure.size() == 1);
    CHECK(found.unsure.front().asked == at("2026-03-10T03:15:00Z"));
    CHECK(found.unsure.front().list == "[3]");
}
