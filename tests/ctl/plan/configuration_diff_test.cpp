#include "ctl/plan/configuration_diff.hpp"

#include "config/show.hpp"
#include "ctl/plan/change_costs.hpp"
#include "ctl/plan/folded_changes.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

const Instant now = Instant::from_seconds(1704520800);

config::Library library_of(const std::string& name, Duration every = std::chrono::minutes(15))
{
    config::Library library;
    library.name = name;
    library.service.base_url = "https://api.example.com";
    library.service.limit_group = name;
    library.service.page_size = 100;
    for (const auto* table : {"recipes", "stock"}) {
        config::Resource resource;
        resource.name = table;
        resource.path = std::string("/") + table + "/";
        resource.schedule.interval = every;
        library.resources.own().push_back(resource);
    }
    return library;
}

std::string text_of(std::vector<config::Library> libraries)
{
    config::Configuration configuration;
    configuration.libraries = std::move(libraries);
    return config::show(configuration, config::ShowOrigin::no);
}

std::vector<std::string> lines_of(const std::vector<ConfigurationChange>& changes)
{
    std::vector<std::string> lines;
    for (const auto& change : changes) {
        lines.push_back(to_text(change));
    }
    return lines;
}

using Lines = std::vector<std::string>;

TEST_CASE("a library that comes or goes is one line, and a key that changes another")
{
    auto ghent = library_of("ghent");
    const auto before = text_of({library_of("antwerp"), ghent});
    CHECK(compare_configurations(before, before).empty());
    CHECK(lines_of(compare_configurations(before, text_of({library_of("antwerp"), ghent, library_of("liege")}))) ==
          Lines{"+ library liege"});
    CHECK(lines_of(compare_configurations(before, text_of({ghent}))) ==
          Lines{"- library antwerp; its stored data stays on disk"});
    ghent.resources.own()[1].schedule.interval = std::chrono::minutes(5);
    ghent.paused = true;
    ghent.resources.own().erase(ghent.resources.own().begin());
    CHECK(lines_of(compare_configurations(before, text_of({library_of("antwerp"), ghent}))) ==
          Lines{"~ library ghent paused false → true", "~ ghent.stock every \"15m\" → \"5m\"", "- ghent.recipes"});
}

TEST_CASE("a change by which a table loses its rows says so")
{
    auto ghent = library_of("ghent");
    auto& recipes = ghent.resources.own().front();
    const auto before = text_of({ghent});
    recipes.exclude = {"secret"};
    const auto hidden = text_of({ghent});
    const auto added = lines_of(compare_configurations(before, hidden));
    REQUIRE(added.size() == 1);
    CHECK(added.front().find("removed and filled again, and the rows that keep_deleted has kept are lost") !=
          std::string::npos);
    CHECK(lines_of(compare_configurations(hidden, before)).front().find("lost") == std::string::npos);
    recipes.path = "/other/";
    const auto moved = lines_of(compare_configurations(hidden, text_of({ghent})));
    REQUIRE(moved.size() == 1);
    constexpr const char* new_feed = "; consumers of the change feed must read all tables again";
    CHECK(
        moved.front().ends_with(std::string("; its rows stay until passes over the new list replace them") + new_feed));
    CHECK(added.front().ends_with(new_feed));
    auto silent = library_of("ghent");
    silent.resources.own().front().changes = config::ChangeDetail::none;
    const auto told = lines_of(compare_configurations(before, text_of({silent})));
    REQUIRE(told.size() == 1);
    CHECK(told.front().ends_with("; the change feed tells nothing of it from then on"));
    CHECK(lines_of(compare_configurations(text_of({silent}), before)).front().ends_with(new_feed));
    auto sliced = library_of("ghent");
    config::Window window;
    window.from = "date__gte";
    window.field = "date";
    sliced.resources.own().front().window = window;
    const auto by_date = text_of({sliced});
    sliced.resources.own().front().window->step = std::chrono::hours(48);
    CHECK(lines_of(compare_configurations(by_date, text_of({sliced}))).front().find("feed") == std::string::npos);
    sliced.resources.own().front().window->from = "since";
    CHECK(lines_of(compare_configurations(by_date, text_of({sliced}))).front().find("; its rows stay") !=
          std::string::npos);
    sliced.resources.own().front().window->field = "day";
    CHECK(lines_of(compare_configurations(by_date, text_of({sliced}))).front().find("; its table is emptied") !=
          std::string::npos);
    auto other = library_of("ghent");
    other.service.params = {{"a", "b"}};
    const auto all = lines_of(compare_configurations(before, text_of({other})));
    REQUIRE(all.size() == 1);
    CHECK(all.front().ends_with(new_feed));
}

