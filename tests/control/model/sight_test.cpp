#include "control/model/sight.hpp"

#include "control/api/reply_json.hpp"
#include "control/model/contacts.hpp"
#include "control/sample_status.hpp"
#include "support/catch.hpp"

namespace shelfd::control {
namespace {

Affected affected(const std::string& library, const std::string& why)
{
    Affected one;
    one.library = library;
    one.why = why;
    return one;
}

Cause shared_cause()
{
    Cause cause;
    cause.kind = CauseKind::network;
    cause.affected = {affected("antwerp", "antwerp is away"), affected("ghent", "ghent is away")};
    cause.affected[0].contact = "a@x.test";
    cause.affected[1].contact = "b@x.test";
    cause.contact = describe_contacts(cause.affected);
    return cause;
}

Status troubled_status()
{
    auto status = fresh_status();
    status.absent = {"bruges", "leuven"};
    Notice refused;
    refused.text = "the last reload was refused: antwerp";
    Notice bruges;
    bruges.text = "bruges is not running";
    bruges.absent = "bruges";
    Notice leuven;
    leuven.text = "leuven is not running";
    leuven.absent = "leuven";
    status.notices = {refused, bruges, leuven};
    auto of_daemon = shared_cause();
    of_daemon.affected = {Affected{}};
    auto of_antwerp = shared_cause();
    of_antwerp.affected.pop_back();
    status.problems = {shared_cause(), of_daemon, of_antwerp};
    return status;
}

}  // namespace

TEST_CASE("who may look at everything sees the status as it is")
{
    const auto sight = Sight::of_everything();
    CHECK(to_json(sight.limit(troubled_status())) == to_json(troubled_status()));
    CHECK(sight.includes("antwerp"));
}

TEST_CASE("a reader of single libraries sees no other library, no problem of another, and nothing of the daemon's own")
{
    const auto sight = Sight::of_libraries({"ghent", "leuven"});
    CHECK_FALSE(sight.includes("antwerp"));
    const auto status = sight.limit(troubled_status());
    REQUIRE(status.libraries.size() == 1);
    CHECK(status.libraries[0].name == "ghent");
    CHECK(status.absent == std::vector<std::string>{"leuven"});
    REQUIRE(status.notices.size() == 1);
    CHECK(status.notices[0].text == "leuven is not running");
    REQUIRE(status.problems.size() == 1);
    REQUIRE(status.problems[0].affected.size() == 1);
    CHECK(status.problems[0].affected[0].why == "ghent is away");
    CHECK(status.problems[0].contact == "b@x.test");
}

TEST_CASE("of alerts such a reader sees the incidents of these libraries, without what was said of another one")
{
    AlertReport alerts;
    alerts.hooks.emplace_back().name = "mail";
    alerts.dropped = 3;
    alerts.silences = {{"", sample_now}, {"antwerp", sample_now}, {"ghent", sample_now}};
    IncidentStatus shared;
    shared.id = "shared";
    shared.why = "antwerp is away";
    shared.libraries = {"antwerp", "ghent"};
    shared.library_count = 383;
    shared.called = {"mail"};
    auto own = shared;
    own.id = "own";
    own.why = "ghent is away";
    own.libraries = {"ghent"};
    own.library_count = 1;
    auto other = shared;
    other.libraries = {"antwerp"};
    alerts.incidents = {shared, own, other};

    const auto seen = Sight::of_libraries({"ghent"}).limit(alerts);
    CHECK(seen.hooks.empty());
    CHECK(seen.dropped == 0);
    REQUIRE(seen.silences.size() == 1);
    CHECK(seen.silences[0].library == "ghent");
    REQUIRE(seen.incidents.size() == 2);
    CHECK(seen.incidents[0].libraries == std::vector<std::string>{"ghent"});
    CHECK(seen.incidents[0].library_count == 1);
    CHECK(seen.incidents[0].why.empty());
    CHECK(seen.incidents[0].called.empty());
    CHECK(seen.incidents[1].why == "ghent is away");
    CHECK(Sight::of_everything().limit(alerts).incidents.size() == 3);
}

}  // namespace shelfd::control
