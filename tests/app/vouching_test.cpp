// Whose rows are shown, and on whose word rows go.
#include "app/library_bench.hpp"
#include "app/operations/mirror_operations.hpp"
#include "control/api/reply_json.hpp"

#include "runtime/async/async_event.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <functional>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr const char* recipes = "library/recipes";

control::LibraryStatus status_of(LibraryBench& bench)
{
    return app::report_library(*bench.unit, bench.clock.now());
}

// Everybody is shown this, whatever the token.
void open_to_all(LibraryBench& bench, const std::string& path, const std::string& body, int status = 200)
{
    sim::Fault open;
    open.path = path;
    open.times = std::nullopt;
    open.acts = false;
    open.status = status;
    open.body = body;
    open.content_type = "application/json";
    bench.world()->faults.add(open);
}

BenchOptions fifty_rows(bool personal)
{
    BenchOptions options;
    options.world.rows = 50;
    options.page_size = 20;
    options.every = 24h;
    options.configure = [personal](config::Library& library) {
        library.application.token_kind = personal ? config::TokenKind::personal : config::TokenKind::service_account;
    };
    return options;
}

std::function<void(sim::World&)> answer_after_ten_seconds(std::string path)
{
    sim::Fault slow;
    slow.path = std::move(path);
    slow.times = std::nullopt;
    slow.delay = 10s;
    return [slow](sim::World& world) { world.faults.add(slow); };
}

std::string page_of(const std::vector<std::string>& rows)
{
    return fmt::format(R"({{"count":{},"next":null,"previous":null,"results":[{}]}})", rows.size(),
                       fmt::join(rows, ","));
}

// Two lists of a service that has no page which names the library.
struct NamelessBench : LibraryBench {
    explicit NamelessBench(BenchOptions given = options()) : LibraryBench(std::move(given))
    {
        REQUIRE(sync("ingredients").published);
        REQUIRE(sync("recipes").published);
    }

    static BenchOptions options()
    {
        BenchOptions options;
        options.world.rows = 60;
        options.every = 24h;
        options.has_identity = false;
        options.resources = {"ingredients", "recipes"};
        return options;
    }

    // The token ends, and the lists answer with a public part all the same.
    void go_public()
    {
        // Before the lists, whose paths these begin with.
        for (const auto id : ids("recipes")) {
            open_to_all(*this, fmt::format("/api/v2/library/recipes/{}/", id), R"({"detail":"Not found."})", 404);
        }
        for (const std::string name : {"ingredients", "recipes"}) {
            const auto rows = mirror_rows(name);
            open_to_all(*this, "/api/v2/library/" + name + "/", page_of({rows.begin()->second}));
        }
        world()->revoke_set("lib01");
    }
};

}  // namespace

