// Where a list ends, of services that do not say so, or say it in a way of their own.
#include "app/library_bench.hpp"

#include "http/url.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr const char* units = "library/units";
constexpr const char* recipes = "library/recipes";

BenchOptions of(const std::string& name, std::size_t rows, std::uint32_t page_size,
                const std::function<void(sim::ListQuirks&)>& prepare)
{
    BenchOptions options;
    options.resources = {name};
    options.world.rows_of["library/" + name] = rows;
    options.page_size = page_size;
    options.ordering = "";
    options.prepare = [name, prepare](sim::World& world) { prepare(world.quirks("library/" + name)); };
    return options;
}

BenchOptions capped(sim::Paging paging, std::size_t cap, std::size_t rows, std::uint32_t page_size = 200)
{
    return of("units", rows, page_size, [=](sim::ListQuirks& quirks) {
        quirks.habits.cap = cap;
        quirks.habits.paging = paging;
    });
}

std::uint64_t pages_asked(const sync::PassReport& pass)
{
    return pass.spent.of(budget::Reason::page) + pass.spent.of(budget::Reason::end_try) +
           pass.spent.of(budget::Reason::closing);
}

// Until a pass proves something, and no more often than the daemon would.
sync::PassReport proven(LibraryBench& bench, const std::string& resource)
{
    auto pass = bench.sync(resource);
    for (int tries = 0; tries < 3 && !pass.proof.complete(); ++tries) {
        pass = bench.sync(resource, {.wanted = sync::Wanted::full, .repeats = true});
    }
    return pass;
}

const char* why = "SELECT why FROM freshness";

}  // namespace

TEST_CASE("a bare array that is cut without a word is asked in every way until all of it is there")
{
    struct Row {
        const char* name;
        sim::Paging paging;
        std::size_t cap;
        std::size_t rows;
        std::uint32_t page_size;
        const char* further;
    };
    using enum sim::Paging;
    const auto row = GENERATE(values<Row>({
        {"two of three, by page", page, 2, 3, 3, "page"},
        {"100 of 250, by page", page, 100, 250, 200, "page"},
        {"two pages to the row, by page", page, 100, 200, 200, "page"},
        {"100 of 250, by page from 0", page_from_0, 100, 250, 200, "page_from_0"},
        {"two pages from 0", page_from_0, 100, 150, 200, "page_from_0"},
        {"100 of 250, by offset", offset, 100, 250, 200, "offset"},
        {"by a longer page alone", page_size, 50, 130, 50, "page_size"},
    }));
    INFO(row.name);
    LibraryBench bench(capped(row.paging, row.cap, row.rows, row.page_size));
    const auto pass = proven(bench, "units");
    CHECK(pass.proof.complete());
    CHECK(bench.ids("units") == bench.service_ids(units));
    CHECK(bench.query("SELECT further FROM _resources") == row.further);
    // And what changes later.
    const auto ids = bench.service_ids(units);
    bench.world()->edit("lib01", units, {.remove = {ids[0], ids.back()}, .add_seeded = 5});
    for (int passes = 0; passes < 4; ++passes) {
        proven(bench, "units");
    }
    CHECK(bench.ids("units") == bench.service_ids(units));
}

TEST_CASE("an array that is cut and obeys nothing is not proven, and status names what to configure")
{
    LibraryBench bench(capped(sim::Paging::nothing, 100, 250));
    const auto pass = proven(bench, "units");
    CHECK_FALSE(pass.proof.complete());
    CHECK(bench.query("SELECT further FROM _resources") == "cut");
    bench.pass_time(1min);
    CHECK(bench.query(why).find("`page_param`") != std::string::npos);
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "0");
}

