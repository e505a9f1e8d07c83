#include "app/library_bench.hpp"
#include "app/operations/mirror_operations.hpp"

#include "runtime/async/async_event.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <set>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr const char* list = "library/recipes";

// A list of 50 rows in three pages, mirrored once.
struct DeletionBench : LibraryBench {
    AsyncEvent changed;

    explicit DeletionBench(std::size_t rows = 50) : LibraryBench(options(rows)) { REQUIRE(publish().rows == rows); }
    explicit DeletionBench(BenchOptions given) : LibraryBench(std::move(given)) {}

    static BenchOptions options(std::size_t rows)
    {
        BenchOptions options;
        options.world.rows = rows;
        options.page_size = 20;
        return options;
    }

    // So that the pages of a walk are kept for one that goes on with it.
    static BenchOptions limited(std::size_t rows)
    {
        auto limited = options(rows);
        limited.requests_per_minute = 100;
        return limited;
    }

    mirror::PublishOutcome publish()
    {
        const auto report = sync();
        REQUIRE(report.published);
        REQUIRE(report.proof.complete());
        return *report.published;
    }

    std::vector<std::int64_t> some_ids(std::size_t first, std::size_t count)
    {
        const auto all = service_ids();
        return {all.begin() + static_cast<std::ptrdiff_t>(first),
                all.begin() + static_cast<std::ptrdiff_t>(first + count)};
    }

    void remove(const std::vector<std::int64_t>& ids) { world()->edit("lib01", list, {.remove = ids}); }
    void hide(const std::vector<std::int64_t>& ids)
    {
        world()->quirks(list).hides = std::set<std::int64_t>(ids.begin(), ids.end());
    }

    // Requests for single rows are answered so, not by the service.
    void answer_items(int status, const std::string& body)
    {
        for (const auto id : ids()) {
            sim::Fault fault;
            fault.path = fmt::format("/api/v2/{}/{}/", list, id);
            fault.times = std::nullopt;
            fault.acts = false;
            fault.status = status;
            fault.body = body;
            fault.content_type = body.starts_with("{") ? "application/json" : "text/html";
            world()->faults.add(fault);
        }
    }

    std::uint64_t requests() { return world()->audit_report().total; }

    // Begins a pass whose answer after so many is slow, and returns while it asks for the missing rows.
    void pass_until_witnesses(unsigned answers)
    {
        sim::Fault slow;
        slow.path = fmt::format("/api/v2/{}/", list);
        slow.skip = answers;
        slow.times = 1;
        slow.delay = std::chrono::seconds(1);
        world()->faults.add(slow);
        for (const auto& worker : unit->tables().lists()) {
            worker->request_pass();
        }
        while (!status().running || status().running->phase != Phase::witnesses) {
            REQUIRE(clock.advance_to_next());
        }
    }

    control::DecideReport decide(control::Fate fate, std::vector<std::string> keys = {})
    {
        control::DecideRequest request{"lib01", "recipes", std::move(keys), fate, "jan"};
        auto outcome = clock.run(app::decide(*unit, changed, std::move(request)));
        REQUIRE(outcome);
        return *outcome;
    }
};

}  // namespace

TEST_CASE("a row goes with the first pass that lacks it, because the service denies it by name")
{
    DeletionBench bench;
    bench.remove(bench.some_ids(10, 3));
    const auto outcome = bench.publish();
    CHECK(outcome.deleted == 3);
    CHECK(outcome.candidates == 0);
    CHECK(bench.ids() == bench.service_ids());
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "3");
}

TEST_CASE("a row goes after a second pass has missed it, too, where its address tells nothing")
{
    struct Row {
        const char* name;
        int status;
        const char* body;
    };
    for (const auto& row : {Row{"a path that is none", 404, "<h1>Not Found</h1>"}, Row{"a failure", 500, "<h1>"},
                            Row{"a refusal", 403, R"({"detail":"no"})"}, Row{"a login page", 200, "<html>"}}) {
        INFO(row.name);
        DeletionBench bench;
        bench.answer_items(row.status, row.body);
        bench.remove(bench.some_ids(10, 1));
        const auto first = bench.publish();
        CHECK(first.deleted == 0);
        CHECK(first.candidates == 1);
        CHECK(bench.publish().deleted == 1);
        CHECK(bench.ids() == bench.service_ids());
    }
}

