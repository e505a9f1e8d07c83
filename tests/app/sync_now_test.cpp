// What `shelfctl sync` reports: a pass that was published and proves nothing is no success.
#include "app/library_bench.hpp"

#include "app/operations/auth_operations.hpp"
#include "app/operations/sync_operation.hpp"
#include "control/causes/cause_finder.hpp"
#include "runtime/async/async_event.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

struct Synced {
    Result<void> outcome;
    std::size_t ended;                         // passes that were reported
    std::optional<Instant> paused_until = {};  // the last pause that was reported
};

Synced sync_now(LibraryBench& bench, control::SyncRequest request)
{
    AsyncEvent changed;
    std::size_t ended = 0;
    std::optional<Instant> paused_until;
    const auto count = [&](const control::ProgressEvent& event) {
        ended += event.ended ? 1 : 0;
        paused_until = event.paused_until ? event.paused_until : paused_until;
    };
    auto outcome = bench.clock.run(app::sync_now({&*bench.unit}, changed, request, count));
    return {std::move(outcome), ended, paused_until};
}

Synced sync_now(LibraryBench& bench, const std::string& resource, control::Extent extent = control::Extent::full)
{
    control::SyncRequest request;
    request.library = "lib01";
    request.resource = resource;
    request.extent = extent;
    return sync_now(bench, std::move(request));
}

ErrorKind kind_of(const Synced& synced)
{
    REQUIRE_FALSE(synced.outcome);
    return synced.outcome.error().kind();
}

// The service wants no requests for an hour.
void refuse_for_an_hour(LibraryBench& bench)
{
    sim::Fault busy;
    busy.path = "/api/v2/library/";
    busy.acts = false;
    busy.status = 429;
    busy.body = "{}";
    busy.content_type = "application/json";
    busy.headers = {{"Retry-After", "3600"}};
    bench.world()->faults.add(busy);
}

bool says(const Synced& synced, const std::string& part)
{
    return !synced.outcome && synced.outcome.error().text().find(part) != std::string::npos;
}

BenchOptions of(const std::string& name, const std::function<void(sim::ListQuirks&)>& prepare)
{
    BenchOptions options;
    options.resources = {name};
    options.every = 24h;
    options.ordering = "";
    options.page_size = 20;
    options.world.rows_of["library/" + name] = 95;
    options.prepare = [name, prepare](sim::World& world) { prepare(world.quirks("library/" + name)); };
    return options;
}

// Counts of three outlets, 50 each, in pages of 20, by a cursor that marks a place among equal times.
BenchOptions counts_by_cursor()
{
    BenchOptions options;
    options.family = "inventory";
    options.resources = {"counts", "outlets"};
    options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
    options.world.rows_of["inventory/outlets"] = 3;
    options.page_size = 20;
    options.every = 24h;
    options.ordering = "";
    options.prepare = [](sim::World& world) {
        auto* outlets = world.find_list(world.library("lib01"), "inventory/outlets");
        for (const auto* outlet : outlets->ordered({sim::OrderField::id, false})) {
            auto& quirks = world.quirks(fmt::format("inventory/outlets/{}/counts", outlet->id));
            quirks.envelope = sim::Envelope::cursor;
            quirks.omits_count = true;
            quirks.cursor_order = sim::Order{sim::OrderField::modified_date, true};
        }
    };
    return options;
}

std::size_t count_asked(const LibraryBench& bench, const std::string& part, std::size_t from)
{
    const auto& asked = bench.client.asked;
    return static_cast<std::size_t>(
        std::count_if(asked.begin() + static_cast<std::ptrdiff_t>(from), asked.end(),
                      [&part](const std::string& target) { return target.find(part) != std::string::npos; }));
}

}  // namespace

TEST_CASE("a sync of a table that is walked and proven is a success")
{
    LibraryBench bench(of("recipes", [](sim::ListQuirks&) {}));
    bench.pass_time(1min);
    for (const auto extent : {control::Extent::ordinary, control::Extent::full}) {
        const auto synced = sync_now(bench, "recipes", extent);
        CHECK(synced.outcome);
        CHECK(synced.ended == 1);
    }
}