TEST_CASE("an array of a length at which services cut that obeys nothing is not proven until somebody vouches for it")
{
    enum class Mode { full, incremental, by_parent, window };
    struct Row {
        const char* name;
        Mode mode;
    };
    const auto row = GENERATE(values<Row>({
        {"full", Mode::full},
        {"incremental", Mode::incremental},
        {"by parent", Mode::by_parent},
        {"window", Mode::window},
    }));
    INFO(row.name);
    const bool is_whole = GENERATE(false, true);
    INFO((is_whole ? "all rows there are" : "cut"));
    BenchOptions options;
    options.ordering = "";
    options.every = 1h;
    options.hour = 12;
    options.exclude = {"url"};
    options.family = row.mode == Mode::by_parent ? "inventory" : row.mode == Mode::window ? "sales" : "library";
    const std::string table = row.mode == Mode::by_parent ? "stock" : row.mode == Mode::window ? "lines" : "units";
    options.resources = {table};
    if (row.mode == Mode::by_parent) {
        options.resources = {"outlets", "stock"};
        options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
        options.world.rows_of["inventory/outlets"] = 1;
    }
    if (row.mode == Mode::window) {
        options.window = config::Window{.from = "date__gte",
                                        .to = "date__lt",
                                        .field = "date",
                                        .step = 400 * 24h,
                                        .since = LibraryBench::beginning(options).to_text().substr(0, 10),
                                        .timezone = "UTC",
                                        .back = 14 * 24h};
    }
    if (row.mode == Mode::incremental) {
        options.incremental = config::Incremental{"modified_date__gt", "modified_date"};
        options.full_every = 4h;
    }
    LibraryBench bench(options);
    std::size_t removed = 0;
    std::string about;
    // Every query is answered 200, those for a second page as well.
    sim::Fault answered;
    answered.path = "/api/v2/" + options.family + "/" + table + "/";
    answered.times = std::nullopt;
    answered.status = 200;
    answered.body = "[]";
    bench.world()->faults.add(answered);
    const auto day = bench.clock.now().to_text().substr(0, 10);
    // 20 of 45 rows, or of 20: the oldest leaves when a new one comes, or because it was deleted.
    bench.client.body_instead = [&](const std::string& target) -> std::optional<std::string> {
        if (target.find("/" + table + "/") == std::string::npos) {
            return std::nullopt;
        }
        // What changed since then, and what is to come.
        const bool is_to_come =
            target.find("date__gte=") != std::string::npos && target.find("date__lt=") == std::string::npos;
        if (target.find("modified_date__gt") != std::string::npos || is_to_come) {
            return "[]";
        }
        std::string body;
        for (auto id = removed; id < 20 + (is_whole ? 0 : removed); ++id) {
            body += fmt::format(R"({}{{"id":{},"date":"{}","modified_date":"2026-01-05T10:00:00Z"}})",
                                body.empty() ? "" : ",", id + 1, day);
        }
        return "[" + body + "]";
    };
    const auto count = [&] { return bench.query("SELECT count(*) FROM " + table); };
    const auto told = [&] { return bench.query("SELECT why FROM freshness WHERE resource = '" + table + "'"); };
    bench.pass_time(9h);
    CHECK(count() == "20");
    CHECK(bench.query("SELECT proven_as_of IS NULL FROM freshness WHERE resource = '" + table + "'") == "1");
    CHECK(told().find("answers = \"whole\"") != std::string::npos);
    CHECK(bench.query("SELECT further FROM _resources WHERE resource = '" + table + "'") == "cut");
    if (!is_whole) {
        removed = 3;
        bench.pass_time(9h);
        CHECK(count() == "23");
        CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "0");
        return;
    }
    // Somebody knows that it is whole.
    bench.stop();
    bench.options().configure = [&](config::Library& library) {
        for (auto& resource : library.resources.own()) {
            resource.answers = resource.name == table ? config::Answers::whole : resource.answers;
        }
    };
    bench.start();
    // Which does not make another list of it.
    CHECK(bench.query("SELECT as_of IS NOT NULL FROM _resources WHERE resource = '" + table + "'") == "1");
    const auto before = bench.client.asked.size();
    bench.pass_time(9h);
    CHECK(told().empty());
    CHECK(bench.query("SELECT state FROM freshness WHERE resource = '" + table + "'") == "fresh");
    CHECK(std::none_of(bench.client.asked.begin() + static_cast<std::ptrdiff_t>(before), bench.client.asked.end(),
                       [](const std::string& target) { return target.find("offset=") != std::string::npos; }));
    CHECK(count() == "20");
    removed = 3;
    bench.pass_time(30h);
    CHECK(count() == "17");
}

TEST_CASE("a frame that counts the rows of each page is asked further, and read whole")
{
    BenchOptions options;
    options.world.rows = 250;
    options.every = 24h;
    LibraryBench bench(options);
    const auto rows = bench.service_rows();
    std::vector<std::string> pages(1);
    std::vector<std::size_t> lengths(1);
    for (const auto& [id, row] : rows) {
        if (lengths.back() == 100) {
            pages.emplace_back();
            lengths.push_back(0);
        }
        pages.back() += (lengths.back()++ == 0 ? "" : ",") + row;
    }
    for (std::size_t page = 0; page < pages.size(); ++page) {
        sim::Fault answer;
        answer.path = "/api/v2/library/recipes/";
        answer.acts = false;
        answer.status = 200;
        answer.content_type = "application/json";
        answer.body = fmt::format(R"({{"count":{},"results":[{}]}})", lengths[page], pages[page]);
        bench.world()->faults.add(answer);
    }
    sim::Fault end;
    end.path = "/api/v2/library/recipes/";
    end.acts = false;
    end.status = 404;
    end.content_type = "application/json";
    end.body = R"({"detail":"Invalid page."})";
    bench.world()->faults.add(end);
    const auto pass = bench.sync();
    CHECK(pass.published);
    CHECK(bench.ids("recipes") == bench.service_ids());
}

