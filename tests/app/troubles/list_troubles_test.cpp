// What can happen to single lists, as an operator meets it.
#include "app/troubles/staged_trouble.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

using namespace shelfd;
using namespace std::chrono_literals;
using control::CauseKind;
using control::Severity;

namespace {

sim::Fault at_list(const std::string& list, int status, std::string body = R"({"detail":"no"})")
{
    sim::Fault fault;
    fault.path = "/api/v2/" + list + "/";
    fault.library = "lib01";
    fault.times = std::nullopt;
    fault.acts = false;
    fault.status = status;
    fault.body = std::move(body);
    fault.content_type = "application/json";
    return fault;
}

StagedTrouble::Act answer(sim::Fault fault)
{
    return [fault](DaemonBench& bench) { bench.fail(fault); };
}

void forget_faults(DaemonBench& bench)
{
    bench.world()->faults.clear();
}

StagedTrouble::Act with_resources(std::string resources)
{
    return [resources](DaemonBench& bench) {
        bench.options().resources = resources;
        bench.reload();
    };
}

// A table of that list, with more keys.
std::string resource(const std::string& name, const std::string& path, const std::string& keys = "")
{
    return fmt::format("[resource.{}]\npath = \"/api/v2/{}/\"\n{}\n", name, path, keys);
}

std::string recipes(const std::string& keys = "")
{
    return resource("recipes", "library/recipes", keys);
}

DaemonOptions only_recipes(const std::string& keys = "")
{
    DaemonOptions options;
    options.resources = recipes(keys);
    options.libraries = {"antwerp"};
    return options;
}

// Six lists of one family, and one of another.
DaemonOptions six_lists()
{
    DaemonOptions options;
    options.libraries = {"antwerp"};
    for (const auto* list : {"recipes", "ingredients", "units", "allergens", "categories", "labels"}) {
        options.resources += resource(list, "library/recipes");
    }
    options.resources += resource("outlets", "inventory/outlets");
    return options;
}

}  // namespace

TEST_CASE("staged trouble: the set lacks the scope of a list")
{
    check_trouble({.name = "scope",
                   .cause = CauseKind::permission,
                   .severity = Severity::ticket,
                   .why = "the token set lacks the scope payroll, so no request was sent",
                   .cure = "ask the owner of antwerp for a token set with the scope payroll, then: "
                           "shelfctl auth import antwerp",
                   .options = only_recipes(),
                   .stage = with_resources(recipes("needs = \"payroll\"")),
                   .mend = with_resources(recipes()),
                   .tables = {"recipes"}});
}

TEST_CASE("staged trouble: the service refuses one list")
{
    check_trouble({.name = "403",
                   .cause = CauseKind::permission,
                   .severity = Severity::ticket,
                   .why = "the service refuses this list to this token set (403)",
                   .cure = "ask the owner of antwerp for the scope or permission of recipes, then: "
                           "shelfctl sync antwerp recipes",
                   .next = "tries again",
                   .stage = answer(at_list("library/recipes", 403)),
                   .mend = forget_faults,
                   .tables = {"recipes"}});
}

TEST_CASE("staged trouble: the service refuses six lists")
{
    check_trouble({.name = "403 of six",
                   .cause = CauseKind::permission,
                   .severity = Severity::ticket,
                   .why = "the service refuses this list to this token set (403)",
                   .cure = "shelfctl sync antwerp",
                   .next = "tries again",
                   .options = six_lists(),
                   .stage = answer(at_list("library/recipes", 403)),
                   .mend = forget_faults,
                   .tables = {"recipes", "ingredients", "units", "allergens", "categories", "labels"}});
}

TEST_CASE("staged trouble: the address of a list is gone")
{
    check_trouble({.name = "404",
                   .cause = CauseKind::configuration,
                   .severity = Severity::ticket,
                   .why = "the service has no such list (404)",
                   .cure = "this list was there before: ask help@service.test whether it was moved or removed; only "
                           "if its path changed, correct [resource.recipes], then: shelfctl reload",
                   .next = "tries again",
                   .stage = answer(at_list("library/recipes", 404)),
                   .mend = forget_faults,
                   .tables = {"recipes"}});
}

TEST_CASE("staged trouble: a permission shrinks, and half of a list is hidden")
{
    const auto rows = [](DaemonBench& bench) {
        auto mirror = storage::Database::open(bench.mirror(), storage::OpenMode::read_only);
        REQUIRE(mirror);
        auto count = mirror->prepare("SELECT count(*) FROM recipes");
        REQUIRE(count);
        REQUIRE(count->step());
        return count->integer(0);
    };
    check_trouble({.name = "hidden rows",
                   .cause = CauseKind::held,
                   .severity = Severity::ticket,
                   .why = "50 rows of recipes are held: the service no longer lists them",
                   .cure = "to list them: shelfctl held antwerp recipes; then repeat it with --keep if they "
                           "exist, --accept if they were deleted",
                   .next = "keeps these rows",
                   .stage =
                       [&rows](DaemonBench& bench) {
                           REQUIRE(rows(bench) == 100);
                           const auto all = bench.world()
                                                ->find_list(bench.world()->library("lib01"), "library/recipes")
                                                ->ordered({sim::OrderField::id, false});
                           auto& hides = bench.world()->quirks("library/recipes").hides;
                           for (std::size_t i = 0; i < 50; ++i) {
                               hides.insert(all[i]->id);
                           }
                       },
                   .mend =
                       [&rows](DaemonBench& bench) {
                           CHECK(rows(bench) == 100);
                           bench.world()->quirks("library/recipes").hides.clear();
                       },
                   .tables = {"recipes"}});
}

