#include "app/library_bench.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

BenchOptions small(std::size_t rows, std::uint32_t page_size = 20)
{
    BenchOptions options;
    options.world.rows = rows;
    options.page_size = page_size;
    return options;
}

sim::Fault list_fault()
{
    sim::Fault fault;
    fault.path = "/api/v2/library/";
    fault.times = std::nullopt;
    return fault;
}

struct Trouble {
    const char* name;
    sim::Fault fault;
    const char* told;  // a word of the reason that status gives
};

std::vector<Trouble> passing_troubles()
{
    auto time_out = list_fault();
    time_out.delay = 20min;
    auto server_error = list_fault();
    server_error.status = 500;
    server_error.acts = false;
    server_error.body = "<html>error</html>";
    auto html = list_fault();
    html.status = 200;
    html.body = "<!doctype html><p>maintenance";
    html.content_type = "text/html";
    auto cut = list_fault();
    cut.cut = sim::Cut::in_body;
    cut.cut_at = 100;
    auto broken = list_fault();
    broken.status = 200;
    broken.body = R"({"count":3,"next":null,"previous":null,"results":[{"id":1,)";
    broken.content_type = "application/json";
    return {{"time-outs", time_out, "time"},
            {"500s", server_error, "500"},
            {"HTML with 200", html, "maintenance"},
            {"cut pages", cut, "cut"},
            {"broken JSON", broken, "not readable"}};
}

}  // namespace

TEST_CASE("a mirror equals the service after its first pass, and an unchanged pass says so")
{
    LibraryBench bench(small(50));
    const auto first = bench.sync();
    REQUIRE(first.published);
    CHECK(first.proof.kind == sync::ProofKind::newest_first);
    CHECK(bench.ids() == bench.service_ids());
    const auto second = bench.sync();
    REQUIRE(second.published);
    CHECK(second.published->unchanged == 50);
    CHECK(second.published->changed == 0);
    CHECK(bench.status().state == control::State::fresh);
}

TEST_CASE("ten minutes of trouble leave the daemon up and the mirror as it was, say why, and pass without a person")
{
    for (const auto& trouble : passing_troubles()) {
        SECTION(trouble.name)
        {
            LibraryBench bench(small(50));
            REQUIRE(bench.sync().published);
            const auto before = bench.ids();
            const auto as_of = bench.status().as_of;
            bench.world()->edit("lib01", "library/recipes", {.add_seeded = 3});
            bench.world()->faults.add(trouble.fault);
            const auto began = bench.clock.now();
            bench.pass_time(26min);

            const auto during = bench.status();
            CHECK(bench.ids() == before);
            CHECK(during.as_of == as_of);
            REQUIRE((during.running || during.last_run));
            const auto told = during.running && !during.running->note.empty() ? during.running->note : during.why;
            CHECK(told.find(trouble.told) != std::string::npos);
            REQUIRE(during.next_due);
            CHECK(*during.next_due > began);

            bench.world()->faults.clear();
            bench.pass_time(40min);
            CHECK(bench.ids() == bench.service_ids());
            CHECK(bench.status().state == control::State::fresh);
            CHECK(bench.status().why.empty());
        }
    }
}

TEST_CASE("a set that expires in mid-pass is refreshed by one POST, and the pass goes on")
{
    LibraryBench bench(small(100));
    const auto posts = bench.world()->audit_report().token_posts;
    sim::Fault third_page = list_fault();
    third_page.skip = 2;
    third_page.times = 1;
    third_page.delay = 1s;
    bench.world()->faults.add(third_page);
    for (const auto& worker : bench.unit->tables().lists()) {
        worker->request_pass();
    }
    while (bench.status().running && bench.status().running->page < 3) {
        REQUIRE(bench.clock.advance_to_next());
    }
    bench.world()->expire_access("lib01");
    bench.pass_time(1min);
    CHECK(bench.ids() == bench.service_ids());
    CHECK(bench.world()->audit_report().token_posts == posts + 1);
    CHECK(bench.world()->audit_report().reuses_of_spent == 0);
}

TEST_CASE("a list that is refused is forbidden, keeps its rows and is tried again slowly")
{
    LibraryBench bench(small(50));
    REQUIRE(bench.sync().published);
    auto fault = list_fault();
    fault.status = 403;
    fault.body = R"({"detail":"You do not have permission to perform this action."})";
    fault.content_type = "application/json";
    bench.world()->faults.add(fault);
    CHECK(bench.sync().trouble == sync::Trouble::forbidden);
    CHECK(bench.status().state == control::State::forbidden);
    CHECK(bench.query("SELECT state FROM freshness WHERE resource = 'recipes'") == "forbidden");
    CHECK(bench.ids().size() == 50);
    CHECK(bench.world()->audit_report().token_posts == 1);
    bench.world()->faults.clear();
    bench.pass_time(31min);
    CHECK(bench.status().state == control::State::fresh);
}