TEST_CASE("a whole array is asked further once, then weekly, and again when rows are missing")
{
    LibraryBench bench(of("units", 37, 200, [](sim::ListQuirks&) {}));
    bench.pass_time(1min);
    CHECK(bench.query("SELECT further || ' ' || whole_rows FROM _resources") == "none 37");
    CHECK(pages_asked(bench.sync("units")) == 1);
    bench.world()->edit("lib01", units, {.add_seeded = 4});
    CHECK(pages_asked(bench.sync("units")) == 1);
    CHECK(bench.query("SELECT whole_rows FROM _resources") == "41");
    SECTION("a length at which services cut")
    {
        bench.world()->edit("lib01", units, {.add_seeded = 9});
        CHECK(pages_asked(bench.sync("units")) > 1);
        CHECK(pages_asked(bench.sync("units")) == 1);
    }
    SECTION("a row that is missing")
    {
        bench.world()->edit("lib01", units, {.remove_newest = 1});
        const auto pass = bench.sync("units");
        CHECK(pages_asked(pass) > 1);
        CHECK(pass.proof.kind == sync::ProofKind::single_page);
        CHECK(bench.ids("units") == bench.service_ids(units));
        CHECK(pages_asked(bench.sync("units")) == 1);
    }
    SECTION("a week later")
    {
        const auto asked = [&] {
            return std::count_if(bench.client.asked.begin(), bench.client.asked.end(),
                                 [](const auto& target) { return target.find("offset=") != std::string::npos; });
        };
        const auto before = asked();
        bench.pass_time(15 * 24h);
        CHECK(asked() - before == 2);
    }
}

TEST_CASE("an array that gives fewer rows from today on loses none that is still there")
{
    const auto paging =
        GENERATE(sim::Paging::page, sim::Paging::page_from_0, sim::Paging::offset, sim::Paging::nothing);
    LibraryBench bench(of("units", 20, 200, [](sim::ListQuirks&) {}));
    bench.pass_time(1min);
    REQUIRE(bench.ids("units").size() == 20);
    bench.world()->quirks(units).habits = {.cap = 9, .paging = paging, .count = {}};
    bench.pass_time(4h);
    CHECK(bench.ids("units") == bench.service_ids(units));
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "0");
    const auto ids = bench.service_ids(units);
    bench.world()->edit("lib01", units, {.remove = {ids[3]}});
    bench.pass_time(4h);
    const bool can_be_walked = paging != sim::Paging::nothing;
    CHECK((bench.ids("units") == bench.service_ids(units)) == can_be_walked);
}

TEST_CASE("an array that gives fewer rows from today on loses none, though nothing but the list shows its rows")
{
    const auto paging =
        GENERATE(sim::Paging::page, sim::Paging::page_from_0, sim::Paging::offset, sim::Paging::nothing);
    const std::size_t cap = GENERATE(9, 12, 17);
    INFO(cap);
    auto options = of("units", 21, 200, [](sim::ListQuirks&) {});
    options.exclude = {"url"};
    LibraryBench bench(options);
    bench.pass_time(1min);
    REQUIRE(bench.ids("units").size() == 21);
    bench.world()->quirks(units).habits = {.cap = cap, .paging = paging, .count = {}};
    bench.pass_time(50h);
    CHECK(bench.ids("units") == bench.service_ids(units));
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "0");
    const bool is_told = bench.query(why).find("answers = \"whole\"") != std::string::npos;
    CHECK(is_told == (paging == sim::Paging::nothing));
}