TEST_CASE("a change names what it is about as a value")
{
    using Area = ConfigurationChange::Area;
    struct Row {
        const char* before;
        const char* after;
        Area area;
        const char* subject;
        const char* key;
    };
    const auto row = GENERATE(Catch::Generators::values<Row>({
        {"[log]\nlevel = \"info\"\n", "[log]\nlevel = \"debug\"\n", Area::daemon, "", "level"},
        {"", "[hooks.mail]\nto = \"library \"\n", Area::daemon, "", ""},
        {"[storage]\nmirrors = \"/a\"\n", "[storage]\nmirrors = \"/a paused b\"\n", Area::other, "", "mirrors"},
        {"[library.ghent]\nnote = \"\"\n", "[library.ghent]\nnote = \"is paused now\"\n", Area::library, "ghent",
         "note"},
        {"[library.ghent]\n", "", Area::library, "ghent", ""},
        {"[library.ghent]\n[library.ghent.resource.stock]\nevery = \"1m\"\n",
         "[library.ghent]\n[library.ghent.resource.stock]\nevery = \"2m\"\n", Area::table, "ghent.stock", "every"},
    }));
    CAPTURE(row.before, row.after);
    const auto changes = compare_configurations(row.before, row.after);
    REQUIRE(changes.size() == 1);
    CHECK(changes.front().area == row.area);
    CHECK(changes.front().subject == row.subject);
    CHECK(changes.front().key == row.key);
}

TEST_CASE("a renamed library is one line, whatever follows from its name")
{
    auto renamed = library_of("antwerpen");
    renamed.formerly = "antwerp";
    CHECK(lines_of(compare_configurations(text_of({library_of("antwerp")}), text_of({renamed}))).front() ==
          "~ library antwerp → antwerpen");
    const auto lines = lines_of(compare_configurations(text_of({library_of("antwerp")}), text_of({renamed})));
    CHECK(std::none_of(lines.begin(), lines.end(), [](const auto& line) {
        return line.find(".recipes") != std::string::npos || line.starts_with("-") || line.starts_with("+");
    }));
}

TEST_CASE("the same change in many libraries is one line for people, with what it costs in all")
{
    std::vector<config::Library> before;
    for (const auto* name : {"a", "b", "c", "d", "e", "f"}) {
        before.push_back(library_of(name));
    }
    auto after = before;
    for (auto& library : after) {
        library.service.requests_per_minute = 50;
        library.service.leave = library.name == "a" ? 7 : library.service.leave;
        library.service.quiet = {{std::chrono::hours(18), std::chrono::hours(6)}};
        library.resources.own()[1].schedule.splay = 0.5;
    }
    std::vector<PlannedLibrary> was;
    std::vector<PlannedLibrary> is;
    for (std::size_t i = 0; i < before.size(); ++i) {
        std::map<std::string, TableSize> sizes;
        sizes["recipes"].full_requests = 3;
        sizes["stock"].full_requests = 10;
        was.push_back({&before[i], sizes});
        is.push_back({&after[i], sizes});
    }
    auto changes = compare_configurations(text_of(before), text_of(after));
    CHECK(changes.size() == 6 * 3 + 1);
    add_costs(changes, was, is, now);
    const auto lines = lines_of(fold_changes(changes));
    CAPTURE(lines);
    REQUIRE(lines.size() == 4);
    const auto has = [&lines](const std::string& begin, const std::string& end) {
        return std::any_of(lines.begin(), lines.end(),
                           [&](const auto& line) { return line.starts_with(begin) && line.ends_with(end); });
    };
    CHECK(has("~ rate_limit ", " in 6 libraries (a, b, c, d and 2 more)"));
    CHECK(has("~ quiet (none) → [\"18:00-06:00\"] in 6 libraries (a, b, c, d and 2 more)", " requests/h"));
    CHECK(has("~ library a leave ", "→ 7"));
    CHECK(has("~ stock splay ", " in 6 libraries (a, b, c, d and 2 more)"));
}