TEST_CASE("lists that become readable for everybody delete nothing, and status says why and what to configure")
{
    NamelessBench bench;
    const auto before = bench.mirror_rows();
    REQUIRE(before.size() == 60);
    REQUIRE(status_of(bench).identity_trouble.empty());
    bench.go_public();
    bench.pass_time(2h);
    for (int pass = 0; pass < 3; ++pass) {
        const auto report = bench.sync("recipes");
        REQUIRE(report.published);
        CHECK(report.published->deleted == 0);
        CHECK_FALSE(report.proof.complete());
        bench.pass_time(2h);
    }
    CHECK(bench.mirror_rows() == before);
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "0");
    CHECK(bench.status("recipes").state == control::State::held);
    CHECK(bench.status("recipes").held == 59);
    const auto why = bench.query("SELECT why FROM freshness WHERE resource = 'recipes'");
    INFO(why);
    CHECK(why.find("none is deleted for that alone") != std::string::npos);
    CHECK(why.find("set `identity`") != std::string::npos);
    CHECK(bench.status("recipes").why == why);
    CHECK(status_of(bench).identity_trouble.find("none of its lists tells a valid token from a wrong one") !=
          std::string::npos);
    control::Status status;
    status.libraries.push_back(status_of(bench));
    CHECK(number_of(control::exit_code(status)) == 2);
    CHECK(control::to_json(status).find(R"("identity_trouble":"the library is not verified)") != std::string::npos);

    SECTION("a person's word lets them go")
    {
        AsyncEvent changed;
        control::DecideRequest request{"lib01", "recipes", {}, control::Fate::accept};
        REQUIRE(bench.clock.run(app::decide(*bench.unit, changed, std::move(request))));
        CHECK(bench.mirror_rows().size() == 1);
    }
    SECTION("a list that refuses wrong tokens again does so, too, for what is gone by then")
    {
        bench.world()->faults.clear();
        const auto issued = bench.world()->issue_set("lib01");
        auto set = oauth::parse_paste(fmt::format("access_token={}\nrefresh_token={}\nexpires_in={}\n", issued.access,
                                                  *issued.refresh, issued.expires_in.count()));
        REQUIRE(set);
        REQUIRE(bench.clock.run(bench.unit->keeper().import(std::move(*set), oauth::ImportMode::seal)));
        bench.unit->token_set_changed();
        const auto gone = bench.service_ids(recipes).back();
        bench.world()->edit("lib01", recipes, {.remove = {gone}});
        bench.pass_time(1min);
        const auto report = bench.sync("recipes");
        REQUIRE(report.published);
        CHECK(report.published->deleted == 1);
        CHECK(report.published->held == 0);
        CHECK(bench.mirror_rows().size() == 59);
        CHECK(status_of(bench).identity_trouble.empty());
    }
}

TEST_CASE("lists that become readable for everybody just after a wrong token was refused delete nothing either")
{
    NamelessBench bench;
    bench.world()->edit("lib01", "library/recipes", {.remove_newest = 1});
    bench.sync("recipes");
    bench.sync("recipes");
    REQUIRE(bench.mirror_rows().size() == 59);
    const auto before = bench.mirror_rows();
    bench.pass_time(10min);
    bench.go_public();
    for (int pass = 0; pass < 4; ++pass) {
        bench.sync("recipes");
        bench.pass_time(10min);
    }
    CHECK(bench.mirror_rows() == before);
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "1");
}

TEST_CASE("where one list still refuses a wrong token it is asked instead, and a dead token deletes nothing")
{
    NamelessBench bench;
    const auto before = bench.mirror_rows();
    // The one that was asked so far takes any token now.
    const auto rows = bench.mirror_rows("ingredients");
    open_to_all(bench, "/api/v2/library/ingredients/", page_of({rows.begin()->second}));
    bench.pass_time(2h);
    const auto gone = bench.service_ids(recipes).back();
    bench.world()->edit("lib01", recipes, {.remove = {gone}});
    const auto report = bench.sync("recipes");
    REQUIRE(report.published);
    CHECK(report.published->deleted == 1);
    CHECK(bench.query("SELECT canary FROM _resources WHERE resource = 'recipes'") == "fit");
    CHECK(bench.query("SELECT canary FROM _resources WHERE resource = 'ingredients'") == "unfit");
}

TEST_CASE("where every list is readable for everybody from the start, status says that the library is not verified")
{
    auto options = NamelessBench::options();
    options.resources = {"recipes"};
    const std::string one = R"({"id":1,"name":"public"})";
    const std::string two = R"({"id":2,"name":"public"})";
    LibraryBench bench(options);
    bench.stop();
    open_to_all(bench, "/api/v2/library/recipes/", page_of({one, two}));
    {
        auto mirror =
            storage::Database::open(bench.files / "mirrors/lib01/lib01.db", storage::OpenMode::read_write_create);
        REQUIRE(mirror);
        REQUIRE(mirror->execute("UPDATE _resources SET canary = NULL, canary_tried_at = NULL"));
    }
    bench.start();
    REQUIRE(bench.sync("recipes").published);
    CHECK(status_of(bench).identity_trouble.find("not verified") != std::string::npos);
    bench.world()->faults.clear();
    open_to_all(bench, "/api/v2/library/recipes/", page_of({one}));
    const auto report = bench.sync("recipes");
    REQUIRE(report.published);
    CHECK(report.published->deleted == 0);
    CHECK(bench.query("SELECT count(*) FROM recipes WHERE id IN (1, 2)") == "2");
    CHECK(bench.status("recipes").state == control::State::held);
}