TEST_CASE(
    "behind a proxy where rows name the service without TLS, hidden rows are held, and deleted ones go in two passes")
{
    auto options = DeletionBench::options(50);
    options.base_url = "https://service.test";
    DeletionBench bench(options);
    REQUIRE(bench.publish().rows == 50);
    REQUIRE(bench.query("SELECT url FROM recipes LIMIT 1").starts_with("http://service.test/"));
    const auto before = bench.mirror_rows();
    SECTION("hidden")
    {
        bench.hide(bench.some_ids(5, 20));
        CHECK(bench.publish().held == 20);
        for (int pass = 0; pass < 3; ++pass) {
            CHECK(bench.publish().deleted == 0);
        }
        CHECK(bench.mirror_rows() == before);
    }
    SECTION("deleted")
    {
        bench.remove(bench.some_ids(5, 3));
        const auto first = bench.publish();
        CHECK(first.deleted == 0);
        CHECK(first.candidates == 3);
        CHECK(bench.publish().deleted == 3);
    }
    CHECK(bench.client.strangers == 0);
}

TEST_CASE("a permission that shrinks deletes nothing: the rows it hides are held, told and left to a person")
{
    DeletionBench bench;
    const auto hidden = bench.some_ids(5, 7);
    const auto before = bench.mirror_rows();
    bench.hide(hidden);
    const auto outcome = bench.publish();
    CHECK(outcome.deleted == 0);
    CHECK(outcome.held == 7);
    CHECK(bench.mirror_rows() == before);
    CHECK(bench.status().state == control::State::held);
    CHECK(bench.status().do_this == "to list them: shelfctl held lib01 recipes; then repeat it with --keep if they "
                                    "exist, --accept if they were deleted");
    const auto since = bench.status().since;
    REQUIRE(since);
    CHECK(since->to_text() == bench.query("SELECT min(since) FROM _held"));
    control::Status status;
    status.libraries.push_back(app::report_library(*bench.unit, bench.clock.now()));
    CHECK(number_of(control::exit_code(status)) == 2);
    CHECK(bench.query("SELECT state || ' ' || held FROM freshness") == "held 7");
    CHECK(bench.query("SELECT why FROM freshness").find("shelfctl held lib01 recipes") != std::string::npos);

    SECTION("however many passes go by")
    {
        for (int pass = 0; pass < 3; ++pass) {
            CHECK(bench.publish().deleted == 0);
        }
        CHECK(bench.mirror_rows() == before);
        CHECK(bench.status().since == since);
    }
    SECTION("and it is over when the permission is back")
    {
        bench.hide({});
        // When they came back the first walk cannot know: it proves nothing.
        const auto first = bench.sync();
        REQUIRE(first.published);
        CHECK_FALSE(first.proof.complete());
        CHECK(first.published->held == 0);
        CHECK(bench.publish().held == 0);
        CHECK(bench.status().state == control::State::fresh);
        CHECK(bench.status().do_this.empty());
        CHECK_FALSE(bench.status().since);
    }
    SECTION("accepted, they go at once")
    {
        CHECK(bench.decide(control::Fate::accept).rows == 7);
        CHECK(bench.query("SELECT mode || ' ' || deleted FROM _runs WHERE asked_by = 'jan'") == "accept 7");
        CHECK(bench.ids().size() == 43);
        CHECK(bench.status().state == control::State::fresh);
        CHECK(bench.status().rows == 43);
        CHECK(bench.publish().unchanged == 43);
    }
    SECTION("kept, they stay until they are deleted, and no person is asked again")
    {
        CHECK(bench.decide(control::Fate::keep).rows == 7);
        CHECK(bench.status().state == control::State::fresh);
        const auto requests = bench.requests();
        CHECK(bench.publish().held == 0);
        CHECK(bench.mirror_rows() == before);
        CHECK(bench.requests() - requests <= 6 + 7);
        bench.remove({hidden[2]});
        CHECK(bench.publish().deleted == 1);
        CHECK(bench.ids().size() == 49);
        CHECK(bench.query("SELECT why FROM freshness").find("6 rows missing from the list, kept as a person decided") ==
              0);
        CHECK(bench.status().why.empty());  // a decision is no trouble
    }
    SECTION("asked for again with each pass, at the price of one request, they go when they were deleted after all")
    {
        const auto requests = bench.requests();
        CHECK(bench.publish().held == 7);
        CHECK(bench.requests() - requests <= 6 + 1);
        bench.hide({});
        bench.remove({hidden.begin() + 1, hidden.end()});
        const auto first = bench.sync();
        CHECK_FALSE(first.proof.complete());  // one of them came back
        CHECK(first.published->deleted == 0);
        CHECK(bench.publish().held == 0);  // the walk that follows a walk which proved nothing has been
        CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "6");
        CHECK(bench.ids() == bench.service_ids());
        CHECK(bench.status().state == control::State::fresh);
    }
    SECTION("a row that is deleted later is no hidden one")
    {
        bench.remove(bench.some_ids(20, 1));
        const auto later = bench.publish();
        CHECK(later.deleted == 1);
        CHECK(later.held == 7);
    }
}

