// Walks that are cut short, and go on.
#include "app/library_bench.hpp"

#include "support/catch.hpp"
#include "support/json_tree.hpp"

#include <algorithm>
#include <filesystem>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t rows = 2'000;
constexpr std::size_t pages = 200;
constexpr std::size_t closing_look = 1;

// So many pages that the request limit stops the first pass half way.
BenchOptions long_list(const std::string& ordering = "-id")
{
    BenchOptions options;
    options.world.rows_of["library/recipes"] = rows;
    options.page_size = rows / pages;
    options.requests_per_minute = 100;
    options.every = 24h;
    options.ordering = ordering;
    return options;
}

std::size_t list_requests(LibraryBench& bench)
{
    return bench.world()->audit_report().count("GET", "/api/v2/library/recipes/");
}

// Started, and stopped again by the limit.
void begin_walk(LibraryBench& bench)
{
    bench.pass_time(20s);
    const auto asked = list_requests(bench);
    REQUIRE(asked > 50);
    REQUIRE(asked <= 100);
    REQUIRE(bench.query("SELECT count(*) FROM recipes") == "0");
}

bool is_equal(LibraryBench& bench)
{
    const auto expected = bench.service_rows();
    const auto mirrored = bench.mirror_rows();
    return std::equal(
        expected.begin(), expected.end(), mirrored.begin(), mirrored.end(),
        [](const auto& a, const auto& b) { return a.first == b.first && equal_items(a.second, b.second); });
}

bool is_recorded(const LibraryBench& bench)
{
    for (const auto& entry : std::filesystem::recursive_directory_iterator(bench.files.path())) {
        if (entry.path().filename().string().find(".walk-") != std::string::npos) {
            return true;
        }
    }
    return false;
}

}  // namespace

TEST_CASE("a walk that a stop cut short goes on where it was: no page is asked for twice, and the proof is as good")
{
    LibraryBench bench(long_list());
    begin_walk(bench);
    bench.stop();
    CHECK(is_recorded(bench));
    bench.pass_time(10min);
    bench.start();
    bench.pass_time(5min);
    CHECK(bench.query("SELECT count(*) FROM recipes") == std::to_string(rows));
    CHECK(list_requests(bench) == pages + closing_look);
    CHECK(bench.query("SELECT kind FROM _proofs") == "newest_first");
    CHECK(is_equal(bench));
    CHECK_FALSE(is_recorded(bench));
}

TEST_CASE(
    "rows that come and go while a walk is interrupted are seen by the closing look, and nothing is believed too much")
{
    LibraryBench bench(long_list());
    begin_walk(bench);
    bench.stop();
    sim::Edit edit;
    edit.add.assign(3, sim::Json::object({{"name", "came meanwhile"}}));
    edit.remove = {bench.service_ids().front(), bench.service_ids().back()};
    bench.world()->edit("lib01", "library/recipes", edit);
    bench.start();
    bench.pass_time(20min);
    CHECK(is_equal(bench));
    CHECK(bench.status().state == control::State::fresh);
}

TEST_CASE("what an earlier walk left is not used when it is old, the list moved unseen, or the plan is another one")
{
    enum class Why { old, moved, another_key };
    const auto why = GENERATE(Why::old, Why::moved, Why::another_key);
    LibraryBench bench(long_list(why == Why::moved ? "name" : "-id"));
    begin_walk(bench);
    const auto before = list_requests(bench);
    bench.stop();
    if (why == Why::old) {
        bench.pass_time(61min);
    } else if (why == Why::moved) {
        sim::Edit edit;
        edit.add.assign(1, sim::Json::object({{"name", "AAA"}}));
        bench.world()->edit("lib01", "library/recipes", edit);
    } else {
        bench.options().exclude = {"description"};
    }
    bench.pass_time(2min);
    bench.start();
    bench.pass_time(20min);
    INFO("why " << static_cast<int>(why));
    CHECK(list_requests(bench) >= before + pages);
    CHECK(bench.query("SELECT count(*) FROM recipes") == std::to_string(bench.service_ids().size()));
    CHECK_FALSE(is_recorded(bench));
}