TEST_CASE("a frame that says that it is the last one, and gives fewer rows, from today on or always, lacks none that "
          "is there")
{
    struct Service {
        std::string frame;
        bool has_addresses;
        std::size_t at_first;  // rows of a page
        std::size_t at_last;
    };
    const auto counted = R"({{"count":{0},"next":null,"results":[{1}]}})";
    const auto uncounted = R"({{"next":null,"results":[{1}]}})";
    const auto empty_next = R"({{"count":{0},"next":"","results":[{1}]}})";
    const auto service = GENERATE_COPY(values<Service>({{counted, true, 200, 10},
                                                        {counted, false, 200, 200},
                                                        {uncounted, true, 200, 200},
                                                        {uncounted, false, 10, 10},
                                                        {empty_next, false, 200, 10},
                                                        {counted, true, 10, 200}}));
    const auto& frame = service.frame;
    const bool has_addresses = service.has_addresses;
    INFO(frame << (has_addresses ? "" : ", rows without addresses"));
    auto options = of("recipes", 33, 200, [](sim::ListQuirks&) {});
    options.exclude = has_addresses ? std::vector<std::string>{} : std::vector<std::string>{"url"};
    LibraryBench bench(options);
    std::size_t cap = service.at_first;
    INFO("at first " << cap);
    bench.client.body_instead = [&](const std::string& target) -> std::optional<std::string> {
        if (!target.starts_with("/api/v2/library/recipes/?")) {
            return std::nullopt;
        }
        const auto found = std::min(target.find("?page="), target.find("&page="));
        const auto page = found == std::string::npos ? 1 : std::stoul(target.substr(found + 6));
        std::vector<std::string> rows;
        for (const auto& [id, row] : bench.service_rows()) {
            rows.push_back(row);
        }
        const auto first = std::min((page - 1) * cap, rows.size());
        const std::vector<std::string> shown(rows.begin() + static_cast<std::ptrdiff_t>(first),
                                             rows.begin() +
                                                 static_cast<std::ptrdiff_t>(std::min(first + cap, rows.size())));
        return fmt::format(fmt::runtime(frame), shown.size(), fmt::join(shown, ","));
    };
    bench.pass_time(1min);
    REQUIRE(bench.ids("recipes").size() == 33);
    cap = 10;
    bench.pass_time(50h);
    CHECK(bench.ids("recipes") == bench.service_ids(recipes));
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "0");
    CHECK(bench.query("SELECT state FROM freshness WHERE resource = 'recipes'") == "fresh");
    // What is really gone goes, however the service ends its list.
    cap = service.at_last;
    bench.world()->edit("lib01", recipes, {.remove_newest = 3});
    bench.pass_time(50h);
    CHECK(bench.ids("recipes") == bench.service_ids(recipes));
    CHECK(bench.ids("recipes").size() == 30);
}

TEST_CASE("lists of parents that are cut and say that they end are read whole, also one that is longer from today on")
{
    constexpr std::size_t cap = 10;
    BenchOptions options;
    options.family = "inventory";
    options.resources = {"counts", "outlets"};
    options.ordering = "";
    options.every = 1h;
    options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
    options.world.rows_of["inventory/outlets"] = 3;
    options.world.rows = 4;
    LibraryBench bench(options);
    bench.client.body_instead = [&](const std::string& target) -> std::optional<std::string> {
        const auto begin = target.find("/outlets/");
        const auto end = target.find("/counts");
        if (begin == std::string::npos || end == std::string::npos) {
            return std::nullopt;
        }
        std::vector<std::string> rows;
        for (const auto& [id, row] : bench.service_rows("inventory" + target.substr(begin, end - begin) + "/counts")) {
            rows.push_back(row);
        }
        const auto found = std::min(target.find("?page="), target.find("&page="));
        const auto first = found == std::string::npos ? 0 : (std::stoul(target.substr(found + 6)) - 1) * cap;
        rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(first, rows.size())));
        rows.resize(std::min(rows.size(), cap));
        return fmt::format(R"({{"count":{},"next":null,"results":[{}]}})", rows.size(), fmt::join(rows, ","));
    };
    const auto all = [&bench] {
        std::size_t rows = 0;
        for (int outlet = 1; outlet <= 3; ++outlet) {
            rows += bench.service_ids(fmt::format("inventory/outlets/{}/counts", outlet)).size();
        }
        return std::to_string(rows);
    };
    const auto mirrored = [&bench] { return bench.query("SELECT count(*) FROM counts"); };
    bench.world()->edit("lib01", "inventory/outlets/1/counts", {.add_seeded = 21});
    bench.pass_time(8 * 24h);  // tested weekly
    CHECK(mirrored() == all());
    bench.world()->edit("lib01", "inventory/outlets/2/counts", {.add_seeded = 21});
    bench.pass_time(1h + 30min);
    CHECK(mirrored() == all());
}