TEST_CASE("a page that names the library whatever the token vouches for no deletion")
{
    BenchOptions options;
    options.world.rows = 60;
    options.every = 24h;
    LibraryBench bench(options);
    REQUIRE(bench.sync().published);
    const auto gone = bench.service_ids(recipes).back();
    bench.world()->edit("lib01", recipes, {.remove = {gone}});
    SECTION("it refuses a wrong token")
    {
        const auto first = bench.sync();
        REQUIRE(first.published);
        CHECK(first.published->deleted == 1);
        CHECK(bench.query("SELECT count(*) FROM recipes") == "59");
        bench.pass_time(30min);
        bench.world()->edit("lib01", recipes, {.remove = {bench.service_ids(recipes).back()}});
        const auto second = bench.sync();
        CHECK(second.published->deleted == 1);
        // Proven once an hour, by one request.
        CHECK(second.spent.of(budget::Reason::canary) <= first.spent.of(budget::Reason::canary));
    }
    SECTION("it takes any")
    {
        const auto id = bench.unit->keeper().status().library_id;
        open_to_all(bench, "/api/v2/accounts/libraries/current/", fmt::format(R"({{"id":"{}"}})", id));
        const auto report = bench.sync();
        REQUIRE(report.published);
        CHECK(report.published->deleted == 0);
        CHECK(report.published->held == 1);
        CHECK(status_of(bench).identity_trouble.find("does not tell a valid token from a wrong one") !=
              std::string::npos);
    }
}

TEST_CASE("without anybody who refuses a wrong token no detail and no list by parent goes for a 404")
{
    const std::string not_found = R"({"detail":"Not found."})";
    SECTION("a detail")
    {
        auto options = NamelessBench::options();
        options.detail = config::Detail{"url", "", 1h};
        NamelessBench bench(std::move(options));
        bench.pass_time(5min);
        const auto before = bench.mirror_rows("recipes_detail");
        REQUIRE(before.size() == 60);
        bench.go_public();
        bench.pass_time(2h);
        CHECK(bench.mirror_rows("recipes_detail").size() == 60);
    }
    SECTION("a list by parent")
    {
        BenchOptions options;
        options.family = "inventory";
        options.every = 1h;
        options.has_identity = false;
        options.resources = {"stock", "outlets"};
        options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
        options.world.rows_of["inventory/outlets"] = 3;
        options.ordering = "";
        LibraryBench bench(std::move(options));
        bench.pass_time(1min);
        REQUIRE(bench.query("SELECT count(*) FROM stock") == "60");
        const auto outlets = bench.mirror_rows("outlets");
        std::vector<std::string> rows;
        for (const auto& [id, row] : outlets) {
            rows.push_back(row);
        }
        open_to_all(bench, "/api/v2/inventory/outlets/", page_of(rows));
        open_to_all(bench, fmt::format("/api/v2/inventory/outlets/{}/stock/", outlets.begin()->first), not_found, 404);
        bench.pass_time(3h);
        CHECK(bench.query("SELECT count(*) FROM stock") == "60");
    }
}