TEST_CASE("a decision waits for a pass that is under way, and holds after it")
{
    DeletionBench bench;
    bench.hide(bench.some_ids(5, 4));
    CHECK(bench.publish().held == 4);
    sim::Fault slow;
    slow.path = "/api/v2/library/";
    slow.times = 1;
    slow.delay = 30s;
    bench.world()->faults.add(slow);
    for (const auto& worker : bench.unit->tables().lists()) {
        worker->request_pass();
    }
    while (!bench.status().running) {
        REQUIRE(bench.clock.advance_to_next());
    }
    bench.parts->changed = [&bench] { bench.changed.notify_all(); };
    CHECK(bench.decide(control::Fate::accept).rows == 4);
    CHECK_FALSE(bench.status().running);
    CHECK(bench.ids().size() == 46);
    bench.parts->changed = [] {};
}

TEST_CASE("a list that halves is believed when a second proven pass says the same, and not before")
{
    DeletionBench bench(100);
    bench.answer_items(500, "<h1>");
    const auto before = bench.mirror_rows();
    const auto half = bench.some_ids(20, 50);
    bench.hide(half);
    const auto first = bench.publish();
    CHECK(first.deleted == 0);
    CHECK(first.candidates == 50);
    CHECK(bench.mirror_rows() == before);
    SECTION("a glitch")
    {
        bench.hide({});
        // Rows that come back in the middle may do so while others are passed over.
        const auto back = bench.sync();
        CHECK_FALSE(back.proof.complete());
        CHECK(back.published->candidates == 0);
        CHECK(bench.mirror_rows() == before);
        CHECK(bench.publish().candidates == 0);
        CHECK(bench.mirror_rows() == before);
    }
    SECTION("the truth")
    {
        CHECK(bench.publish().deleted == 50);
    }
}

TEST_CASE("even rows that the service denies wait for the next pass where very many go at once")
{
    DeletionBench bench(100);
    bench.remove(bench.some_ids(20, 50));
    const auto requests = bench.requests();
    const auto first = bench.publish();
    CHECK(first.deleted == 0);
    CHECK(first.candidates == 50);
    CHECK(bench.requests() - requests <= 50 + 8);
    CHECK(bench.publish().deleted == 50);
    CHECK(bench.ids() == bench.service_ids());
}

TEST_CASE("a list that shows a public subset to a refused token deletes nothing, for the canary does not answer as us")
{
    DeletionBench bench;
    const auto before = bench.mirror_rows();
    sim::Fault open;
    open.path = fmt::format("/api/v2/{}/", list);
    open.times = std::nullopt;
    open.acts = false;
    open.status = 200;
    open.body = R"({"count":1,"next":null,"previous":null,"results":[{"id":1,"name":"public"}]})";
    open.content_type = "application/json";
    SECTION("the set was revoked before the pass")
    {
        bench.world()->revoke_set("lib01");
        bench.world()->faults.add(open);
    }
    SECTION("it was revoked within the pass, after the canary was asked")
    {
        open.skip = 1;
        bench.world()->faults.add(open);
        bench.client.answered = [&bench] {
            bench.world()->revoke_set("lib01");
            bench.client.answered = [] {};  // last: this function goes with it
        };
    }
    for (int pass = 0; pass < 3; ++pass) {
        bench.pass_time(2min);
        CHECK_FALSE(bench.sync().published);
    }
    CHECK(bench.mirror_rows() == before);
    CHECK(bench.query("SELECT count(*) FROM _changes") == "0");
}