TEST_CASE(
    "a list of a usual length that says that it ends is proven, and asked for more once a week, whatever is answered")
{
    const auto status = GENERATE(404, 400, 500);
    INFO(status);
    auto options = of("recipes", 100, 200, [](sim::ListQuirks&) {});
    options.every = 24h;
    LibraryBench bench(options);
    const auto asks_further = [](const std::string& target) {
        return target.starts_with("/api/v2/library/recipes/?") &&
               (target.find("page=") != std::string::npos || target.find("offset=") != std::string::npos);
    };
    bench.client.refuses = [&](const std::string& target) {
        return asks_further(target) ? std::optional(status) : std::nullopt;
    };
    const auto count = [&] {
        return std::count_if(bench.client.asked.begin(), bench.client.asked.end(), asks_further);
    };
    bench.pass_time(10min);
    CHECK(bench.ids("recipes").size() == 100);
    CHECK(bench.status("recipes").state == control::State::fresh);
    CHECK(bench.query("SELECT proven_as_of IS NOT NULL FROM _resources") == "1");
    const auto first = count();
    CHECK(first >= 1);
    CHECK(first <= 4);
    bench.pass_time(6 * 24h);
    CHECK(count() == first);
    bench.pass_time(3 * 24h);
    CHECK(count() == 2 * first);
    CHECK(bench.status("recipes").state == control::State::fresh);
}

TEST_CASE("a counted list whose pages are shorter than asked for is read whole")
{
    struct Row {
        const char* name;
        sim::ListHabits habits;
    };
    const auto row = GENERATE(values<Row>({
        {"next names the length asked for", {.cap = 40, .count = {}}},
        {"the next page leaves rows out", {.cap = 40, .skips_capped = true, .count = {}}},
        {"a short page names none", {.cap = 40, .ends_early = true, .count = {}}},
        {"the first page is 0", {.pages_from_0 = true, .count = {}}},
        {"the last page has no member next", {.omits_next = true, .count = {}}},
        {"it names one page too many", {.names_one_more = true, .count = {}}},
        {"a count as text", {.count = "text"}},
        {"206 for a page of several", {.partial_content = true, .count = {}}},
    }));
    INFO(row.name);
    const bool by_offset = GENERATE(false, true);
    auto options = of("recipes", 95, 100, [&](sim::ListQuirks& quirks) {
        quirks.habits = row.habits;
        quirks.envelope = by_offset ? sim::Envelope::limit_offset : sim::Envelope::page_number;
    });
    if (row.habits.cap == 0) {
        options.page_size = 20;
    }
    LibraryBench bench(options);
    const auto pass = proven(bench, "recipes");
    CHECK(pass.proof.complete());
    CHECK(bench.ids() == bench.service_ids());
}

TEST_CASE("a list that nobody counts is read whole, whatever its last page says")
{
    struct Row {
        const char* name;
        sim::ListHabits habits;
        std::size_t rows = 95;
    };
    const auto row = GENERATE(values<Row>({
        {"a count below zero", {.count = "-1"}},
        {"no member next", {.omits_next = true, .count = {}}},
        {"one page too many", {.names_one_more = true, .count = {}}},
        {"one page too many, and one page", {.names_one_more = true, .count = {}}, 7},
        {"one page too many, and one page that is full", {.names_one_more = true, .count = {}}, 20},
        {"no member next, and one page", {.omits_next = true, .count = {}}, 7},
        {"one row by itself", {.bare_single_row = true, .count = {}}, 1},
        {"null for no rows", {.null_for_no_rows = true, .count = {}}, 0},
        {"204 for no rows", {.no_content = true, .count = {}}, 0},
    }));
    INFO(row.name);
    LibraryBench bench(of("recipes", row.rows, 20, [&](sim::ListQuirks& quirks) {
        quirks.habits = row.habits;
        quirks.omits_count = !row.habits.count;
    }));
    CHECK(proven(bench, "recipes").proof.complete());
    CHECK(bench.ids() == bench.service_ids());
    bench.world()->edit("lib01", recipes, {.add_seeded = 3});
    proven(bench, "recipes");
    CHECK(bench.ids() == bench.service_ids());
}

