// Details: every item's own address, from what the lists leave of the budget.
#include "app/library_bench.hpp"

#include "support/catch.hpp"
#include "support/json_tree.hpp"

#include <fmt/format.h>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr const char* items = "/api/v2/library/recipes/";

BenchOptions detailed(std::size_t rows = 40)
{
    BenchOptions options;
    options.world.rows_of["library/recipes"] = rows;
    options.detail = config::Detail{"url", "", 7 * 24h};
    return options;
}

// Requests for items by themselves.
std::uint64_t asked(LibraryBench& bench)
{
    std::uint64_t count = 0;
    for (const auto& [key, times] : bench.world()->audit_report().requests) {
        count += key.path.starts_with(items) && key.path != items ? times : 0;
    }
    return count;
}

std::uint64_t asked(LibraryBench& bench, std::int64_t id)
{
    return bench.world()->audit_report().count("GET", fmt::format("{}{}/", items, id));
}

// Items of the service whose detail the mirror has not, or otherwise; and details that no item has.
std::size_t differing(LibraryBench& bench)
{
    auto mirrored = bench.mirror_rows("recipes_detail");
    auto world = bench.service.world();
    auto* data = world->find_list(world->library("lib01"), "library/recipes");
    std::size_t count = 0;
    for (const auto* row : data->ordered({sim::OrderField::id, false})) {
        auto item = data->detail(*row);
        item.set("url", "http://service.test" + item.find("url")->text);
        const auto found = mirrored.extract(row->id);
        count += found.empty() || !equal_items(found.mapped(), sim::to_text(item)) ? 1U : 0U;
    }
    return count + mirrored.size();
}

const sync::DetailReport& details(const LibraryBench& bench)
{
    return bench.unit->tables().details().front()->report();
}

// Rows of the table, as SQL counts them now.
std::uint64_t detail_rows(LibraryBench& bench)
{
    return std::stoull(bench.query("SELECT count(*) FROM recipes_detail"));
}

sim::Fault on_item(std::int64_t id, int status, const std::string& body, const std::string& type = "application/json")
{
    sim::Fault fault;
    fault.path = fmt::format("{}{}/", items, id);
    fault.times = std::nullopt;
    fault.status = status;
    fault.body = body;
    fault.content_type = type;
    return fault;
}

sim::Fault refused_item(std::int64_t id)
{
    auto fault = on_item(id, 401, R"({"detail":"Authentication credentials were not provided."})");
    fault.headers = {{"WWW-Authenticate", R"(Bearer realm="api",error="invalid_token")"}};
    return fault;
}

// Requests of the page that names the library, with any token.
std::uint64_t canaries(LibraryBench& bench)
{
    return bench.world()->audit_report().count("GET", "/api/v2/accounts/libraries/current/");
}

void on_items(LibraryBench& bench, int status, const std::string& body)
{
    for (const auto id : bench.service_ids()) {
        bench.world()->faults.add(on_item(id, status, body, body.starts_with("<") ? "text/html" : "application/json"));
    }
}

sim::Json change(std::int64_t id, const std::string& name)
{
    return *sim::parse_json(fmt::format(R"({{"id":{},"name":"{}"}})", id, name));
}

}  // namespace

TEST_CASE("the first fill asks for each item exactly once, and holds what the service has, value by value")
{
    LibraryBench bench(detailed(120));
    bench.pass_time(5min);
    CHECK(asked(bench) == 120);
    CHECK(differing(bench) == 0);
    CHECK(bench.status("recipes_detail").state == control::State::fresh);
    const auto detail = *bench.status("recipes_detail").detail;
    CHECK(detail.share == 1);
    CHECK(detail.pending == 0);
    CHECK(bench.query("SELECT count(*) FROM recipes_full WHERE _fetched_at IS NOT NULL") == "120");
    CHECK(bench.query("SELECT requests || ' ' || reasons FROM _runs WHERE mode = 'detail'") == R"(120 {"detail":120})");
}