TEST_CASE("a token that answers as another library stops publishing at once")
{
    LibraryBench bench(small(50));
    REQUIRE(bench.sync().published);
    bench.answer_as_another_library();
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 3});
    bench.pass_time(2min);
    CHECK(bench.sync().trouble == sync::Trouble::wrong_library);
    CHECK(bench.ids().size() == 50);
    CHECK(bench.query("SELECT state FROM freshness WHERE resource = 'recipes'") == "wrong_library");
}

TEST_CASE("a user who switches back is noticed within minutes, and then by every table at once")
{
    auto options = small(50);
    options.resources = {"recipes", "ingredients", "units"};
    options.every = 1min;
    LibraryBench bench(options);
    bench.pass_time(3min);
    const auto count = [&bench](const char* state) {
        return bench.query(std::string("SELECT count(*) FROM freshness WHERE state = '") + state + "'");
    };
    REQUIRE(count("fresh") == "3");
    bench.answer_as_another_library();
    bench.pass_time(5min);
    REQUIRE(count("wrong_library") == "3");
    CHECK(bench.status().do_this.find("switch") != std::string::npos);
    CHECK(bench.status().do_this.find("away") == std::string::npos);
    bench.world()->faults.clear();
    bench.pass_time(3min);
    CHECK(count("fresh") == "3");
}

TEST_CASE("once the token answers as another library, no table goes by an older answer")
{
    auto options = small(50);
    options.resources = {"recipes", "units"};
    options.every = 10s;
    LibraryBench bench(options);
    bench.pass_time(2min);
    const auto of_units = [&bench](const std::string& column) {
        return bench.query("SELECT " + column + " FROM freshness WHERE resource = 'units'");
    };
    const auto has_noticed = [&bench] {
        return bench.query("SELECT count(*) FROM freshness WHERE state = 'wrong_library'") != "0";
    };
    // The canary has just answered for a new row; recipes notices first, since its next new row needs another answer.
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 1});
    for (int second = 0; second < 60 && bench.ids().size() == 50; ++second) {
        bench.pass_time(1s);
    }
    REQUIRE(bench.ids().size() == 51);
    bench.answer_as_another_library();
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 1});
    for (int second = 0; second < 60 && !has_noticed(); ++second) {
        bench.pass_time(1s);
    }
    REQUIRE(has_noticed());
    const auto as_of = of_units("as_of");
    bench.pass_time(1min);
    CHECK(of_units("as_of") == as_of);
    CHECK(of_units("state") == "wrong_library");
    // A person's sync hears the new answer, too.
    bench.world()->faults.clear();
    CHECK(bench.sync().published);
    CHECK(bench.unit->keeper().status().state == oauth::TokenState::good);
}

TEST_CASE("since when a token answers as another library is still known after a restart")
{
    LibraryBench bench(small(50));
    REQUIRE(bench.sync().published);
    bench.answer_as_another_library();
    bench.pass_time(2min);
    REQUIRE(bench.sync().trouble == sync::Trouble::wrong_library);
    const auto since = bench.status().since;
    REQUIRE(since);
    bench.pass_time(10min);
    bench.stop();
    bench.pass_time(10min);
    bench.start();
    bench.pass_time(1min);
    CHECK(bench.status().state == control::State::wrong_library);
    CHECK(bench.status().since == since);
}

TEST_CASE("a mirror takes rows of one library only, whatever set is given after one was forgotten")
{
    LibraryBench bench(small(50));
    REQUIRE(bench.sync().published);
    const auto forget = [&bench] { REQUIRE(bench.clock.run(bench.unit->keeper().forget())); };
    forget();
    bench.answer_as_another_library();
    bench.import_set();
    bench.pass_time(2min);
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 3});
    const auto pass = bench.sync();
    CHECK(pass.trouble == sync::Trouble::wrong_library);
    CHECK(pass.why.find("this mirror contains rows of library") != std::string::npos);
    CHECK(pass.why.find("a new name") != std::string::npos);
    CHECK(bench.status().do_this.find("lib01.db away") != std::string::npos);
    CHECK(bench.ids().size() == 50);
    CHECK(bench.query("SELECT state FROM freshness WHERE resource = 'recipes'") == "wrong_library");

    forget();
    bench.world()->faults.clear();
    bench.import_set();
    bench.pass_time(2min);
    CHECK(bench.sync().published);
    CHECK(bench.ids().size() == 53);
}