namespace {

// A pass over lists of which the other library has some, too.
struct Kind {
    const char* name;
    BenchOptions options;
    const char* resource = "recipes";
    bool has_its_rows = true;  // the other library has such rows, too
    std::string list = recipes;
    sim::Edit arriving = {.add_seeded = 3};  // in the other library
};

Kind of_list(const char* name, BenchOptions options, const char* list)
{
    const std::string path = list;
    const auto* resource = list + path.find('/') + 1;
    options.family = path.substr(0, path.find('/'));
    options.resources = {resource};
    options.world.rows_of[path] = 50;
    return {name, std::move(options), resource, true, path};
}

BenchOptions asks_changes(BenchOptions options)
{
    options.incremental =
        config::Incremental{"modified_date__gt", "modified_date", config::Incremental::Format::datetime, 1h};
    return options;
}

enum class Outlets { of_ours, of_both };  // with the ids of ours: the other library answers for each of them

Kind by_parent(const char* name, BenchOptions options, const char* resource, Outlets outlets)
{
    options.family = "inventory";
    options.resources = {resource, "outlets"};
    options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
    options.world.rows_of["inventory/outlets"] = 3;
    options.ordering = "";
    const bool shared = outlets == Outlets::of_both;
    if (shared) {
        options.prepare = [](sim::World& world) {
            sim::Edit same;
            for (int id = 1; id <= 3; ++id) {
                same.add.push_back(*sim::parse_json(fmt::format(R"({{"id":{}}})", id)));
            }
            world.edit("lib02", "inventory/outlets", same);
        };
    }
    const auto last = fmt::format("inventory/outlets/3/{}", resource);
    return {name, std::move(options), resource, shared, last};
}

Kind of_windows(const char* name, BenchOptions ledger)
{
    ledger.family = "sales";
    ledger.resources = {"lines"};
    ledger.ordering = "";
    ledger.hour = 12;
    const auto day = [&ledger](int age) {
        return (LibraryBench::beginning(ledger) - Duration(24h * age)).to_text().substr(0, 10);
    };
    ledger.window = config::Window{.from = "date__gte",
                                   .to = "date__lt",
                                   .field = "date",
                                   .step = 24h,
                                   .since = day(2),
                                   .timezone = "UTC",
                                   .back = 24h * 3};
    const auto line = [](const std::string& date) {
        return *sim::parse_json(fmt::format(R"({{"date":"{}","net":"1.50"}})", date));
    };
    const std::vector<sim::Json> lines = {line(day(2)), line(day(1)), line(day(0)), line(day(0))};
    ledger.world.rows_of["sales/lines"] = 0;
    ledger.prepare = [lines](sim::World& world) {
        world.edit("lib01", "sales/lines", {.add = lines});
        world.edit("lib02", "sales/lines", {.add = lines});
    };
    return {name, std::move(ledger), "lines", true, "sales/lines", {.add = lines}};
}

std::vector<Kind> kinds_of_passes(bool personal)
{
    auto plain = fifty_rows(personal);
    plain.world.libraries = 2;
    auto by_name = plain;
    by_name.ordering = "name";
    auto one_page = plain;
    one_page.page_size = 200;
    auto object = plain;
    object.object_of = "1/";
    return {{"full, newest first", plain},
            {"full, in an order that proves nothing", by_name},
            {"full, one page", one_page},
            of_list("by cursor", plain, "procurement/orders"),
            of_list("by offset", plain, "procurement/suppliers"),
            of_list("a bare array", plain, "library/units"),
            {"what changed", asks_changes(plain)},
            {"one object", object, "recipes", false},
            by_parent("lists by parent", plain, "stock", Outlets::of_ours),
            by_parent("lists by parent that both have", plain, "counts", Outlets::of_both),
            by_parent("arrays by parent that both have", plain, "stock", Outlets::of_both),
            by_parent("what changed, by parent", asks_changes(plain), "counts", Outlets::of_both),
            of_windows("windows", plain)};
}

// The id, form and last change of each row.
std::string dump(LibraryBench& bench, const Kind& kind)
{
    return bench.query(fmt::format("SELECT group_concat(item, ' ') FROM (SELECT json_array(id, _shape, modified_date) "
                                   "AS item FROM {} ORDER BY id)",
                                   kind.resource));
}

void change_all(LibraryBench& bench, const std::string& list)
{
    sim::Edit edit;
    for (const auto id : bench.service_ids(list)) {
        edit.change.push_back(*sim::parse_json(fmt::format(R"({{"id":{}}})", id)));
    }
    bench.world()->edit("lib01", list, edit);
}

// The other library's list becomes ours but for its newest row.
void copy_but_one(LibraryBench& bench, const std::string& path)
{
    sim::Edit edit{.remove_newest = 1000};
    for (const auto& [id, row] : bench.service_rows(path)) {
        edit.add.push_back(*sim::parse_json(row));
    }
    edit.add.pop_back();
    bench.world()->edit("lib02", path, edit);
}

// `switches` makes the service show the other library from now on, or from some answer on.
void check_shows_only_ours(const Kind& kind, const std::function<void(LibraryBench&)>& switches)
{
    INFO(kind.name);
    LibraryBench bench(kind.options);
    bench.pass_time(1min);
    REQUIRE(bench.sync(kind.resource).published);
    const auto before = dump(bench, kind);
    REQUIRE_FALSE(before.empty());
    const auto changes_before = bench.query("SELECT count(*) FROM _changes");
    change_all(bench, kind.list);
    if (kind.has_its_rows) {
        bench.world()->edit("lib02", kind.list, kind.arriving);
    }
    switches(bench);
    const auto report = bench.sync(kind.resource);
    CHECK((report.kind == sync::PassKind::incremental) == kind.options.incremental.has_value());
    CHECK((report.trouble == sync::Trouble::wrong_library || !kind.has_its_rows));
    CHECK(dump(bench, kind) == before);
    CHECK(bench.query("SELECT count(*) FROM _changes") == changes_before);
}

}  // namespace