TEST_CASE("an item is asked for by a path of the configuration, where the list names none")
{
    auto options = detailed(5);
    options.detail = config::Detail{"", "/api/v2/library/recipes/{id}/", 7 * 24h};
    LibraryBench bench(options);
    bench.pass_time(1min);
    CHECK(differing(bench) == 0);
    CHECK(asked(bench) == 5);
}

TEST_CASE("details never take what the limit does not give, nor the slots that lists need")
{
    auto options = detailed(400);
    options.requests_per_minute = 100;
    options.every = 1min;
    LibraryBench bench(options);
    std::uint64_t late_lists = 0;
    for (int minute = 0; minute < 6; ++minute) {
        bench.pass_time(1min);
        late_lists += bench.status().state == control::State::late ? 1U : 0U;
    }
    CHECK(bench.world()->audit_report().busiest_minute.at("lib01") <= 100);
    CHECK(bench.world()->audit_report().throttled == 0);
    CHECK(late_lists == 0);
    CHECK(bench.unit->tables().lists().front()->report().passes_ended >= 5);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "400");
    CHECK(asked(bench) == 400);
}

TEST_CASE("a list that is polled each five seconds is polled so behind a backlog of details")
{
    auto options = detailed(1000);
    options.requests_per_minute = 100;
    options.every = 5s;
    SECTION("by what changed")
    {
        options.incremental = config::Incremental{"modified_date__gt", "modified_date"};
    }
    SECTION("as a whole, which is a page")
    {
        options.world.rows_of["library/recipes"] = 200;
    }
    LibraryBench bench(options);
    bench.pass_time(1min);
    const auto before = bench.unit->tables().lists().front()->report().passes_ended;
    bench.pass_time(1min);
    CHECK(bench.status("recipes_detail").detail->pending > 0);
    CHECK(bench.unit->tables().lists().front()->report().passes_ended - before >= 11);
    CHECK(bench.world()->audit_report().busiest_minute.at("lib01") <= 100);
    CHECK(asked(bench) >= 150);
}

TEST_CASE("new and changed items stand before those never fetched")
{
    auto options = detailed(300);
    options.requests_per_minute = 60;
    LibraryBench bench(options);
    bench.pass_time(90s);
    REQUIRE(std::stoi(bench.query("SELECT count(*) FROM recipes_detail")) < 200);
    const auto ids = bench.service_ids();
    const auto last = ids.back();
    REQUIRE(asked(bench, last) == 0);
    bench.world()->edit("lib01", "library/recipes", {.change = {change(ids.front(), "other")}, .add_seeded = 1});
    bench.sync();
    const auto fresh = bench.service_ids().back();
    bench.pass_time(2min);
    CHECK(asked(bench, ids.front()) == 2);
    CHECK(asked(bench, fresh) == 1);
    CHECK(asked(bench, last) == 0);
    bench.pass_time(10min);
    CHECK(differing(bench) == 0);
}

TEST_CASE("a stop and a start in the middle of the first fill ask again only for what nobody had vouched for")
{
    auto options = detailed(199);
    options.requests_per_minute = 60;
    LibraryBench bench(options);
    bench.pass_time(30s);  // the minute's requests are spent, the rest waits
    const auto before = asked(bench);
    REQUIRE(before > 20);
    bench.stop();
    const auto there = std::stoull(bench.query("SELECT count(*) FROM recipes_detail"));
    CHECK(there + 10 >= before);
    bench.start();
    bench.pass_time(10min);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "199");
    CHECK(asked(bench) == 199 + before - there);
}