TEST_CASE("a canary that is told to wait makes everything wait")
{
    LibraryBench bench(small(50));
    REQUIRE(bench.sync().published);
    bench.pass_time(2min);
    sim::Fault busy;
    busy.path = "/api/v2/accounts/libraries/current/";
    busy.times = 1;
    busy.status = 429;
    busy.headers = {{"Retry-After", "40"}};
    bench.world()->faults.add(busy);
    static_cast<void>(bench.clock.run(bench.unit->keeper().canary()));
    const auto paused = bench.unit->limiter().status().paused_until;
    REQUIRE(paused);
    CHECK(*paused > bench.clock.now() + 30s);
}

TEST_CASE("a restart goes on where it was, and spends no token")
{
    LibraryBench bench(small(50));
    REQUIRE(bench.sync().published);
    const auto posts = bench.world()->audit_report().token_posts;
    const auto before = bench.status().last_run;
    REQUIRE(before);
    bench.stop();
    bench.pass_time(1h);
    bench.start();
    const auto after = bench.status().last_run;
    REQUIRE(after);
    CHECK(after->run_id == before->run_id);
    CHECK(after->mode == before->mode);
    CHECK(after->proven == before->proven);
    CHECK(after->finished == before->finished);
    CHECK(after->pages == before->pages + 1);  // a mirror counts the second look at page 1, too
    CHECK(after->rows == before->rows);
    CHECK(after->requests == before->requests);
    bench.pass_time(5min);
    CHECK(bench.status().state == control::State::fresh);
    CHECK(bench.world()->audit_report().token_posts == posts);
}

TEST_CASE("after a restart the last pass is still known to have failed")
{
    LibraryBench bench(small(50));
    REQUIRE(bench.sync().published);
    auto broken = list_fault();
    broken.status = 500;
    bench.world()->faults.add(broken);
    CHECK_FALSE(bench.sync().published);
    const auto before = bench.status().last_run;
    bench.stop();
    bench.start();
    const auto after = bench.status().last_run;
    REQUIRE((before && after));
    CHECK(after->result == control::RunResult::failed);
    CHECK(after->run_id == before->run_id);
    CHECK(after->error == before->error);
    CHECK_FALSE(after->proven);
}

TEST_CASE("pages are fetched ahead only as far as there is room for their answers")
{
    const auto time_of_pass = [](std::uint64_t room) {
        auto options = small(200);
        options.configure = [](config::Library& library) { library.service.in_flight = 8; };
        LibraryBench bench(options);
        bench.stop();
        bench.parts->walk_memory = std::make_shared<sync::WalkMemory>(room, room);
        bench.start();
        auto slow = list_fault();
        slow.delay = 10s;
        bench.world()->faults.add(slow);
        const auto began = bench.clock.boot_now();
        REQUIRE(bench.sync().published);
        CHECK(bench.ids() == bench.service_ids());
        CHECK(bench.parts->walk_memory->answers.taken() == 0);
        CHECK(bench.parts->walk_memory->rows.taken() == 0);
        return bench.clock.boot_now() - began;
    };
    const auto together = time_of_pass(16U << 20U);
    const auto one_by_one = time_of_pass(0);
    // Of ten pages, the first is asked for alone, and the question that closes the walk comes after the last.
    CHECK(one_by_one >= 100s);
    CHECK(together <= one_by_one - 40s);
}

TEST_CASE("pages fetched ahead are as many as configured, none twice and none behind the end")
{
    const auto in_flight = GENERATE(1U, 2U, 8U);
    CAPTURE(in_flight);
    auto options = small(205);
    options.configure = [in_flight](config::Library& library) { library.service.in_flight = in_flight; };
    options.prepare = [](sim::World& world) {
        auto slow = list_fault();
        slow.delay = 10s;
        world.faults.add(slow);
    };
    LibraryBench bench(options);
    bench.pass_time(5min);
    REQUIRE(bench.ids() == bench.service_ids());
    const auto report = bench.world()->audit_report();
    CHECK(report.count("GET", "/api/v2/library/") == 11 + 1);  // and the question that closes the walk
    CHECK(report.peak_in_flight == in_flight);
}