TEST_CASE("a sync of a list that only two walks prove ends with the second one")
{
    LibraryBench bench(of("recipes", [](sim::ListQuirks& quirks) { quirks.omits_count = true; }));
    bench.pass_time(1h);
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 3});
    const auto runs = std::stoi(bench.query("SELECT count(*) FROM _runs"));
    CHECK(sync_now(bench, "recipes").outcome);
    CHECK(std::stoi(bench.query("SELECT count(*) FROM _runs")) == runs + 2);
    CHECK_FALSE(bench.query("SELECT proven_as_of FROM freshness").empty());
    CHECK(bench.ids() == bench.service_ids());
}

TEST_CASE("a sync of a list that is cut says so, and is no success")
{
    LibraryBench bench(of("units", [](sim::ListQuirks& quirks) {
        quirks.habits.cap = 20;
        quirks.habits.paging = sim::Paging::nothing;
    }));
    bench.pass_time(1h);
    const auto synced = sync_now(bench, "units");
    CHECK(says(synced, "units: the list returned 20 rows"));
    CHECK(says(synced, "; if it lasts, tell the operator of the service; see: shelfctl status lib01"));
    CHECK(kind_of(synced) == ErrorKind::protocol);  // not that of a network that fails
}

TEST_CASE("a sync of a list whose deep pages are refused says so, and is no success")
{
    LibraryBench bench(of("recipes", [](sim::ListQuirks& quirks) {
        quirks.habits.deepest_page = 3;
        quirks.habits.deep_status = 400;
    }));
    bench.pass_time(1h);
    CHECK(says(sync_now(bench, "recipes"), "recipes: page 4 of the list was answered 400"));
}

TEST_CASE("a sync of a list that moves under each walk says so, and is no success")
{
    LibraryBench bench(of("recipes", [](sim::ListQuirks& quirks) { quirks.omits_count = true; }));
    bench.pass_time(1h);
    std::size_t moved = 0;
    bench.client.before_sending = [&](const std::string& target) {
        if (target.find("page=3") != std::string::npos) {
            bench.world()->edit("lib01", "library/recipes", {.add_seeded = 1});
            ++moved;
        }
    };
    const auto synced = sync_now(bench, "recipes");
    CHECK(moved > 1);
    CHECK(says(synced, "recipes: this walk does not prove that no row was missed"));
    CHECK(kind_of(synced) == ErrorKind::busy);  // the next walk may prove it
}

TEST_CASE("a sync of all libraries names the library of each table that fails")
{
    LibraryBench bench(of("units", [](sim::ListQuirks& quirks) {
        quirks.habits.cap = 20;
        quirks.habits.paging = sim::Paging::nothing;
    }));
    bench.pass_time(1h);
    control::SyncRequest request;
    request.extent = control::Extent::full;
    const auto synced = sync_now(bench, std::move(request));
    CHECK(synced.ended == 1);
    CHECK(says(synced, "lib01 units: the list returned 20 rows"));
}

TEST_CASE("a sync of a paused library needs a person, and of an unknown table says which there are")
{
    BenchOptions options;
    options.resources = {"recipes", "units"};
    LibraryBench bench(options);
    const auto unknown = sync_now(bench, "recipies");
    CHECK(kind_of(unknown) == ErrorKind::not_found);
    CHECK(says(unknown,
               "library lib01 has no table recipies (it has: recipes, units); all of them: shelfctl status lib01"));
    options.configure = [](config::Library& library) { library.paused = true; };
    LibraryBench paused(options);
    const auto refused = sync_now(paused, "recipes");
    CHECK(kind_of(refused) == ErrorKind::needs_person);
    CHECK(says(refused, "lib01 is paused: shelfctl library resume lib01"));
}