TEST_CASE("an item that hangs keeps no other waiting, however many there are, and what changed meanwhile goes first")
{
    LibraryBench bench(detailed(200));
    const auto ids = bench.service_ids();
    for (const auto id : {ids.front(), ids.back()}) {
        sim::Fault slow;
        slow.path = fmt::format("{}{}/", items, id);
        slow.delay = 55s;
        bench.world()->faults.add(slow);
    }
    bench.pass_time(30s);
    CHECK(bench.ids("recipes_detail").size() == 198);
    REQUIRE(details(bench).progress.running);
    // The turn goes on while the two hang, with what came meanwhile.
    bench.world()->edit("lib01", "library/recipes", {.change = {change(ids[100], "meanwhile")}, .add_seeded = 1});
    bench.sync();
    bench.pass_time(11s);
    CHECK(details(bench).progress.running);
    CHECK(bench.ids("recipes_detail").size() == 199);
    CHECK(bench.query(fmt::format("SELECT name FROM recipes_detail WHERE id = {}", ids[100])) == "meanwhile");
    bench.pass_time(1min);
    CHECK(differing(bench) == 0);
    CHECK(asked(bench) == 200 + 2);
}

TEST_CASE("items that answer badly are postponed with growing waits, and the others go on")
{
    LibraryBench bench(detailed(30));
    bench.unit->token_set_changed();
    const auto ids = bench.service_ids();
    bench.world()->faults.add(on_item(ids[3], GENERATE(404, 410), R"({"detail":"Not found."})"));
    bench.world()->faults.add(on_item(ids[7], 403, R"({"detail":"You do not have permission."})"));
    bench.world()->faults.add(on_item(ids[11], 200, "<html>maintenance</html>", "text/html"));
    bench.world()->faults.add(on_item(ids[15], 200, R"({"id":)"));
    bench.world()->faults.add(on_item(ids[19], 500, "<html>", "text/html"));
    bench.world()->faults.add(on_item(ids[23], 200, "[]"));
    bench.pass_time(1min);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "24");
    CHECK(bench.query("SELECT group_concat(rank) FROM (SELECT rank FROM _queue_recipes WHERE rank > 2 ORDER BY k1)") ==
          "4,3,3,3,3,3");
    const auto status = bench.status("recipes_detail");
    CHECK(status.state == control::State::fresh);
    CHECK(status.why.find("5 items postponed") != std::string::npos);
    CHECK(status.next_due.has_value());

    bench.pass_time(24h);
    CHECK(asked(bench, ids[3]) == 1);
    for (const auto bad : {7, 11, 15, 19, 23}) {
        CHECK(asked(bench, ids[static_cast<std::size_t>(bad)]) >= 4);
        CHECK(asked(bench, ids[static_cast<std::size_t>(bad)]) <= 16);
    }
    bench.world()->faults.clear();
    bench.pass_time(48h);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "30");
    CHECK(bench.status("recipes_detail").why.find("postponed") == std::string::npos);
    bench.pass_time(7 * 24h);
    CHECK(differing(bench) == 0);
}

TEST_CASE("items that refuse a token which works are postponed as those that answer 403, and the others go on")
{
    LibraryBench plain(detailed(60));
    plain.pass_time(1min);
    LibraryBench bench(detailed(60));
    const auto ids = bench.service_ids();
    for (const auto bad : {3, 14, 25, 36}) {
        bench.world()->faults.add(refused_item(ids[static_cast<std::size_t>(bad)]));
    }
    bench.pass_time(1min);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "56");
    CHECK(bench.query("SELECT count(*) FROM _queue_recipes WHERE rank = 3 AND tries = 1") == "4");
    CHECK(bench.world()->audit_report().token_posts == plain.world()->audit_report().token_posts);
    // One canary for all of them, and one with a wrong token.
    CHECK(canaries(bench) <= canaries(plain) + 3);
    const auto status = bench.status("recipes_detail");
    CHECK(status.state == control::State::fresh);
    CHECK(status.why.find("4 items postponed") != std::string::npos);
    CHECK(status.why.find("refuses the token for this item only (401)") != std::string::npos);
    bench.world()->edit("lib01", "library/recipes", {.change = {change(ids[30], "changed")}});
    bench.sync();
    bench.pass_time(10s);
    CHECK(bench.query(fmt::format("SELECT name FROM recipes_detail WHERE id = {}", ids[30])) == "changed");

    bench.pass_time(24h);
    CHECK(asked(bench, ids[3]) >= 4);
    CHECK(asked(bench, ids[3]) <= 16);
    CHECK(bench.status("recipes_detail").state == control::State::fresh);
    bench.world()->faults.clear();
    bench.pass_time(48h);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "60");
}

