// One simulated year of a library: ends true, spends what it may, and no more than it must.
#include "app/year_library.hpp"

#include "support/catch.hpp"
#include "support/json_tree.hpp"
#include "support/long_form.hpp"
#include "support/scale.hpp"

#include <fmt/format.h>

#include <algorithm>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

// In memory: most passes end with a checkpoint, and a disk that many tests share takes its time for each. Elsewhere, on
// the disk.
class FilesInMemory {
public:
    FilesInMemory() { setenv("TMPDIR", "/dev/shm", 1); }
    FilesInMemory(const FilesInMemory&) = delete;
    FilesInMemory& operator=(const FilesInMemory&) = delete;
    ~FilesInMemory() { before_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before_.c_str(), 1); }

private:
    std::string before_ = getenv("TMPDIR") == nullptr ? "" : getenv("TMPDIR");
};

YearScale scale()
{
    if (is_long_form()) {
        return {};
    }
    return {.days = sanitized ? 8 : 30, .rows = 2'000, .passes = 8, .page_size = 8, .per_minute = 40};
}

void check_truth(YearLibrary& year)
{
    std::size_t rows = 0;
    for (const auto& list : year.lists()) {
        INFO(list.table);
        const auto wanted = year.bench().service_rows(list.path);
        const auto mirrored = year.bench().mirror_rows(list.table);
        REQUIRE(year.bench().ids(list.table) == year.bench().service_ids(list.path));
        for (const auto& [id, item] : wanted) {
            if (!equal_items(mirrored.at(id), item)) {
                FAIL("row " << id << " is " << mirrored.at(id) << " and not " << item);
            }
        }
        rows += wanted.size();
    }
    WARN(fmt::format("{} lists, {} rows: equal, value by value", year.lists().size(), rows));
}

void check_budget(YearLibrary& year, std::uint32_t limit)
{
    const auto report = year.bench().world()->audit_report();
    const auto busiest = report.busiest_minute.at("lib01");
    WARN(fmt::format("{} requests, {} outages, {} starts, {} refreshes; the busiest minute saw {} of {}, {} refused",
                     report.total, year.outages(), year.starts(), report.refreshes, busiest, limit, report.throttled));
    CHECK(busiest <= limit);
    CHECK(report.throttled == 0);
    for (const auto& backlog : year.backlogs()) {
        WARN(fmt::format("after {}: {:.1f} % of the limit used in {} minutes of backlog", backlog.after,
                         100 * backlog.share, backlog.minutes));
        CHECK((backlog.share >= 0.98 || backlog.minutes == 0));
    }
    CHECK(year.backlogs().front().minutes > 0);
}

void check_thrift(YearLibrary& year)
{
    double worst = 0;
    for (const auto& quiet : year.quiet_days()) {
        const auto ratio = static_cast<double>(quiet.requests) / static_cast<double>(quiet.least);
        WARN(fmt::format("unchanged day {}: {} requests, at least {} are needed: {:.3f}", quiet.day, quiet.requests,
                         quiet.least, ratio));
        worst = std::max(worst, ratio);
    }
    REQUIRE(worst > 0);
    CHECK(worst <= 1.10);
}

}  // namespace

TEST_CASE(
    "a year of twenty lists ends true, never above the limit, and an unchanged day costs little more than it must")
{
    const FilesInMemory memory;
    YearLibrary year(scale());
    year.live();
    check_budget(year, scale().per_minute);
    check_thrift(year);
    CHECK(year.bench().world()->faults.pending() == 0);
    check_truth(year);
}