namespace {

// As a front end answers while the service behind it restarts.
void deny(LibraryBench& bench, const std::string& path, std::optional<std::uint64_t> times, int status = 404)
{
    sim::Fault fault;
    fault.path = path;
    fault.times = times;
    fault.acts = false;
    fault.status = status;
    fault.body = R"({"detail":"Not found."})";
    fault.content_type = "application/json";
    bench.world()->faults.add(fault);
}

}  // namespace

TEST_CASE("a sync that meets a single 404 or 410 of a list that was read asks once more, and is a success")
{
    const int status = GENERATE(404, 410);
    LibraryBench bench(of("recipes", [](sim::ListQuirks&) {}));
    bench.pass_time(1min);
    deny(bench, "/api/v2/library/recipes/", 1, status);
    CHECK(sync_now(bench, "recipes").outcome);
    CHECK(bench.status().state == control::State::fresh);
    deny(bench, "/api/v2/library/recipes/", std::nullopt, status);
    const auto gone = sync_now(bench, "recipes");
    CHECK(kind_of(gone) == ErrorKind::needs_person);
    CHECK(says(gone, fmt::format("recipes: the service has no such list ({}); this list was there before: ask the "
                                 "operator of the service whether it was moved or removed; only if its path changed, "
                                 "correct [resource.recipes], then: shelfctl reload",
                                 status)));
}

TEST_CASE("a sync that meets a 404 of a list that was never read says to check its path")
{
    auto options = of("recipes", [](sim::ListQuirks&) {});
    const auto prepare = options.prepare;
    options.prepare = [prepare](sim::World& world) {
        prepare(world);
        sim::Fault fault;
        fault.path = "/api/v2/library/recipes/";
        fault.times = std::nullopt;
        fault.acts = false;
        fault.status = 404;
        fault.body = R"({"detail":"Not found."})";
        fault.content_type = "application/json";
        world.faults.add(fault);
    };
    LibraryBench bench(options);
    bench.pass_time(1min);
    CHECK(says(sync_now(bench, "recipes"), "recipes: the service has no such list (404); check `path` and `base_url`; "
                                           "correct [resource.recipes], then: shelfctl reload"));
}

TEST_CASE("a sync that cannot reach the service advises what status advises")
{
    struct Row {
        TroubleSource source;
        const char* why;
    };
    for (const auto& row : {Row{TroubleSource::network, "cannot connect to service.test: Connection refused"},
                            Row{TroubleSource::other_host, "the certificate belongs to another host"}}) {
        INFO(row.why);
        LibraryBench bench(of("recipes", [](sim::ListQuirks&) {}));
        bench.pass_time(1min);
        auto error = Error(ErrorKind::network, row.why).with(Delivery::not_sent).with(row.source);
        if (const auto advice = advice_on(row.source); !advice.empty()) {
            error.advise("; ", std::string(advice));
        }
        bench.client.fails = [&](const std::string&) { return std::optional(error); };
        const auto synced = sync_now(bench, "recipes");
        REQUIRE_FALSE(synced.outcome);
        control::Status status;
        status.now = bench.clock.now() + 1h;  // it has lasted
        status.libraries = {app::report_library(*bench.unit, bench.clock.now())};
        const auto causes = control::find_causes(status);
        REQUIRE(causes.size() == 1);
        const auto& told = causes.front().affected.front();
        REQUIRE_FALSE(told.do_this.empty());
        INFO(synced.outcome.error().text());
        CHECK(says(synced, "recipes: " + told.why + "; the daemon tries again at "));
        CHECK(says(synced, "; if it lasts: " + told.do_this + "; see: shelfctl status lib01"));
        CHECK_FALSE(says(synced, "operator of the service"));
    }
}