TEST_CASE("a token that dies just after the canary accepted it despite a 401 of an item is replaced, and no item lost")
{
    LibraryBench bench(detailed(100));
    const auto ids = bench.service_ids();
    bench.world()->faults.add(refused_item(ids[2]));
    sim::Fault slow;
    slow.path = items;
    slow.times = std::nullopt;
    slow.delay = 1s;
    bench.world()->faults.add(slow);
    const auto posts = bench.world()->audit_report().token_posts;
    bench.pass_time(8s);
    REQUIRE(asked(bench, ids[2]) >= 1);
    bench.world()->expire_access("lib01");
    bench.pass_time(5min);
    CHECK(bench.world()->audit_report().token_posts == posts + 1);
    CHECK(bench.world()->audit_report().reuses_of_spent == 0);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "99");
    CHECK(bench.query("SELECT count(*) FROM _queue_recipes WHERE tries > 0") == "1");
    CHECK(bench.status("recipes_detail").state == control::State::fresh);
}

TEST_CASE("an item that asks for a wait is not requested before it is over, and holds up no other, nor a list")
{
    const auto [status, seconds, most] = GENERATE(table<int, const char*, std::uint64_t>(
        {{503, "20", 6}, {503, "200", 2}, {409, "20", 6}, {429, "20", 7}, {401, "20", 6}}));
    INFO(status << ", " << seconds << " s");
    auto options = detailed(30);
    options.every = 5s;
    LibraryBench bench(options);
    const auto ids = bench.service_ids();
    auto busy = on_item(ids[4], status, R"({"detail":"busy"})");
    busy.headers = {{"Retry-After", seconds}};
    bench.world()->faults.add(busy);
    bench.pass_time(19s);
    CHECK(asked(bench, ids[4]) == 1);
    bench.pass_time(41s);
    const auto before = bench.unit->tables().lists().front()->report().passes_ended;
    bench.pass_time(4min);
    CHECK(asked(bench, ids[4]) >= 2);
    CHECK(asked(bench, ids[4]) <= most);
    // 48 without the item; a 429 stops everything for as long as it says.
    const auto passes = bench.unit->tables().lists().front()->report().passes_ended - before;
    CHECK(passes >= (status == 429 ? 23U : 43U));
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "29");
    CHECK(bench.status("recipes_detail").state == control::State::fresh);
    CHECK(bench.status("recipes_detail").why.find("1 item postponed") != std::string::npos);
}

TEST_CASE("who asks for a pass over the list gets the items that were postponed, too")
{
    LibraryBench bench(detailed(30));
    bench.unit->token_set_changed();
    const auto ids = bench.service_ids();
    bench.world()->faults.add(on_item(ids[7], 403, R"({"detail":"You do not have permission."})"));
    bench.pass_time(12h);
    REQUIRE(bench.query("SELECT count(*) FROM recipes_detail") == "29");
    const auto before = asked(bench, ids[7]);
    bench.unit->tables().wake_details_of("recipes");
    bench.pass_time(10s);
    CHECK(asked(bench, ids[7]) == before + 1);
    bench.world()->faults.clear();
    bench.unit->tables().wake_details_of("recipes");  // not again so soon, whoever asks
    bench.pass_time(10s);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "29");
    bench.pass_time(10min);
    bench.unit->tables().wake_details_of("recipes");
    bench.pass_time(10s);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "30");
    CHECK(bench.status("recipes_detail").why.find("postponed") == std::string::npos);
}