TEST_CASE("staged trouble: the service stops obeying the filter for changes")
{
    const std::string keys = R"(incremental = { param = "modified_date__gt", field = "modified_date" })";
    check_trouble({.name = "ignored filter",
                   .cause = CauseKind::filter,
                   .severity = Severity::ticket,
                   .why = "the service ignores the filter modified_date__gt, so every pass walks the whole list",
                   .cure = "correct `incremental` of [resource.recipes], or remove it, then: shelfctl reload",
                   .next = "walks the whole list each time",
                   .options = only_recipes(keys),
                   .stage = [](DaemonBench& bench) { bench.world()->quirks("library/recipes").ignores_filters = true; },
                   .mend = with_resources(recipes()),
                   .within = 8 * 24h,  // it is tested weekly
                   .tables = {"recipes"}});
}

TEST_CASE("staged trouble: a list is redirected")
{
    auto fault = at_list("library/recipes", 301, "");
    fault.headers = {{"Location", "https://elsewhere.test/"}};
    check_trouble({.name = "301",
                   .cause = CauseKind::configuration,
                   .severity = Severity::ticket,
                   .why = "redirects are not followed with a token",
                   .cure = "correct [resource.recipes], then: shelfctl reload",
                   .next = "tries again",
                   .stage = answer(fault),
                   .mend = forget_faults,
                   .tables = {"recipes"}});
}

TEST_CASE("staged trouble: a list does not accept a parameter")
{
    check_trouble({.name = "400",
                   .cause = CauseKind::configuration,
                   .severity = Severity::ticket,
                   .why = "the service does not accept a parameter of the request (400)",
                   .cure = "correct [resource.recipes], then: shelfctl reload",
                   .next = "tries again",
                   .stage = answer(at_list("library/recipes", 400)),
                   .mend = forget_faults,
                   .tables = {"recipes"}});
}

TEST_CASE("staged trouble: items lose their key")
{
    check_trouble({.name = "key drift",
                   .cause = CauseKind::key_drift,
                   .severity = Severity::ticket,
                   .why = "its key \"id\" is missing",
                   .cure = "[resource.recipes]",
                   .next = "tries again",
                   .stage = answer(at_list("library/recipes", 200,
                                           R"({"count":1,"next":null,"previous":null,"results":[{"uuid":"a"}]})")),
                   .mend = forget_faults,
                   .tables = {"recipes"}});
}

TEST_CASE("staged trouble: two items have the same key")
{
    check_trouble({.name = "key twice",
                   .cause = CauseKind::key_drift,
                   .severity = Severity::ticket,
                   .why = "have the same key 7",
                   .cure = "[resource.recipes]",
                   .next = "tries again",
                   .stage = answer(
                       at_list("library/recipes", 200,
                               R"({"count":2,"next":null,"previous":null,"results":[{"id":7,"a":1},{"id":7,"a":2}]})")),
                   .mend = forget_faults,
                   .tables = {"recipes"}});
}

TEST_CASE("staged trouble: the answers of a list have another form")
{
    check_trouble(
        {.name = "envelope",
         .cause = CauseKind::configuration,
         .severity = Severity::ticket,
         .why = "array",
         .cure = "whether the answers of this list changed for good; if so: shelfctl sync antwerp recipes --full",
         .next = "tries again",
         .options = only_recipes(),
         .stage = [](DaemonBench& bench) { bench.world()->quirks("library/recipes").envelope = sim::Envelope::array; },
         .mend = [](DaemonBench& bench) { bench.world()->quirks("library/recipes").envelope.reset(); },
         .tables = {"recipes"}});
}

TEST_CASE("staged trouble: the page that names the library is gone")
{
    check_trouble({.name = "identity",
                   .cause = CauseKind::identity,
                   .severity = Severity::ticket,
                   .why = "check identity.path",
                   .cure = "correct identity of the service, then: shelfctl reload",
                   .next = "tries again",
                   .options = only_recipes(),
                   .stage = answer(at_list("accounts/libraries/current", 404)),
                   .mend = forget_faults,
                   .tables = {"recipes"}});
}

TEST_CASE("staged trouble: the count of a list is wrong, so no pass proves it")
{
    check_trouble({.name = "wrong count",
                   .cause = CauseKind::late,
                   .severity = Severity::ticket,
                   .why = "prove",
                   .cure = "shelfctl explain antwerp recipes",
                   .next = "tries again",
                   .options = only_recipes(),
                   .stage = [](DaemonBench& bench) { bench.world()->quirks("library/recipes").count_offset = 7; },
                   .mend = [](DaemonBench& bench) { bench.world()->quirks("library/recipes").count_offset = 0; },
                   .within = 6h,
                   .tables = {"recipes"}});
}

TEST_CASE("staged trouble: the request limit is too small for the schedule")
{
    auto options = only_recipes();
    options.world.rows = 400;
    check_trouble({.name = "starved",
                   .cause = CauseKind::schedule,
                   .severity = Severity::ticket,
                   .why = "the schedules need 1.6 requests a minute, and the limit is 1",
                   .cure = "shelfctl plan antwerp",
                   .next = "sends what the limit allows",
                   .options = options,
                   .stage =
                       [](DaemonBench& bench) {
                           bench.options().rate_limit = "1/min";
                           bench.options().resources = recipes("late_after = \"20m\"");
                           bench.reload();
                       },
                   .mend =
                       [](DaemonBench& bench) {
                           bench.options().rate_limit = "none";
                           bench.options().resources = recipes();
                           bench.reload();
                       },
                   .within = 3h,
                   .tables = {"recipes"}});
}