TEST_CASE("no pass shows rows of another library, whatever its kind, however lately the canary answered as us")
{
    const bool personal = GENERATE(true, false);
    CAPTURE(personal);
    for (const auto& kind : kinds_of_passes(personal)) {
        check_shows_only_ours(kind, [](LibraryBench& bench) { bench.world()->set("lib01").acts_on = 1; });
    }
}

TEST_CASE("a user who switches libraries while a pass is under way shows none of the other one's rows")
{
    const bool personal = GENERATE(true, false);
    CAPTURE(personal);
    for (const auto& kind : kinds_of_passes(personal)) {
        check_shows_only_ours(kind, [](LibraryBench& bench) {
            bench.client.answered = [&bench] {
                bench.world()->set("lib01").acts_on = 1;
                bench.client.answered = [] {};  // last: this function goes with it
            };
        });
    }
}

TEST_CASE("no pass deletes a row that another library lacks, whatever its kind, but one that is gone from our own")
{
    for (const auto& kind : kinds_of_passes(false)) {
        if (!kind.has_its_rows) {
            continue;
        }
        INFO(kind.name);
        LibraryBench bench(kind.options);
        bench.pass_time(1min);
        REQUIRE(bench.sync(kind.resource, sync::Wanted::full).published);
        const auto before = dump(bench, kind);
        const auto gone = bench.service_ids(kind.list).back();
        copy_but_one(bench, kind.list);
        bench.world()->set("lib01").acts_on = 1;
        // One pass proves that the row is missing, or two, in an order that proves nothing.
        bench.sync(kind.resource, sync::Wanted::full);
        CHECK(bench.sync(kind.resource, sync::Wanted::full).trouble == sync::Trouble::wrong_library);
        CHECK(dump(bench, kind) == before);
        CHECK(bench.query("SELECT count(*) FROM _changes") == "0");
        // The same row goes when our own library lacks it.
        bench.world()->set("lib01").acts_on = 0;
        bench.world()->edit("lib01", kind.list, {.remove = {gone}});
        bench.sync(kind.resource, sync::Wanted::full);
        bench.sync(kind.resource, sync::Wanted::full);
        CHECK(bench.query("SELECT count(*) || ' ' || min(op) FROM _changes") == "1 delete");
    }
}