TEST_CASE("of a list whose deep pages are refused the others are read, and status says what to ask for instead")
{
    const int status = GENERATE(400, 403, 404, 413, 414, 416, 422);
    LibraryBench bench(of("recipes", 95, 10, [status](sim::ListQuirks& quirks) {
        quirks.habits.deepest_page = 5;
        quirks.habits.deep_status = status;
    }));
    bench.pass_time(1min);
    CHECK(bench.ids().size() == 50);
    CHECK(bench.query("SELECT proven_as_of FROM _resources").empty());
    CHECK(bench.query(why).find(fmt::format("page 6 of the list was answered {}", status)) == 0);
    CHECK(bench.query(why).find("`window`") != std::string::npos);
    // A list that has shrunk to what can be read is proven.
    bench.world()->edit("lib01", recipes, {.remove_newest = 50});
    bench.pass_time(1h);
    CHECK(bench.ids() == bench.service_ids());
}

TEST_CASE("while a page of a list that was proven is refused, the table keeps its time, and heals when it is answered")
{
    const int status = GENERATE(400, 403, 404, 410, 422);
    const auto path = GENERATE(as<std::string>(), "library/recipes", "procurement/orders", "procurement/suppliers");
    const bool for_changes = GENERATE(false, true);
    CAPTURE(status, path, for_changes);
    BenchOptions options;
    options.family = path.substr(0, path.find('/'));
    const auto table = path.substr(path.find('/') + 1);
    options.resources = {table};
    options.world.rows_of[path] = 95;
    options.page_size = 20;
    if (for_changes) {
        options.incremental = config::Incremental{"modified_date__gt", "modified_date"};
    }
    LibraryBench bench(options);
    bench.pass_time(30min);
    REQUIRE(bench.query("SELECT proven_as_of IS NOT NULL FROM _resources") == "1");
    sim::Edit edit;
    for (const auto id : bench.service_ids(path)) {
        edit.change.push_back(*sim::parse_json(fmt::format(R"({{"id":{}}})", id)));
    }
    bench.world()->edit("lib01", path, edit);
    const auto changed_at = bench.clock.now();
    bench.client.refuses = [path, status](const std::string& target) {
        const bool is_further = target.find("page=2") != std::string::npos ||
                                target.find("cursor=") != std::string::npos ||
                                target.find("offset=20") != std::string::npos;
        return is_further && target.find(path) != std::string::npos ? std::optional(status) : std::nullopt;
    };
    bench.pass_time(40min);
    const auto as_of = bench.status(table).as_of;
    CHECK(as_of < changed_at);
    CHECK(bench.status(table).why.find(fmt::format("page 2 of the list was answered {}", status)) != std::string::npos);
    if (bench.status(table).trouble == sync::Trouble::needs_person) {
        CHECK(bench.status(table).do_this.find(
                  "whether this list's later pages are served; if not, split the list in") != std::string::npos);
    }
    bench.client.refuses = [](const std::string&) { return std::nullopt; };
    bench.pass_time(40min);
    CHECK(bench.status(table).as_of > changed_at);
    CHECK(bench.status(table).why.empty());
    CHECK(bench.query(fmt::format("SELECT count(*) FROM {} WHERE modified_date < '{}'", table,
                                  (changed_at - Duration(1min)).to_text())) == "0");
}

TEST_CASE("a list whose end repeats itself is whole where it is counted, and otherwise read without a proof")
{
    struct Row {
        const char* name;
        bool counts;
        bool repeats_last;  // otherwise `next` names its own page
        std::size_t rows;
        std::size_t read;
        const char* why;
    };
    const auto row = GENERATE(values<Row>({
        {"counted", true, true, 95, 95, ""},
        {"counted, one page", true, true, 7, 7, ""},
        {"not counted", false, true, 95, 95, "5 pages in a row returned no new key, so nothing shows whether the 95 "},
        {"names itself, counted, one page", true, false, 7, 7, ""},
        {"names itself, counted, several pages", true, false, 95, 20, "page 1 names a next page that was already read"},
        {"names itself, not counted", false, false, 7, 7, "page 1 names a next page that was already read, so nothing"},
    }));
    INFO(row.name);
    LibraryBench bench(of("recipes", row.rows, 20, [&](sim::ListQuirks& quirks) {
        quirks.habits.repeats_last = true;
        quirks.next_is_self = !row.repeats_last;
        quirks.omits_count = !row.counts;
    }));
    bench.pass_time(1min);
    const auto report = bench.sync();
    CHECK(report.published);
    CHECK(report.trouble == sync::Trouble::none);
    CHECK(bench.ids().size() == row.read);
    CHECK(bench.query(why).starts_with(row.why));
    CHECK(bench.query(why).empty() == (std::string_view(row.why).empty()));
    CHECK(bench.query("SELECT proven_as_of FROM _resources").empty() == !std::string_view(row.why).empty());
    // What was read and is gone now stays until a walk proves it.
    bench.world()->edit("lib01", recipes, {.remove_newest = 1});
    bench.sync();
    bench.pass_time(1h);
    CHECK((bench.ids() == bench.service_ids()) == std::string_view(row.why).empty());
    CHECK((bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "0") !=
          std::string_view(row.why).empty());
}