TEST_CASE("a sync names a reason once for all tables that share it, and what to type")
{
    BenchOptions options;
    options.resources = {"recipes", "units"};
    options.every = 24h;
    LibraryBench bench(options);
    bench.pass_time(1min);
    for (const auto* list : {"recipes", "units"}) {
        deny(bench, fmt::format("/api/v2/library/{}/", list), std::nullopt, 403);
    }
    const auto synced = sync_now(bench, "");
    REQUIRE(kind_of(synced) == ErrorKind::needs_person);
    const auto& text = synced.outcome.error().text();
    INFO(text);
    CHECK(text.find('\n') == std::string::npos);
    CHECK((text.starts_with("recipes, units: ") || text.starts_with("units, recipes: ")));
    const bool names_both =
        says(synced, "ask the owner of lib01 for the scopes or permissions of recipes, units, then: shelfctl sync "
                     "lib01") ||
        says(synced, "ask the owner of lib01 for the scopes or permissions of units, recipes, then: shelfctl sync "
                     "lib01");
    CHECK(names_both);
    CHECK_FALSE(says(synced, "for the others"));
}

TEST_CASE("a sync that waits because the service wants no requests reports until when")
{
    LibraryBench bench;
    bench.pass_time(1min);
    refuse_for_an_hour(bench);
    const auto begun = bench.clock.now();
    const auto synced = sync_now(bench, "recipes");
    CHECK(synced.outcome);
    REQUIRE(synced.paused_until);
    CHECK(*synced.paused_until - begun > 59min);
    CHECK(bench.clock.now() - begun > 59min);
}

TEST_CASE("a sync whose own pass waits for the request limit reports since when and until when, and that time goes on")
{
    BenchOptions options;
    options.resources = {"recipes", "units"};
    options.every = 24h;
    options.requests_per_minute = 6;
    LibraryBench bench(options);
    bench.pass_time(10min);
    std::vector<control::ProgressEvent> waiting;
    std::vector<Instant> shown_at;
    const auto note = [&](const control::ProgressEvent& event) {
        if (event.running && event.running->waits_for_limit_since) {
            waiting.push_back(event);
            shown_at.push_back(bench.clock.now());
        }
    };
    AsyncEvent changed;
    control::SyncRequest request;
    request.library = "lib01";
    request.extent = control::Extent::full;
    for (int i = 0; i < 4 && waiting.empty(); ++i) {
        REQUIRE(bench.clock.run(app::sync_now({&*bench.unit}, changed, request, note)));
    }
    REQUIRE(waiting.size() > 2);
    CHECK(shown_at.front() - *waiting.front().running->waits_for_limit_since <= Duration(8s));
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        CHECK(waiting[i].running->next_request_at.value_or(Instant()) >= shown_at[i]);
        CHECK(waiting[i].running->eta.value_or(Duration(1min)) <= Duration(1min));
    }
    // The time left is no older than what a person sees of it.
    CHECK(shown_at[1] - shown_at[0] <= Duration(8s));
}

TEST_CASE("a set that cannot be tested before a pause of the service ends is refused at once, and until when is said")
{
    LibraryBench bench;
    bench.pass_time(1min);
    refuse_for_an_hour(bench);
    bench.unit->tables().lists().front()->request_pass();
    bench.pass_time(1min);
    const auto begun = bench.clock.now();
    const auto asked = bench.client.asked.size();
    control::ImportRequest request;
    request.library = "lib01";
    request.pasted = Secret(R"({"access_token": "a", "refresh_token": "b", "expires_in": 604800})");
    const auto imported = bench.clock.run(app::import_set(*bench.unit, std::move(request)));
    CHECK(bench.clock.now() - begun < Duration(1s));
    REQUIRE_FALSE(imported);
    CHECK(imported.error().kind() == ErrorKind::throttled);
    CHECK(imported.error().text().find("rate limited by the service: no requests until ") == 0);
    CHECK(imported.error().text().find("no token was used") != std::string::npos);
    CHECK(bench.client.asked.size() == asked);
}