TEST_CASE("a few items that are bad for good, tried again together, hold up no other")
{
    LibraryBench bench(detailed(60));
    bench.unit->token_set_changed();
    const auto ids = bench.service_ids();
    for (std::size_t bad = 0; bad < 8; ++bad) {
        bench.world()->faults.add(on_item(ids[bad], 200, R"({"id":99999})"));
    }
    bench.pass_time(2h);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "52");
    CHECK(bench.status("recipes_detail").state == control::State::fresh);
    bench.world()->edit("lib01", "library/recipes", {.change = {change(ids[30], "changed")}});
    bench.sync();
    bench.pass_time(10s);
    CHECK(bench.query(fmt::format("SELECT name FROM recipes_detail WHERE id = {}", ids[30])) == "changed");
}

TEST_CASE("bad items that stand together in front hold up no other for long, however many they are")
{
    LibraryBench bench(detailed(200));
    bench.unit->token_set_changed();
    const auto ids = bench.service_ids();
    const auto [status, times] = GENERATE(table<int, int>({{403, 60}, {500, 60}, {400, 60}}));
    INFO(status);
    for (int bad = 0; bad < times; ++bad) {
        auto fault = on_item(ids[static_cast<std::size_t>(bad)], status, R"({"detail":"No."})");
        bench.world()->faults.add(fault);
    }
    bench.pass_time(24h);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "140");
    CHECK(bench.query("SELECT count(*) FROM _queue_recipes WHERE rank = 3") == "60");
}

TEST_CASE("a fetched detail is looked at again once in its time, the oldest first, at an even pace")
{
    LibraryBench bench(detailed(100));
    bench.pass_time(10min);
    REQUIRE(asked(bench) == 100);
    bench.pass_time(24h);
    const auto day = asked(bench) - 100;
    // A hundred in seven days, a little early.
    CHECK(day >= 13);
    CHECK(day <= 17);
    const auto first = bench.query("SELECT min(id) FROM recipes_detail");
    CHECK(asked(bench, std::stoll(first)) == 2);
    bench.pass_time(6 * 24h);
    for (const auto id : bench.service_ids()) {
        CHECK(asked(bench, id) >= 2);
        CHECK(asked(bench, id) <= 3);  // the first of the second round
    }
    CHECK(asked(bench) <= 206);
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE resource = 'recipes_detail'") == "0");
    CHECK(bench.status("recipes_detail").state == control::State::fresh);
}

TEST_CASE("what was missed while the daemon was down is caught up at once")
{
    LibraryBench bench(detailed(60));
    bench.pass_time(10min);
    bench.stop();
    bench.pass_time(10 * 24h);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "60");
    bench.start();
    bench.pass_time(10min);
    CHECK(asked(bench) == 120);
}

TEST_CASE("a row that is deleted takes its detail with it")
{
    LibraryBench bench(detailed(20));
    bench.pass_time(1min);
    const auto ids = bench.service_ids();
    bench.world()->edit("lib01", "library/recipes", {.remove = {ids[4], ids[5]}});
    bench.sync();
    bench.sync();
    CHECK(bench.ids() == bench.service_ids());
    CHECK(bench.ids("recipes_detail") == bench.service_ids());
    CHECK(bench.query("SELECT count(*) FROM _queue_recipes") == "18");
}

TEST_CASE("a token that expires while items are under way is refreshed by one POST, and every item comes")
{
    LibraryBench bench(detailed(100));
    sim::Fault slow;
    slow.path = items;
    slow.times = std::nullopt;
    slow.delay = 1s;
    bench.world()->faults.add(slow);
    const auto posts = bench.world()->audit_report().token_posts;
    bench.pass_time(5s);
    bench.world()->expire_access("lib01");
    bench.pass_time(5min);
    CHECK(bench.world()->audit_report().token_posts == posts + 1);
    CHECK(bench.world()->audit_report().reuses_of_spent == 0);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "100");
    CHECK(bench.query("SELECT count(*) FROM _queue_recipes WHERE tries > 0") == "0");
}