TEST_CASE("a page that is null has no rows, and ends the list that names it")
{
    LibraryBench bench(of("recipes", 41, 20, [](sim::ListQuirks& quirks) { quirks.omits_count = true; }));
    // Where the 41st row would be.
    bench.client.body_instead = [](const std::string& target) {
        return target.find("page=3") != std::string::npos ? std::optional<std::string>(" null\n") : std::nullopt;
    };
    CHECK(proven(bench, "recipes").proof.complete());
    CHECK(bench.ids().size() == 40);
    CHECK(bench.query(why).empty());
}

namespace {

// `null` instead of each page of the list.
void answer_null(LibraryBench& bench, const std::string& list)
{
    bench.client.body_instead = [list](const std::string& target) {
        return target.find(list + "/?") != std::string::npos ? std::optional<std::string>("null") : std::nullopt;
    };
}

}  // namespace

TEST_CASE("a list whose only page is null is empty, and an array that had rows loses them")
{
    const bool had_rows = GENERATE(false, true);
    LibraryBench bench(of("units", 3, 20, [](sim::ListQuirks&) {}));
    if (had_rows) {
        REQUIRE(bench.sync("units").published);
    }
    bench.world()->edit("lib01", units, {.remove_newest = 3});
    answer_null(bench, units);
    for (int pass = 0; pass < 3; ++pass) {
        const auto report = bench.sync("units");
        CHECK(report.published);
        CHECK(report.trouble == sync::Trouble::none);
    }
    CHECK(bench.ids("units").empty());
    CHECK(bench.status("units").state == control::State::fresh);
}

TEST_CASE("null is another form of a list that came in a frame: no row goes until a full pass accepts it")
{
    const auto omits_count = GENERATE(false, true);
    LibraryBench bench(
        of("recipes", 7, 20, [omits_count](sim::ListQuirks& quirks) { quirks.omits_count = omits_count; }));
    REQUIRE(bench.sync().published);
    answer_null(bench, recipes);
    for (int pass = 0; pass < 3; ++pass) {
        CHECK_FALSE(bench.sync().published);
        CHECK(bench.query(why).find("another form (null)") != std::string::npos);
    }
    CHECK(bench.ids().size() == 7);
}

