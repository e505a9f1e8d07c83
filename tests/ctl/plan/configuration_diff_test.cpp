#include "ctl/plan/configuration_diff.hpp"

#include "config/show.hpp"
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
          Lines{"- library antwerp; what is kept of it stays on disk"});
    ghent.resources.own()[1].schedule.interval = std::chrono::minutes(5);
    ghent.paused = true;
    ghent.resources.own().erase(ghent.resources.own().begin());
    CHECK(lines_of(compare_configurations(before, text_of({library_of("antwerp"), ghent}))) ==
          Lines{"~ library ghent paused false → true", "~ ghent.stock every \"15m\" → \"5m\"", "- ghent.recipes"});
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
    add_costs(changes, costs_of(was, now), costs_of(is, now));
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
        add_costs(changes, costs_of(planned(before), now), costs_of(planned(after), now));
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
    add_costs(changes, costs_of(planned(before, row.unread), now), costs_of(planned(after, row.unread), now));
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
    add_costs(changes, costs_of({{&before, sizes(10)}}, now), costs_of({{&after, sizes(10)}}, now));
    // 80 of its pages, and 16 of the canaries before and after the passes of both tables.
    CHECK(lines_of(changes) == Lines{"~ ghent.stock every \"15m\" → \"5m\": +96 requests/h"});

    // Of two tables, the first has the canaries of the library, and the sum is what plan says.
    auto both = after;
    both.resources.own()[0].schedule.interval = std::chrono::minutes(5);
    changes = compare_configurations(text_of({before}), text_of({both}));
    add_costs(changes, costs_of({{&before, sizes(10)}}, now), costs_of({{&both, sizes(10)}}, now));
    CHECK(lines_of(changes) == Lines{"~ ghent.recipes every \"15m\" → \"5m\": +56 requests/h",
                                     "~ ghent.stock every \"15m\" → \"5m\": +80 requests/h"});
    const auto planned = [&](const config::Library& library) {
        return plan_budget({{&library, sizes(10)}}, now).front().requests_a_minute * 60;
    };
    CHECK(planned(both) - planned(before) == Approx(56 + 80));

    changes = compare_configurations(text_of({}), text_of({before}));
    add_costs(changes, {}, costs_of({{&before, sizes(10)}}, now));
    CHECK(lines_of(changes) == Lines{"+ library ghent: +68 requests/h"});

    // On average of a day, of which half is quiet.
    auto quiet = before;
    quiet.service.quiet = {{std::chrono::hours(18), std::chrono::hours(6)}};
    changes = compare_configurations(text_of({}), text_of({quiet}));
    add_costs(changes, {}, costs_of({{&quiet, sizes(10)}}, now));
    CHECK(lines_of(changes) == Lines{"+ library ghent: +34 requests/h"});

    changes = compare_configurations(text_of({}), text_of({before}));
    add_costs(changes, {}, costs_of({{&before, sizes(std::nullopt)}}, now));
    CHECK(lines_of(changes) == Lines{"+ library ghent: its requests are unknown before a first pass"});
}

}  // namespace
}  // namespace shelfd::ctl