TEST_CASE("without identity a list that refuses wrong tokens is the canary, and a public subset deletes nothing")
{
    BenchOptions options;
    options.world.rows = 60;
    options.every = 24h;
    options.has_identity = false;
    options.resources = {"ingredients", "recipes"};
    LibraryBench bench(options);
    REQUIRE(bench.sync("recipes").published);
    CHECK(bench.query("SELECT group_concat(resource || ' ' || canary) FROM _resources") == "ingredients fit");
    const auto before = bench.mirror_rows();
    const auto asked = bench.world()->audit_report().count("GET", "/api/v2/library/ingredients/");
    REQUIRE(bench.sync("recipes").published);
    CHECK(bench.world()->audit_report().count("GET", "/api/v2/library/ingredients/") == asked);  // a minute old at most
    sim::Fault open;
    open.path = fmt::format("/api/v2/{}/", list);
    open.times = 1;
    open.acts = false;
    open.status = 200;
    open.body = R"({"count":1,"next":null,"previous":null,"results":[{"id":1,"name":"public"}]})";
    open.content_type = "application/json";
    bench.world()->faults.add(open);
    SECTION("revoked for good")
    {
        bench.world()->revoke_set("lib01");
        CHECK_FALSE(bench.sync("recipes").published);
    }
    SECTION("the access token alone is dead, and what it was shown is asked for again with the next one")
    {
        bench.world()->expire_access("lib01");
        CHECK_FALSE(bench.sync("recipes").published);
        CHECK(bench.sync("recipes").published);
    }
    CHECK(bench.mirror_rows() == before);
    CHECK(bench.query("SELECT count(*) FROM _changes") == "0");
}

TEST_CASE("a list that refuses whatever token it gets is no canary, and costs no refresh")
{
    BenchOptions options;
    options.world.rows = 60;
    options.every = 24h;
    options.has_identity = false;
    options.resources = {"ingredients", "recipes"};
    LibraryBench bench(options);
    bench.stop();
    {
        auto mirror =
            storage::Database::open(bench.files / "mirrors/lib01/lib01.db", storage::OpenMode::read_write_create);
        REQUIRE(mirror);
        REQUIRE(mirror->execute("UPDATE _resources SET canary = NULL, canary_tried_at = NULL"));
    }
    sim::Fault shut;
    shut.path = "/api/v2/library/ingredients/";
    shut.times = std::nullopt;
    shut.acts = false;
    shut.status = 401;
    shut.body = R"({"detail":"no"})";
    shut.content_type = "application/json";
    bench.world()->faults.add(shut);
    bench.start();
    const auto posts = bench.world()->audit_report().token_posts;
    REQUIRE(bench.sync("recipes").published);
    CHECK(
        bench.query(
            "SELECT group_concat(resource || ' ' || canary, ', ') FROM (SELECT * FROM _resources ORDER BY resource)") ==
        "ingredients unfit, recipes fit");
    CHECK(bench.world()->audit_report().token_posts == posts);
}

TEST_CASE("a set that expires while missing rows are asked for is refreshed, and the pass goes on")
{
    DeletionBench bench;
    bench.remove(bench.some_ids(10, 4));
    const auto posts = bench.world()->audit_report().token_posts;
    bench.pass_until_witnesses(5);  // three pages, the closing one, the first of the missing rows
    bench.world()->expire_access("lib01");
    bench.pass_time(1min);
    CHECK(bench.ids() == bench.service_ids());
    CHECK(bench.world()->audit_report().token_posts == posts + 1);
}

TEST_CASE("rows that lack behind a token that was replaced are looked for in new pages, not in those that had come")
{
    DeletionBench bench(DeletionBench::limited(140));
    REQUIRE(bench.publish().rows == 140);
    bench.pass_time(1min);
    const auto gone = bench.some_ids(10, 4);
    bench.remove(gone);
    bench.pass_until_witnesses(9);  // seven pages, the closing one, the first of the missing rows
    bench.world()->expire_access("lib01");
    bench.pass_time(5min);
    CHECK(bench.ids() == bench.service_ids());
    CHECK(bench.query("SELECT count(*) FROM _runs WHERE error LIKE 'rows are missing from a list whose token%'") ==
          "1");
}