TEST_CASE("a pass that shows nothing new asks nobody anew whose it is")
{
    BenchOptions options;
    options.world.rows = 50;
    options.page_size = 20;
    options.every = 24h;
    LibraryBench bench(options);
    bench.pass_time(2min);
    REQUIRE(bench.sync().published);
    const auto again = bench.sync();
    REQUIRE(again.published);
    CHECK(again.published->unchanged == 50);
    CHECK(again.spent.of(budget::Reason::canary) == 0);
    bench.world()->edit("lib01", recipes, {.change = {*sim::parse_json(R"({"id":5,"name":"other"})")}});
    const auto changed = bench.sync();
    REQUIRE(changed.published);
    CHECK(changed.published->changed == 1);
    CHECK(changed.spent.of(budget::Reason::canary) == 1);
}

TEST_CASE("a first load asks the canary beside its closing look, a later walk behind it")
{
    const bool personal = GENERATE(false, true);
    CAPTURE(personal);
    auto options = fifty_rows(personal);
    options.prepare = answer_after_ten_seconds("/api/v2/");
    LibraryBench bench(std::move(options));
    const auto& report = bench.unit->tables().lists().front()->report();
    while (!report.last_pass || !report.last_pass->published) {  // without a set, passes end at once
        REQUIRE(bench.clock.advance_to_next());
    }
    const auto round_trips = [](const sync::PassReport& pass) { return (pass.ended - pass.started + 5s) / 10s; };
    const auto first = *report.last_pass;
    REQUIRE(first.published);
    REQUIRE(first.published->added == 50);
    CHECK(first.proof.complete());
    // Page 1, the two others at once, the closing look with the canary; of a personal token the canary before and
    // behind.
    CHECK(first.spent.of(budget::Reason::canary) == (personal ? 2 : 1));
    CHECK(round_trips(first) == (personal ? 5 : 3));
    bench.world()->edit("lib01", recipes, {.change = {*sim::parse_json(R"({"id":5,"name":"other"})")}});
    const auto later = bench.sync();
    REQUIRE(later.published);
    CHECK(later.published->changed == 1);
    // The answer to the canary of the first load also serves before this pass, except for a personal token.
    CHECK(later.spent.of(budget::Reason::canary) == (personal ? 2 : 1));
    CHECK(round_trips(later) == (personal ? 5 : 4));
}

TEST_CASE("a canary that fails beside the closing look is asked again behind it")
{
    auto options = fifty_rows(false);
    options.prepare = answer_after_ten_seconds("/api/v2/library/");
    LibraryBench bench(std::move(options));
    const auto& report = bench.unit->tables().lists().front()->report();
    while (!bench.status().running || bench.status().running->phase != Phase::pages) {
        REQUIRE(bench.clock.advance_to_next());
    }
    sim::Fault broken;
    broken.path = "/api/v2/accounts/libraries/current/";
    broken.times = 1;
    broken.acts = false;
    broken.status = 503;
    bench.world()->faults.add(broken);
    bench.pass_time(3min);
    REQUIRE(report.last_pass);
    REQUIRE(report.last_pass->published);
    CHECK(report.last_pass->spent.of(budget::Reason::canary) == 2);
    CHECK(bench.mirror_rows().size() == 50);
    CHECK_FALSE(bench.unit->bug());
}

