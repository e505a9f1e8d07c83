#include "sync/worker/outcome_log.hpp"

#include "support/catch.hpp"

#include <string>
#include <vector>

using namespace shelfd;
using namespace shelfd::sync;
using Set = OutcomeLog::TokenSet;

namespace {

struct Lines {
    std::vector<std::string> lines;
    std::string of_set;
    Log log{[this](const LogRecord& record) { lines.emplace_back(record.message); }};
    OutcomeLog recipes{log, "antwerp", "recipes", of_set};
    OutcomeLog suppliers{log, "antwerp", "suppliers", of_set};
};

PassReport failed(Trouble trouble, const std::string& why)
{
    PassReport report;
    report.trouble = trouble;
    report.why = why;
    return report;
}

PassReport published()
{
    PassReport report;
    report.pages = 2;
    report.proof.kind = ProofKind::newest_first;
    report.published.emplace().rows = 3;
    return report;
}

const Instant noon = Instant::from_seconds(1'800'000'000);

}  // namespace

TEST_CASE("trouble of a table is logged once, until a pass goes well")
{
    Lines log;
    log.recipes.ended(failed(Trouble::passing, "down"), Set::usable, noon);
    log.recipes.ended(failed(Trouble::passing, "down"), Set::usable, noon);
    REQUIRE(log.lines.size() == 1);
    CHECK(log.lines[0] == "recipes of antwerp not synced: down; next try at " + noon.to_short_text());
    log.suppliers.ended(failed(Trouble::passing, "down"), Set::usable, noon);
    CHECK(log.lines.size() == 2);
    log.recipes.ended(published(), Set::usable, noon);
    REQUIRE(log.lines.size() == 3);
    CHECK_THAT(log.lines[2], Catch::Matchers::Contains("recipes of antwerp synced (full): 3 rows"));
    log.recipes.ended(failed(Trouble::passing, "down"), Set::usable, noon);
    CHECK(log.lines.size() == 4);
}

TEST_CASE("trouble of the token set is logged once for all tables of the library")
{
    Lines log;
    log.recipes.ended(failed(Trouble::needs_person, "log in"), Set::unusable, noon);
    log.suppliers.ended(failed(Trouble::needs_person, "log in"), Set::unusable, noon);
    REQUIRE(log.lines.size() == 1);
    CHECK_THAT(log.lines[0], Catch::Matchers::StartsWith("antwerp not synced: log in"));
}

TEST_CASE("a round in which no list wanted a walk is not logged")
{
    Lines log;
    auto idle = published();
    idle.pages = 0;
    log.recipes.ended(idle, Set::usable, noon);
    CHECK(log.lines.empty());
    idle.published->deleted = 1;
    log.recipes.ended(idle, Set::usable, noon);
    CHECK(log.lines.size() == 1);
}