TEST_CASE("a whole walk that a stop cut goes on before the passes for changes do, which would put an end to its pages")
{
    auto options = long_list();
    options.every = 1min;
    options.full_every = 24h;
    options.incremental = config::Incremental{.param = "modified_date__gt", .field = "modified_date"};
    LibraryBench bench(options);
    bench.pass_time(30min);
    REQUIRE(bench.query("SELECT count(*) FROM recipes") == std::to_string(rows));
    constexpr auto for_changes = "SELECT sum(requests) FROM _runs WHERE mode = 'incremental'";
    const auto of_whole_walks = [&bench] { return list_requests(bench) - std::stoul(bench.query(for_changes)); };
    const auto before = of_whole_walks();
    bench.unit->tables().lists().front()->request_pass({sync::Wanted::full_by_person});
    bench.pass_time(40s);
    REQUIRE(is_recorded(bench));
    bench.stop();
    bench.pass_time(10min);
    bench.start();
    bench.pass_time(10min);
    CHECK_FALSE(is_recorded(bench));
    CHECK(of_whole_walks() - before <= pages + closing_look);
    CHECK(is_equal(bench));
}

TEST_CASE("a pass for changes that a stop cut is resumed, and does not make a walk over the whole list due")
{
    auto options = long_list();
    options.every = 5min;
    options.incremental = config::Incremental{.param = "modified_date__gt", .field = "modified_date"};
    LibraryBench bench(options);
    bench.pass_time(31min);
    REQUIRE(bench.query("SELECT count(*) FROM recipes") == std::to_string(rows));
    const auto whole_walks = [&bench] { return bench.query("SELECT count(*) FROM _runs WHERE mode = 'full'"); };
    const auto before = whole_walks();
    sim::Edit edit;
    for (std::size_t i = 0; i < 1'500; ++i) {
        edit.change.push_back(*sim::parse_json("{\"id\":" + std::to_string(bench.service_ids()[i]) + "}"));
    }
    bench.world()->edit("lib01", "library/recipes", edit);
    bench.pass_time(10s);  // otherwise the overlap of the pass after it may bring them again
    bench.unit->tables().lists().front()->request_pass();
    bench.pass_time(40s);
    REQUIRE(is_recorded(bench));
    REQUIRE(bench.status().running);
    const auto asked = list_requests(bench);
    bench.stop();
    bench.start();
    bench.pass_time(10min);
    CHECK(whole_walks() == before);
    CHECK(list_requests(bench) - asked < pages * 3 / 4);
    CHECK(is_equal(bench));
}

TEST_CASE("where no canary names the library, pages of one token set are not mixed with those of another")
{
    auto options = long_list();
    options.has_identity = false;
    options.import_mode = oauth::ImportMode::leave_alone;
    LibraryBench bench(options);
    begin_walk(bench);
    const auto before = list_requests(bench);
    const bool other_set = GENERATE(true, false);
    if (other_set) {
        bench.world()->issue_set("lib01");
        bench.import_set(1);
    }
    bench.stop();
    bench.pass_time(2min);
    bench.start();
    bench.pass_time(20min);
    INFO("another set: " << other_set << ", asked " << list_requests(bench) - before);
    CHECK(bench.query("SELECT count(*) FROM recipes") == std::to_string(rows));
    CHECK((list_requests(bench) >= before + pages) == other_set);
}

TEST_CASE("pages that were published are not taken for new ones where a crash has left them")
{
    LibraryBench bench(long_list());
    begin_walk(bench);
    bench.stop();
    const auto record = bench.files / "mirrors/lib01/lib01.db.walk-recipes";
    const auto left = bench.files / "left";
    std::filesystem::copy_file(record, left);
    bench.start();
    bench.pass_time(5min);
    REQUIRE(bench.query("SELECT count(*) FROM recipes") == std::to_string(rows));
    bench.stop();
    std::filesystem::copy_file(left, record);
    bench.start();
    const auto before = list_requests(bench);
    bench.sync();
    CHECK(list_requests(bench) == before + pages + closing_look);
    CHECK_FALSE(is_recorded(bench));
}