TEST_CASE("a sync with a time-out says what still runs and until when it waits; the pass continues")
{
    LibraryBench bench;
    bench.pass_time(1min);
    refuse_for_an_hour(bench);
    const auto begun = bench.clock.now();
    const auto runs = bench.query("SELECT count(*) FROM _runs");
    control::SyncRequest request;
    request.library = "lib01";
    request.resource = "recipes";
    request.timeout = 5min;
    const auto synced = sync_now(bench, std::move(request));
    CHECK(bench.clock.now() - begun == Duration(5min));
    CHECK(kind_of(synced) == ErrorKind::timeout);
    CHECK(says(synced, "still running after 5 min: recipes; rate limited by the service: no requests until "));
    CHECK(says(synced, "; the passes continue: shelfctl status lib01"));
    bench.pass_time(1h);
    CHECK(bench.query("SELECT count(*) FROM _runs") > runs);
}

TEST_CASE("a sync of lists by parent of which one cannot be walked says so, and is no success")
{
    BenchOptions options;
    options.family = "inventory";
    options.resources = {"stock", "outlets"};
    options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
    options.every = 24h;
    options.ordering = "";
    options.world.rows_of["inventory/outlets"] = 3;
    LibraryBench bench(options);
    bench.pass_time(1min);
    REQUIRE(sync_now(bench, "stock").outcome);
    sim::Fault refused;
    refused.path = fmt::format("/api/v2/inventory/outlets/{}/stock/", bench.service_ids("inventory/outlets").at(1));
    refused.times = std::nullopt;
    refused.acts = false;
    refused.status = 400;
    refused.body = "{}";
    refused.content_type = "application/json";
    bench.world()->faults.add(refused);
    CHECK(says(sync_now(bench, "stock"), "stock: 1 of 3 lists cannot be walked"));
}

TEST_CASE("a sync of lists by parent whose cursors prove nothing walks each twice at once, and the schedule does not")
{
    LibraryBench bench(counts_by_cursor());
    bench.pass_time(30s);
    CHECK(count_asked(bench, "/counts/", 0) == 3 * 3);  // the schedule's walk, which proves nothing
    bench.pass_time(1h);
    CHECK(count_asked(bench, "/counts/", 0) == 2 * 3 * 3);
    for (const auto extent : {control::Extent::ordinary, control::Extent::full}) {
        const auto before = bench.client.asked.size();
        const auto since = bench.clock.now();
        bench.pass_time(1min);
        const auto synced = sync_now(bench, "counts", extent);
        INFO((synced.outcome ? "" : synced.outcome.error().text()));
        CHECK(synced.outcome);
        CHECK(synced.ended == 1);
        CHECK(count_asked(bench, "/counts/", before) == 2 * 3 * 3);
        CHECK(bench.query(fmt::format("SELECT proven_as_of > '{}' FROM freshness WHERE resource = 'counts'",
                                      since.to_text())) == "1");
        CHECK(bench.query("SELECT requests || ' ' || pages FROM _runs WHERE resource = 'counts' ORDER BY rowid DESC "
                          "LIMIT 1") == "18 18");
    }
}

TEST_CASE("a sync of lists by parent of which one fails while it is walked again keeps the first walk, and says why")
{
    LibraryBench bench(counts_by_cursor());
    bench.pass_time(1h);
    const auto outlet = bench.service_ids("inventory/outlets").back();
    const auto list = fmt::format("inventory/outlets/{}/counts", outlet);
    bench.world()->edit("lib01", list, {.add_seeded = 1});
    sim::Fault refused;
    refused.path = "/api/v2/" + list + "/";
    refused.skip = 3;  // the pages of the first walk
    refused.times = std::nullopt;
    refused.acts = false;
    refused.status = 403;
    refused.body = "{}";
    refused.content_type = "application/json";
    bench.world()->faults.add(refused);
    CHECK(says(sync_now(bench, "counts"), "counts: 1 of 3 lists cannot be walked"));
    CHECK(bench.query("SELECT count(*) FROM counts") == "151");
    CHECK(bench.query("SELECT sum(added) FROM (SELECT added FROM _runs WHERE resource = 'counts' ORDER BY rowid DESC "
                      "LIMIT 1)") == "1");
}