TEST_CASE("a list that many libraries get or lose is one line for people, with what it costs in all")
{
    std::vector<config::Library> with;
    std::vector<config::Library> without;
    for (int i = 10; i < 50; ++i) {
        with.push_back(library_of(fmt::format("lib{}", i)));
        without.push_back(with.back());
        without.back().resources.own().erase(without.back().resources.own().begin() + 1);
    }
    const auto planned = [](const std::vector<config::Library>& libraries) {
        std::vector<PlannedLibrary> all;
        for (const auto& library : libraries) {
            std::map<std::string, TableSize> sizes;
            sizes["recipes"].full_requests = 3;
            sizes["stock"].full_requests = 10;
            all.push_back({&library, sizes});
        }
        return all;
    };
    const auto lines = [&](const std::vector<config::Library>& before, const std::vector<config::Library>& after) {
        auto changes = compare_configurations(text_of(before), text_of(after));
        CHECK(changes.size() == 40);
        add_costs(changes, planned(before), planned(after), now);
        return lines_of(fold_changes(changes));
    };
    const auto added = lines(without, with);
    CAPTURE(added);
    REQUIRE(added.size() == 1);
    CHECK(added[0].starts_with("+ stock every \"15m\" in 40 libraries (lib10, lib11, lib12, lib13 and 36 more): +"));
    CHECK(added[0].ends_with(" requests/h"));
    const auto removed = lines(with, without);
    CAPTURE(removed);
    REQUIRE(removed.size() == 1);
    CHECK(removed[0].starts_with("- stock in 40 libraries (lib10, lib11, lib12, lib13 and 36 more): -"));
}

TEST_CASE("libraries that were never read do not hide what the others of a change cost")
{
    std::vector<config::Library> before;
    std::vector<config::Library> after;
    for (int i = 0; i < 40; ++i) {
        before.push_back(library_of(fmt::format("lib{}", i + 10)));
        after.push_back(before.back());
        after.back().resources.own()[1].schedule.interval = std::chrono::minutes(5);
    }
    const auto planned = [](const std::vector<config::Library>& libraries, std::size_t unread) {
        std::vector<PlannedLibrary> all;
        for (const auto& library : libraries) {
            std::map<std::string, TableSize> sizes;
            sizes["recipes"].full_requests = 3;
            sizes["stock"].full_requests = all.size() < unread ? std::nullopt : std::optional(10.0);
            all.push_back({&library, sizes});
        }
        return all;
    };
    struct Row {
        std::size_t unread;
        const char* cost;
        double sum;
    };
    // 96 requests an hour each, as of one library alone.
    const auto row = GENERATE(Catch::Generators::values<Row>({
        {0, ": +3840 requests/h", 3840},
        {1, ": +3744 requests/h in 39 libraries; 1 unknown before its first pass", 3744},
        {39, ": +96 requests/h in 1 library; 39 unknown before their first pass", 96},
        {40, ": its requests are unknown before a first pass", 0},
    }));
    CAPTURE(row.unread);
    auto changes = compare_configurations(text_of(before), text_of(after));
    add_costs(changes, planned(before, row.unread), planned(after, row.unread), now);
    const auto lines = lines_of(fold_changes(changes));
    REQUIRE(lines.size() == 1);
    CHECK(lines[0] == "~ stock every \"15m\" → \"5m\" in 40 libraries (lib10, lib11, lib12, lib13 and 36 more)" +
                          std::string(row.cost));
    CHECK(total_of(changes).requests_an_hour == Approx(row.sum));
    CHECK(total_of(changes).unknown == row.unread);
}