TEST_CASE("a service that is down makes the queue wait, and it goes on by itself")
{
    LibraryBench bench(detailed(50));
    on_items(bench, 502, "<html>bad gateway</html>");
    bench.pass_time(10min);
    const auto during = asked(bench);
    CHECK(during <= 8 + 10);
    CHECK(details(bench).trouble == sync::Trouble::passing);
    CHECK(bench.status("recipes_detail").why.find("502") != std::string::npos);
    CHECK(details(bench).next_due > bench.clock.now());
    bench.world()->faults.clear();
    bench.pass_time(30min);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "50");
    CHECK(details(bench).trouble == sync::Trouble::none);
}

TEST_CASE("a queue that waits sleeps no longer for a clock that is set back meanwhile")
{
    LibraryBench bench(detailed(20));
    on_items(bench, 502, "<html>bad gateway</html>");
    bench.pass_time(5min);
    REQUIRE(details(bench).trouble == sync::Trouble::passing);
    bench.step_wall(-72h);
    bench.world()->faults.clear();
    bench.pass_time(40min);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "20");
    CHECK(details(bench).trouble == sync::Trouble::none);
}

TEST_CASE("details that the token set may not see are a state that names what to do, and cost next to nothing")
{
    LibraryBench bench(detailed(50));
    on_items(bench, 403, R"({"detail":"You do not have permission to perform this action."})");
    bench.pass_time(3h);
    CHECK(asked(bench) <= 5 + 8 + 6);
    const auto status = bench.status("recipes_detail");
    CHECK(status.state == control::State::forbidden);
    CHECK(status.do_this.find("ask the owner") != std::string::npos);
    CHECK(status.next_due > bench.clock.now());
    bench.world()->faults.clear();
    bench.pass_time(24h);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "50");
    CHECK(bench.status("recipes_detail").state == control::State::fresh);
}

TEST_CASE("details of items that are hidden while the list shows them stay, but for the first few, and say why")
{
    LibraryBench bench(detailed(40));
    bench.pass_time(1h);
    REQUIRE(bench.query("SELECT count(*) FROM recipes_detail") == "40");
    on_items(bench, 404, R"({"detail":"Not found."})");
    bench.pass_time(14 * 24h);
    CHECK(bench.query("SELECT count(*) >= 31 FROM recipes_detail") == "1");
    CHECK(bench.query("SELECT count(*) FROM recipes") == "40");
    CHECK(bench.query("SELECT detail_share < 1 FROM freshness WHERE resource = 'recipes_detail'") == "1");
    const auto status = bench.status("recipes_detail");
    CHECK(status.state == control::State::forbidden);
    CHECK(status.why.find("the service answers 404 for the last items") != std::string::npos);
    bench.world()->faults.clear();
    bench.pass_time(14 * 24h);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "40");
    CHECK(bench.status("recipes_detail").state == control::State::fresh);
}

TEST_CASE("details of all items that change at once and are hidden are dropped by no batch")
{
    LibraryBench bench(detailed(40));
    bench.pass_time(1h);
    on_items(bench, 404, R"({"detail":"Not found."})");
    std::vector<sim::Json> changes;
    for (const auto id : bench.service_ids()) {
        changes.push_back(change(id, "new"));
    }
    bench.world()->edit("lib01", "library/recipes", {.change = changes});
    bench.pass_time(6h);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail") == "40");
    CHECK(bench.status("recipes_detail").state == control::State::forbidden);
    // The permission is back: whoever asks for a pass over the list, as the advice says, wakes the details as well.
    bench.world()->faults.clear();
    const auto before = bench.client.asked.size();
    bench.unit->tables().wake_details_of("recipes");
    bench.pass_time(30s);
    CHECK(bench.client.asked.size() > before);
    bench.pass_time(24h);
    CHECK(bench.query("SELECT count(*) FROM recipes_detail WHERE name = 'new'") == "40");
    CHECK(bench.status("recipes_detail").state == control::State::fresh);
}