namespace {

// The value of a parameter of the target; `otherwise` if it is not there or no number.
int param_of(const std::string& target, std::string_view name, int otherwise)
{
    const auto params = http::parse_query(target.substr(std::min(target.find('?'), target.size() - 1) + 1));
    const auto found = std::find_if(params.begin(), params.end(), [name](const auto& one) { return one.name == name; });
    return found == params.end() ? otherwise : std::atoi(found->value.c_str());
}

// Rows `from` to `to` - 1 of a list of `total`, newest first: {"next": …, "results": […]}.
std::string frame_of(int total, int from, int to, const std::string& next)
{
    std::string rows;
    for (int at = from; at < std::min(to, total); ++at) {
        rows += fmt::format(R"({}{{"id":{}}})", rows.empty() ? "" : ",", total - at);
    }
    const auto url = next.empty() ? "null" : fmt::format(R"("http://service.test/api/v2/library/recipes/?{}")", next);
    return fmt::format(R"({{"next":{},"results":[{}]}})", url, rows);
}

constexpr int total = 95;
constexpr int cap = 10;

// `offset` is the key of the last row of the page before.
std::string by_key(const std::string& target)
{
    const int from = total + 1 - param_of(target, "offset", total + 1);
    const int to = from + cap;
    return frame_of(total, from, to, to < total ? fmt::format("offset={}", total - to + 1) : "");
}

// `offset` counts pages.
std::string by_page(const std::string& target)
{
    const int limit = param_of(target, "limit", cap);
    const int page = param_of(target, "offset", 0);
    const bool is_last = (page + 1) * limit >= total;
    return frame_of(total, page * limit, (page + 1) * limit,
                    is_last ? "" : fmt::format("limit={}&offset={}", limit, page + 1));
}

// No page has more than `cap` rows, but `next` is computed as if it had as many as were requested.
std::string by_requested_length(const std::string& target)
{
    const int from = param_of(target, "offset", 0);
    const int length = param_of(target, "page_size", 50);
    const bool is_last = from + length >= total;
    return frame_of(total, from, from + std::min(cap, length), is_last ? "" : fmt::format("offset={}", from + length));
}

// The same with a length of its own.
std::string by_own_length(const std::string& target)
{
    const int from = param_of(target, "offset", 0);
    return frame_of(total, from, from + cap, from + 20 < total ? fmt::format("offset={}", from + 20) : "");
}

}  // namespace

TEST_CASE("an offset that is a key or the number of a page is followed as the service names it")
{
    struct Row {
        const char* name;
        std::string (*answer)(const std::string&);
    };
    const auto row = GENERATE(values<Row>(
        {{"a key", by_key}, {"the number of a page", by_page}, {"the length requested", by_requested_length}}));
    INFO(row.name);
    LibraryBench bench(of("recipes", 1, 20, [](sim::ListQuirks&) {}));
    bool is_whole = true;
    bench.client.body_instead = [&](const std::string& target) {
        return target.find("library/recipes/?") == std::string::npos ? std::nullopt
               : is_whole                                            ? std::optional(frame_of(total, 0, total, ""))
                                                                     : std::optional(row.answer(target));
    };
    REQUIRE(bench.sync().published);
    is_whole = false;
    for (int pass = 0; pass < 3; ++pass) {
        bench.sync("recipes", {.wanted = sync::Wanted::full, .repeats = true});
        CHECK(bench.ids().size() == total);
    }
    CHECK(proven(bench, "recipes").proof.complete());
}

TEST_CASE("a service that reckons with a page length of its own may end the list early: nothing is proven")
{
    LibraryBench bench(of("recipes", 1, 20, [](sim::ListQuirks&) {}));
    bench.client.body_instead = [&](const std::string& target) {
        return target.find("library/recipes/?") == std::string::npos ? std::nullopt
                                                                     : std::optional(by_own_length(target));
    };
    CHECK_FALSE(proven(bench, "recipes").proof.complete());
    CHECK(bench.query(why).find("not proven complete") != std::string::npos);
}

TEST_CASE("a page of HTML for a question of ours keeps no list empty")
{
    const bool has_body = GENERATE(true, false);
    LibraryBench bench(of("units", 7, 20, [](sim::ListQuirks&) {}));
    bench.client.body_instead = [has_body](const std::string& target) {
        const bool is_question =
            target.find("page=") != std::string::npos || target.find("offset=") != std::string::npos;
        return is_question && target.find("library/units/") != std::string::npos
                   ? std::optional<std::string>(has_body ? "<!doctype html><title>Home</title>" : "")
                   : std::nullopt;
    };
    CHECK(bench.sync("units").published);
    CHECK(bench.ids("units").size() == 7);
}

TEST_CASE("a list whose next page differs by its path alone says so, and what to configure")
{
    struct Row {
        const char* name;
        const char* body;
        const char* link;
    };
    const auto row = GENERATE(values<Row>({
        {"counted",
         R"({"count":40,"next":"http://service.test/api/v2/library/recipes/page/2/?{}","results":[{"id":1}]})", ""},
        {"uncounted", R"({"next":"/api/v2/library/recipes/page/2/?{}","results":[{"id":1}]})", ""},
        {"offset", R"({"count":40,"next":"/api/v2/library/recipes/from/20?{}","results":[{"id":1}]})", ""},
        {"a bare array", R"([{"id":1}])", "<http://service.test/api/v2/library/recipes/page/2/?{}>; rel=\"next\""},
    }));
    INFO(row.name);
    LibraryBench bench(of("recipes", 40, 20, [](sim::ListQuirks&) {}));
    const auto filled = [](std::string text) {
        const auto place = text.find("{}");
        return place == std::string::npos ? text : text.replace(place, 2, "page_size=20");
    };
    sim::Fault paged;
    paged.path = "/api/v2/library/recipes/";
    paged.times = std::nullopt;
    paged.body = filled(row.body);
    paged.content_type = "application/json";
    if (*row.link != '\0') {
        paged.headers = {{"Link", filled(row.link)}};
    }
    bench.world()->faults.add(paged);
    const auto pass = bench.sync();
    CHECK_FALSE(pass.published);
    CHECK(pass.trouble == sync::Trouble::needs_person);
    CHECK(pass.why.find("differs from this one only in its path") != std::string::npos);
    CHECK(pass.why.find("`page_size`") != std::string::npos);
}