TEST_CASE("a service that asks for pauses time after time costs none of the pages that had come, and says which pauses")
{
    const int status = GENERATE(429, 503);
    LibraryBench bench(long_list());
    begin_walk(bench);
    sim::Fault busy;
    busy.path = "/api/v2/library/recipes/";
    busy.status = status;
    busy.acts = false;
    busy.times = std::nullopt;
    busy.headers = {{"Retry-After", "1"}};
    bench.world()->faults.add(busy);
    bench.pass_time(5min);
    REQUIRE(bench.status().passes_failed > 0);
    CHECK(bench.status().why.find(std::to_string(status)) != std::string::npos);
    bench.world()->faults.clear();
    bench.pass_time(30min);
    CHECK(bench.query("SELECT count(*) FROM recipes") == std::to_string(rows));
    CHECK(bench.world()->audit_report().count("GET", "/api/v2/library/recipes/", "", 0, 200) == pages + closing_look);
}

TEST_CASE("an outage in mid-walk leaves the whole walk its turn, though changes are asked for in between")
{
    auto options = long_list();
    options.every = 15min;
    options.incremental =
        config::Incremental{"modified_date__gt", "modified_date", config::Incremental::Format::datetime, 5min};
    LibraryBench bench(options);
    bench.pass_time(1h);
    REQUIRE(bench.query("SELECT count(*) FROM recipes") == std::to_string(rows));
    REQUIRE(bench.unit->tables().lists().front()->report().last_pass->kind == sync::PassKind::incremental);
    while (!is_recorded(bench)) {
        REQUIRE(bench.clock.advance_to_next());
    }
    bench.pass_time(20s);
    sim::Fault down;
    down.path = "/api/v2/library/recipes/";
    down.status = 502;
    down.times = std::nullopt;
    bench.world()->faults.add(down);
    bench.pass_time(40min);
    CHECK(is_recorded(bench));
    bench.world()->faults.clear();
    const auto whole = [&bench](std::size_t since) {
        return std::count_if(bench.client.asked.begin() + static_cast<std::ptrdiff_t>(since), bench.client.asked.end(),
                             [](const auto& target) {
                                 return target.find("/recipes/") != std::string::npos &&
                                        target.find("modified_date__gt") == std::string::npos;
                             });
    };
    const auto before = bench.client.asked.size();
    bench.pass_time(30min);
    CHECK(whole(before) < 150);
    CHECK(bench.query("SELECT count(*) FROM _runs WHERE mode = 'full' AND result = 'published'") == "2");
}

TEST_CASE(
    "a page that is broken for ever does not keep changes waiting, though the whole walk has more pages to go on with")
{
    BenchOptions options;
    options.world.rows_of["library/recipes"] = 160;
    options.page_size = 20;
    options.requests_per_minute = 100;
    options.every = 15min;
    options.ordering = "-id";
    options.incremental =
        config::Incremental{"modified_date__gt", "modified_date", config::Incremental::Format::datetime, 5min};
    LibraryBench bench(options);
    bench.pass_time(23h);
    bench.client.body_instead = [](const std::string& target) {
        return target.find("page=5") != std::string::npos ? std::optional<std::string>("<html>") : std::nullopt;
    };
    while (!is_recorded(bench)) {
        REQUIRE(bench.clock.advance_to_next());
    }
    const auto changes = [&bench] {
        return std::stoi(bench.query("SELECT count(*) FROM _runs WHERE mode = 'incremental' AND result = 'published'"));
    };
    for (int half = 0; half < 6; ++half) {
        const auto before = changes();
        bench.pass_time(30min);
        CHECK(changes() > before);
    }
    bench.client.body_instead = [](const std::string&) { return std::nullopt; };
    bench.pass_time(5h);
    CHECK(bench.query("SELECT count(*) FROM _runs WHERE mode = 'full' AND result = 'published'") == "2");
}

TEST_CASE("an outage in mid-walk costs the pages of the outage, and none that had come before it")
{
    LibraryBench bench(long_list());
    begin_walk(bench);
    sim::Fault down;
    down.path = "/api/v2/library/recipes/";
    down.status = 502;
    down.times = std::nullopt;
    bench.world()->faults.add(down);
    bench.pass_time(40min);
    const auto failed = bench.world()->audit_report().count("GET", "/api/v2/library/recipes/", "", 0, 502);
    REQUIRE(failed > 12);
    bench.world()->faults.clear();
    bench.pass_time(30min);
    CHECK(bench.query("SELECT count(*) FROM recipes") == std::to_string(rows));
    CHECK(bench.world()->audit_report().count("GET", "/api/v2/library/recipes/", "", 0, 200) == pages + closing_look);
    CHECK_FALSE(is_recorded(bench));
}