TEST_CASE("a budget that cannot keep up makes the details late, with the figures")
{
    auto options = detailed(400);
    options.requests_per_minute = 20;
    options.every = 1h;
    options.detail->refresh_within = 15min;
    LibraryBench bench(options);
    for (int minute = 0; minute < 120; ++minute) {
        bench.pass_time(1min);
        const auto now = bench.status("recipes_detail");
        INFO(minute << ": " << now.why);
        CHECK(now.why.find("no pass") == std::string::npos);
        const bool is_late = now.state == control::State::late;
        CHECK((!is_late || now.why.find("requests a minute") != std::string::npos));
    }
    const auto status = bench.status("recipes_detail");
    CHECK(status.state == control::State::late);
    INFO(status.why);
    CHECK(status.why.find("needs 28.1 requests a minute") != std::string::npos);
    const bool has_it_all =
        status.why.find("gets 19.") != std::string::npos || status.why.find("gets 20.0") != std::string::npos;
    CHECK(has_it_all);
    CHECK(status.since == status.late_at);
    CHECK(status.do_this.starts_with("to see what the limit is spent on: shelfctl plan lib01"));
    CHECK(status.do_this.find("set a longer refresh_within for recipes") != std::string::npos);
}

TEST_CASE("a token that acts on another library publishes no detail of it, and says that no item is gone")
{
    const bool personal = GENERATE(true, false);
    auto options = detailed(30);
    options.detail->refresh_within = 1h;
    options.world.libraries = 2;
    options.configure = [personal](config::Library& library) {
        library.application.token_kind = personal ? config::TokenKind::personal : config::TokenKind::service_account;
    };
    LibraryBench bench(options);
    bench.pass_time(1min);
    const auto ids = bench.service_ids();
    const auto before = bench.mirror_rows("recipes_detail");
    REQUIRE(before.size() == 30);
    bench.world()->set("lib01").acts_on = 1;
    // Some of ours are none of theirs.
    for (const auto id : {ids[3], ids[4], ids[20]}) {
        bench.world()->edit("lib02", "library/recipes", {.remove = {id}});
    }
    bench.pass_time(2h);
    CHECK(bench.ids("recipes_detail").size() == 30);
    CHECK(bench.status("recipes_detail").state == control::State::wrong_library);
    CHECK(bench.mirror_rows("recipes_detail") == before);
}

TEST_CASE("while details are fetched, the status says how many are there, and afterwards, too")
{
    auto options = detailed(109);
    options.requests_per_minute = 60;
    LibraryBench bench(options);
    std::uint64_t seen = 0;
    for (int half_minute = 0; half_minute < 12; ++half_minute) {
        bench.pass_time(30s);
        const auto there = std::stoull(bench.query("SELECT count(*) FROM recipes_detail"));
        const auto status = bench.status("recipes_detail");
        INFO(half_minute << ": " << status.rows << " of " << there);
        // What was published within the last moments may not be counted yet.
        CHECK(status.rows <= there);
        CHECK(status.rows + 60 >= there);
        CHECK((there == 0 || status.rows > 0));
        seen += status.rows > 0 && status.rows < 109 ? 1U : 0U;
    }
    CHECK(seen > 0);
    CHECK(bench.status("recipes_detail").rows == 109);
}

TEST_CASE("details that are being fetched are counted as far as they are, and can be compared")
{
    auto options = detailed(300);
    options.requests_per_minute = 60;
    LibraryBench bench(options);
    for (int seconds = 0; seconds < 900 && bench.status("recipes_detail").rows == 0; ++seconds) {
        bench.pass_time(1s);
    }
    const auto status = bench.status("recipes_detail");
    REQUIRE(status.detail);
    REQUIRE(status.rows > 0);
    CHECK(status.detail->share == static_cast<double>(status.rows) / 300);
    CHECK(status.detail->pending == 300 - status.rows);
    CHECK(detail_rows(bench) == status.rows);
}