TEST_CASE("a change says how many requests an hour more or fewer it costs")
{
    auto before = library_of("ghent");
    auto after = before;
    after.resources.own()[1].schedule.interval = std::chrono::minutes(5);
    const auto sizes = [](std::optional<double> stock) {
        std::map<std::string, TableSize> known;
        known["recipes"].full_requests = 3;
        known["stock"].full_requests = stock;
        return known;
    };
    auto changes = compare_configurations(text_of({before}), text_of({after}));
    add_costs(changes, {{&before, sizes(10)}}, {{&after, sizes(10)}}, now);
    // 80 of its pages, and 16 of the canaries before and after the passes of both tables.
    CHECK(lines_of(changes) == Lines{"~ ghent.stock every \"15m\" → \"5m\": +96 requests/h"});

    // Of two tables, each has its own canaries, and the sum is what plan says.
    auto both = after;
    both.resources.own()[0].schedule.interval = std::chrono::minutes(5);
    changes = compare_configurations(text_of({before}), text_of({both}));
    add_costs(changes, {{&before, sizes(10)}}, {{&both, sizes(10)}}, now);
    CHECK(lines_of(changes) == Lines{"~ ghent.recipes every \"15m\" → \"5m\": +40 requests/h",
                                     "~ ghent.stock every \"15m\" → \"5m\": +96 requests/h"});
    const auto planned = [&](const config::Library& library) {
        return plan_budget({{&library, sizes(10)}}, now).front().requests_a_minute * 60;
    };
    CHECK(planned(both) - planned(before) == Approx(40 + 96));

    changes = compare_configurations(text_of({}), text_of({before}));
    add_costs(changes, {}, {{&before, sizes(10)}}, now);
    CHECK(lines_of(changes) == Lines{"+ library ghent: +68 requests/h"});

    // On average of a day, of which half is quiet.
    auto quiet = before;
    quiet.service.quiet = {{std::chrono::hours(18), std::chrono::hours(6)}};
    changes = compare_configurations(text_of({}), text_of({quiet}));
    add_costs(changes, {}, {{&quiet, sizes(10)}}, now);
    CHECK(lines_of(changes) == Lines{"+ library ghent: +34 requests/h"});

    changes = compare_configurations(text_of({}), text_of({before}));
    add_costs(changes, {}, {{&before, sizes(std::nullopt)}}, now);
    // 12 of its only list that was read, and 16 canaries.
    CHECK(lines_of(changes) == Lines{"+ library ghent: +28 requests/h; unknown before a first pass: stock"});
}

// 250 rows, and 900: 4 requests and 10 with pages of 100. `stock` may be a list that was never read.
PlannedLibrary measured(const config::Library& library, bool has_stock = true)
{
    PlannedLibrary planned{&library, {}};
    planned.sizes["recipes"] = {.rows = 250, .full_requests = 4.0, .incremental_requests = {}};
    if (has_stock) {
        planned.sizes["stock"] = {.rows = 900, .full_requests = 10.0, .incremental_requests = {}};
    }
    return planned;
}

std::vector<ConfigurationChange> costly_changes(const std::vector<config::Library>& before,
                                                const std::vector<config::Library>& after, std::size_t read)
{
    std::vector<PlannedLibrary> was;
    std::vector<PlannedLibrary> is;
    for (const auto& library : before) {
        was.push_back(measured(library, was.size() < read));
    }
    for (const auto& library : after) {
        is.push_back(measured(library, is.size() < read));
    }
    auto changes = compare_configurations(text_of(before), text_of(after));
    add_costs(changes, was, is, now);
    return changes;
}