TEST_CASE("of polls for changes every 11 minutes, every other one costs a single request")
{
    BenchOptions options;
    options.world.rows = 50;
    options.every = 11min;
    options.incremental = config::Incremental{"modified_date__gt", "modified_date"};
    LibraryBench bench(options);
    bench.pass_time(1h);
    const auto count = [&bench] {
        const auto audit = bench.world()->audit_report();
        const auto canaries = audit.count("GET", "/api/v2/accounts/libraries/current/", "lib01");
        return std::pair(audit.total - canaries, canaries);
    };
    const auto before = count();
    bench.pass_time(4h);
    const auto after = count();
    CHECK(after.first - before.first >= 20);
    CHECK(after.second - before.second >= 10);
    CHECK(after.second - before.second <= 12);
}

TEST_CASE("where nothing changes, passes for changes begin at most a week before, also in an empty list")
{
    const auto path = GENERATE(as<std::string>(), recipes, "procurement/orders", "library/units");
    const auto rows = GENERATE(0, 50);
    CAPTURE(path, rows);
    BenchOptions options;
    auto kind = of_list("polled", options, path.c_str());
    kind.options.world.rows_of[path] = rows;
    kind.options.every = 2h;
    kind.options.incremental = config::Incremental{"modified_date__gt", "modified_date"};
    LibraryBench bench(kind.options);
    bench.pass_time(24h * 6);
    const auto lag =
        "SELECT (julianday(as_of) - julianday(changes_from)) * 24 * 60 FROM _resources WHERE resource = '" +
        std::string(kind.resource) + "'";
    for (int day = 0; day < 4; ++day) {
        bench.pass_time(21h);
        const auto minutes = bench.query(lag);
        CAPTURE(day);
        REQUIRE_FALSE(minutes.empty());
        CHECK(std::stod(minutes) < (7 * 24 + 5) * 60);
    }
    // Without a row nothing shows that the filter works.
    CHECK(bench.query("SELECT count(*) > 10 FROM _runs WHERE mode = 'incremental'") == (rows > 0 ? "1" : "0"));
}

TEST_CASE("changes that a token of another library did not show for some minutes arrive without a full pass")
{
    const auto path = GENERATE(as<std::string>(), recipes, "procurement/orders", "library/units");
    CAPTURE(path);
    BenchOptions options;
    options.world.libraries = 2;
    auto kind = of_list("polled", options, path.c_str());
    kind.options.every = 3min;
    kind.options.incremental = config::Incremental{"modified_date__gt", "modified_date"};
    LibraryBench bench(kind.options);
    bench.pass_time(2h);
    const auto full_runs = "SELECT count(*) FROM _runs WHERE mode = 'full'";
    const auto before = bench.query(full_runs);
    for (int times = 0; times < 4; ++times) {
        const auto asked = bench.world()->audit_report().count("GET", "/api/v2/accounts/libraries/current/", "lib01");
        while (bench.world()->audit_report().count("GET", "/api/v2/accounts/libraries/current/", "lib01") == asked) {
            bench.pass_time(1min);
        }
        bench.world()->set("lib01").acts_on = 1;
        const auto changed_at = bench.clock.now() - Duration(1min);
        change_all(bench, path);
        bench.pass_time(10min);
        bench.world()->set("lib01").acts_on = 0;
        bench.pass_time(75min);
        CAPTURE(times);
        CHECK(bench.query(fmt::format("SELECT count(*) FROM {} WHERE modified_date < '{}'", kind.resource,
                                      changed_at.to_text())) == "0");
    }
    CHECK(bench.query(full_runs) == before);
}

TEST_CASE("the question that an import asks of the identity page also counts before the first pass")
{
    const bool personal = GENERATE(true, false);
    CAPTURE(personal);
    LibraryBench bench(fifty_rows(personal));
    bench.pass_time(2min);
    REQUIRE(bench.mirror_rows().size() == 50);
    const auto asked = bench.world()->audit_report().count("GET", "/api/v2/accounts/libraries/current/", "lib01");
    CHECK(asked == (personal ? 3 : 2));  // by the import, before the first page, behind the last one
}