TEST_CASE("each line has the cost of its own change, and all of them are the difference")
{
    const auto before = library_of("ghent");
    auto after = before;
    after.service.page_size = 300;
    after.service.quiet = {{std::chrono::hours(18), std::chrono::hours(6)}};
    after.resources.own()[1].schedule.interval = std::chrono::minutes(5);
    const auto changes = costly_changes({before}, {after}, 1);
    // 72 with 16 canaries; 36 with one page and three; half of it; then 2, 24 and 16 canaries.
    CHECK(lines_of(changes) == Lines{"~ library ghent page_size 100 → 300: -36 requests/h",
                                     "~ library ghent quiet (none) → [\"18:00-06:00\"]: -18 requests/h",
                                     "~ ghent.stock every \"15m\" → \"5m\": +24 requests/h"});
    CHECK(total_of(changes).requests_an_hour == Approx(42 - 72));

    // Of several keys of a table, each its own.
    auto full = before;
    full.resources.own()[1].incremental = config::Incremental{"since", "changed", {}, std::chrono::minutes(1)};
    full.resources.own()[1].full = full.resources[1].schedule;
    full.resources.own()[1].full->interval = std::chrono::hours(1);
    auto rarer = full;
    rarer.resources.own()[1].schedule.interval = std::chrono::minutes(30);
    rarer.resources.own()[1].full->interval = std::chrono::hours(2);
    rarer.resources.own()[1].ordering = "name";
    const auto keys = costly_changes({full}, {rarer}, 1);
    REQUIRE(keys.size() == 3);
    double sum = 0;
    for (const auto& change : keys) {
        CHECK(change.requests_an_hour.has_value() == (change.key != "ordering"));
        sum += change.requests_an_hour.value_or(0);
    }
    const auto planned = [](const config::Library& library) {
        return plan_budget({measured(library)}, now).front().requests_a_minute * 60;
    };
    CHECK(sum == Approx(planned(rarer) - planned(full)));
}

TEST_CASE("a paused library costs nothing, whatever else changes in it")
{
    auto before = library_of("ghent");
    before.paused = true;
    auto after = before;
    after.service.page_size = 300;
    for (const auto& change : costly_changes({before}, {after}, 1)) {
        CHECK_FALSE(change.requests_an_hour);
        CHECK_FALSE(change.is_unknown);
    }
    after.paused = false;
    const auto changes = costly_changes({before}, {after}, 1);
    CHECK(total_of(changes).requests_an_hour == Approx(36));
}

TEST_CASE("a list that was never read is named, and what is known of the others is counted")
{
    const auto before = library_of("ghent");
    auto after = before;
    after.service.quiet = {{std::chrono::hours(18), std::chrono::hours(6)}};
    auto changes = costly_changes({before}, {after}, 0);
    CHECK(lines_of(changes) ==
          Lines{"~ library ghent quiet (none) → [\"18:00-06:00\"]: -16 requests/h; unknown before a "
                "first pass: stock"});
    CHECK(changes[0].unread == std::vector<std::string>{"stock"});
    CHECK(total_of(changes).requests_an_hour == Approx(-16));
    CHECK(total_of(changes).unknown == 1);

    // Of several libraries, in one line.
    std::vector<config::Library> were;
    std::vector<config::Library> are;
    for (const auto* name : {"a", "b", "c"}) {
        were.push_back(library_of(name));
        are.push_back(were.back());
        are.back().service.quiet = after.service.quiet;
    }
    CHECK(lines_of(fold_changes(costly_changes(were, are, 1))) ==
          Lines{"~ quiet (none) → [\"18:00-06:00\"] in 3 libraries (a, b, c): -68 requests/h; unknown before a first "
                "pass: stock in 2 libraries"});

    // What is removed never cost anything before.
    changes = costly_changes({before}, {}, 0);
    CHECK(lines_of(changes) == Lines{"- library ghent: -32 requests/h; its stored data stays on disk"});
    CHECK_FALSE(changes[0].is_unknown);
    CHECK(changes[0].unread.empty());
    CHECK(total_of(changes).unknown == 0);
}

TEST_CASE("a change in a library that is renamed costs what it costs without the new name")
{
    const auto before = library_of("antwerp");
    auto after = library_of("antwerpen");
    after.formerly = "antwerp";
    after.resources.own()[1].schedule.interval = std::chrono::minutes(5);
    const auto changes = costly_changes({before}, {after}, 1);
    REQUIRE(changes.size() == 2);
    CHECK(lines_of(changes)[0] == "~ library antwerp → antwerpen");
    CHECK(lines_of(changes)[1] == "~ antwerpen.stock every \"15m\" → \"5m\": +96 requests/h");
}

}  // namespace
}  // namespace shelfd::ctl
