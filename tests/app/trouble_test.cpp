#include "app/library_bench.hpp"

#include "app/host/exit_code.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <sys/resource.h>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

BenchOptions small()
{
    BenchOptions options;
    options.world.rows = 50;
    options.page_size = 20;
    return options;
}

sim::Fault refusal()
{
    sim::Fault fault;
    fault.path = "/api/v2/library/";
    fault.times = std::nullopt;
    fault.status = 403;
    fault.body = R"({"detail":"You do not have permission to perform this action."})";
    fault.content_type = "application/json";
    return fault;
}

std::size_t count_lines(const LibraryBench& bench, const std::string& part)
{
    const auto& lines = bench.log_lines;
    return static_cast<std::size_t>(std::count_if(
        lines.begin(), lines.end(), [&](const auto& line) { return line.find(part) != std::string::npos; }));
}

std::string state_by_sql(const LibraryBench& bench)
{
    return bench.query("SELECT state FROM freshness WHERE resource = 'recipes'");
}

// For ever, by what it says for so many seconds each time.
void close_recipes(LibraryBench& bench, const char* seconds)
{
    sim::Fault closed;
    closed.path = "/api/v2/library/recipes/";
    closed.times = std::nullopt;
    closed.acts = false;
    closed.status = 503;
    closed.headers = {{"Retry-After", seconds}};
    bench.world()->faults.add(closed);
}

// From now on the service answers so, whatever is asked for below `path`.
sim::Fault lasting(const std::string& path, int status)
{
    sim::Fault fault;
    fault.path = path;
    fault.times = std::nullopt;
    fault.acts = false;
    fault.status = status;
    return fault;
}

void pass_time_until_failed(LibraryBench& bench)
{
    const auto failed = bench.status().passes_failed;
    for (int minutes = 0; minutes < 40 && bench.status().passes_failed == failed; ++minutes) {
        bench.pass_time(1min);
    }
    REQUIRE(bench.status().passes_failed > failed);
}

}  // namespace

TEST_CASE("a list whose scope the set lacks is forbidden without a request, and status names the scope to ask for")
{
    auto options = small();
    options.needs = "payroll";
    LibraryBench bench(options);
    // A pasted set may not say what it covers; its first refresh does.
    bench.pass_time(1min);
    const auto runs = bench.query("SELECT count(*) FROM _runs");
    const auto report = bench.sync();
    CHECK(report.trouble == sync::Trouble::forbidden);
    CHECK(report.requests() == 0);
    CHECK(report.why.find("payroll") != std::string::npos);
    const auto status = bench.status();
    CHECK(status.state == control::State::forbidden);
    CHECK(status.do_this.find("scope payroll") != std::string::npos);
    CHECK(state_by_sql(bench) == "forbidden");
    CHECK(bench.query("SELECT count(*) FROM _runs") == runs);
}

TEST_CASE("a list whose scope the set has is asked for")
{
    auto options = small();
    options.needs = "library";
    LibraryBench bench(options);
    CHECK(bench.sync().published);
}

TEST_CASE("a restart tries at once what was refused before, for that is what a person does after a repair")
{
    LibraryBench bench(small());
    REQUIRE(bench.sync().published);
    bench.world()->faults.add(refusal());
    REQUIRE(bench.sync().trouble == sync::Trouble::forbidden);
    bench.stop();
    bench.world()->faults.clear();
    bench.start();
    bench.pass_time(10s);
    CHECK(bench.status().state == control::State::fresh);
    CHECK(state_by_sql(bench) == "fresh");
}

TEST_CASE("a refused list with a rare schedule is tried again within the hour")
{
    auto options = small();
    options.every = 24h;
    LibraryBench bench(options);
    bench.world()->faults.add(refusal());
    REQUIRE(bench.sync().trouble == sync::Trouble::forbidden);
    bench.world()->faults.clear();
    bench.pass_time(61min);
    CHECK(bench.status().state == control::State::fresh);
}

TEST_CASE("an identity that the service does not know, or does not show, is told as that, with the key to correct")
{
    LibraryBench bench(small());
    REQUIRE(bench.sync().published);
    sim::Fault fault;
    fault.path = "/api/v2/accounts/libraries/current/";
    fault.times = std::nullopt;
    fault.acts = false;
    fault.body = R"({"detail":"no"})";
    SECTION("not there")
    {
        fault.status = 404;
        bench.world()->faults.add(fault);
        bench.pass_time(20min);
        CHECK(bench.status().state == control::State::needs_person);
        CHECK(bench.status().why.find("accounts/libraries/current/: check identity.path") != std::string::npos);
        CHECK(bench.status().do_this == "correct identity of the service, then: shelfctl reload");
    }
    SECTION("a scope is missing")
    {
        fault.status = 403;
        bench.world()->faults.add(fault);
        bench.pass_time(20min);
        CHECK(bench.status().state == control::State::forbidden);
        CHECK(bench.status().why.find("accounts/libraries/current/: the token may not request this page") !=
              std::string::npos);
    }
    bench.world()->faults.clear();
    bench.pass_time(61min);
    CHECK(bench.status().state == control::State::fresh);
    CHECK(bench.world()->audit_report().token_posts == 1);
}

TEST_CASE("a list that was read before needs a person only if the service denies it for some minutes")
{
    const std::string path = GENERATE("/api/v2/library/recipes/", "/api/v2/accounts/libraries/current/");
    const int status = GENERATE(404, 302, 400);
    INFO(path << ", " << status);
    auto options = small();
    options.every = 30min;
    LibraryBench bench(options);
    REQUIRE(bench.sync().published);
    auto fault = lasting(path, status);
    fault.body = "<h1>This site is being updated</h1>";
    bench.world()->faults.add(fault);
    pass_time_until_failed(bench);
    CHECK(bench.status().state == control::State::fresh);
    CHECK(bench.status().why.find(std::to_string(status)) != std::string::npos);
    SECTION("it passes")
    {
        bench.world()->faults.clear();
        bench.pass_time(2min);
        CHECK(bench.status().state == control::State::fresh);
        CHECK(bench.status().why.empty());
    }
    SECTION("it stays")
    {
        bench.pass_time(10min);
        CHECK(bench.status().state == control::State::needs_person);
        CHECK(bench.status().why.find(std::to_string(status)) != std::string::npos);
        bench.pass_time(2h);
        CHECK(bench.status().state == control::State::needs_person);
    }
    SECTION("a person asks")
    {
        CHECK_FALSE(bench.sync().published);
        CHECK(bench.status().state == control::State::needs_person);
    }
}

TEST_CASE("a list that refuses a token which works is forbidden only if it does so for some minutes")
{
    auto options = small();
    options.every = 30min;
    LibraryBench bench(options);
    REQUIRE(bench.sync().published);
    bench.world()->faults.add(lasting("/api/v2/library/recipes/", 401));
    pass_time_until_failed(bench);
    CHECK(bench.status().state == control::State::fresh);
    CHECK(bench.status().why.find("for this resource only") != std::string::npos);
    CHECK(bench.status().do_this.empty());
    SECTION("it passes")
    {
        bench.world()->faults.clear();
        bench.pass_time(2min);
        CHECK(bench.status().state == control::State::fresh);
        CHECK(bench.status().why.empty());
    }
    SECTION("it stays")
    {
        bench.pass_time(10min);
        CHECK(bench.status().state == control::State::forbidden);
        CHECK_FALSE(bench.status().do_this.empty());
    }
    CHECK(bench.world()->audit_report().token_posts == 1);  // the import was sealed
}

TEST_CASE("the canary is asked as every other request is, with the parameters of the service")
{
    auto options = small();
    const bool has_identity = GENERATE(true, false);
    options.has_identity = has_identity;
    options.configure = [](config::Library& library) { library.service.params = {{"tenant", "7"}}; };
    LibraryBench bench(options);
    bench.pass_time(1h);
    const auto wanted =
        has_identity ? "/api/v2/accounts/libraries/current/?tenant=7" : "/api/v2/library/recipes/?page_size=1&tenant=7";
    const auto& asked = bench.client.asked;
    CHECK(std::find(asked.begin(), asked.end(), wanted) != asked.end());
    CHECK(bench.status().state == control::State::fresh);
}

TEST_CASE("a table whose full passes prove nothing says since when it is late and what tells why")
{
    auto options = small();
    // The view asks SQLite for the time: what is told at the end must not be long ago.
    options.begin = SystemClock().now() - 12h;
    options.incremental =
        config::Incremental{"modified_date__gt", "modified_date", config::Incremental::Format::datetime, 5min};
    options.full_every = 1h;
    LibraryBench bench(options);
    bench.pass_time(1min);
    REQUIRE(bench.sync().kind == sync::PassKind::incremental);
    bench.world()->quirks("library/recipes").count_offset = 7;
    bench.pass_time(12h);
    REQUIRE(bench.sync().published);
    const auto status = bench.status();
    INFO(status.why);
    CHECK(status.state == control::State::late);
    CHECK(status.why.find("prove") != std::string::npos);
    REQUIRE(status.since);
    REQUIRE(status.proven_as_of);
    CHECK(*status.since - *status.proven_as_of <= 3h);
    CHECK(*status.since - *status.proven_as_of > 3h - 1s);
    CHECK(status.do_this == "to see what the last passes found: shelfctl explain lib01 recipes; to try to prove it "
                            "now: shelfctl sync lib01 recipes --full");
}

TEST_CASE("a new table whose address answers with a page for people asks for the right address, and is filled then")
{
    auto options = small();
    options.prepare = [](sim::World& world) {
        sim::Fault front;
        front.path = "/api/v2/library/recipes/";
        front.times = std::nullopt;
        front.acts = false;
        front.status = 200;
        front.body = "<!doctype html><title>Kitchen</title>";
        front.content_type = "text/html";
        world.faults.add(front);
    };
    LibraryBench bench(options);
    bench.pass_time(15s);
    CHECK(bench.status().state == control::State::filling);
    bench.pass_time(5min);
    CHECK(bench.status().state == control::State::needs_person);
    CHECK(bench.status().why.find("not JSON") != std::string::npos);
    CHECK(bench.status().why.find("check `path`") != std::string::npos);
    CHECK(bench.status().do_this == "correct [resource.recipes], then: shelfctl reload");
    bench.world()->faults.clear();
    bench.pass_time(1h);
    CHECK(bench.status().state == control::State::fresh);
}

TEST_CASE("a list whose answers have another form than before is not sent to the configuration, but to what accepts it")
{
    LibraryBench bench(small());
    bench.pass_time(1min);
    REQUIRE(bench.status().state == control::State::fresh);
    bench.world()->quirks("library/recipes").envelope = sim::Envelope::array;
    bench.pass_time(1h);
    CHECK(bench.status().why.find("has another form") != std::string::npos);
    CHECK(bench.status().why.find("for good") == std::string::npos);  // said once, as what to do
    CHECK(bench.status().do_this ==
          "ask the operator of the service whether the answers of this list changed for good; "
          "if so: shelfctl sync lib01 recipes --full");
}

TEST_CASE("a list that was read and has its rows elsewhere now is a question to the service before it is a correction")
{
    auto options = small();
    options.configure = [](config::Library& library) { library.service.contact = "support@service.test"; };
    LibraryBench bench(options);
    bench.pass_time(1min);
    REQUIRE(bench.status().state == control::State::fresh);
    sim::Fault moved;
    moved.path = "/api/v2/library/recipes/";
    moved.times = std::nullopt;
    moved.acts = false;
    moved.status = 200;
    moved.content_type = "application/json";
    moved.body = R"({"items":[],"total":5})";
    bench.world()->faults.add(moved);
    bench.pass_time(1h);
    INFO(bench.status().why);
    CHECK(bench.status().state == control::State::needs_person);
    CHECK(bench.status().why.find("rows are read from \"results\" only") != std::string::npos);
    CHECK(bench.status().do_this ==
          "ask support@service.test whether the answers of this list changed for good, and tell them that shelfd reads "
          "rows from \"results\" only; if its rows are at another address now, correct `path` in [resource.recipes], "
          "then: shelfctl reload");
    // What would make the whole list one row is no cure of a list that was read.
    CHECK(bench.status().why.find("answers = \"object\"") == std::string::npos);
}

TEST_CASE("a list that was read and whose items lose their key is a question to the service, which names the member")
{
    auto options = small();
    options.configure = [](config::Library& library) { library.service.contact = "support@service.test"; };
    LibraryBench bench(options);
    bench.pass_time(1min);
    REQUIRE(bench.status().state == control::State::fresh);
    sim::Fault renamed;
    renamed.path = "/api/v2/library/recipes/";
    renamed.times = std::nullopt;
    renamed.acts = false;
    renamed.status = 200;
    renamed.content_type = "application/json";
    renamed.body = R"({"count":1,"next":null,"previous":null,"results":[{"uuid":"a"}]})";
    bench.world()->faults.add(renamed);
    bench.pass_time(1h);
    INFO(bench.status().why);
    CHECK(bench.status().state == control::State::needs_person);
    CHECK(bench.status().do_this ==
          "ask support@service.test whether the key of this list changed for good; if so: shelfctl probe lib01 "
          "/api/v2/library/recipes/ shows its members; correct `key` in [resource.recipes], then: shelfctl reload");
}

TEST_CASE("from the moment at which a set arrives no table asks a person for anything")
{
    LibraryBench bench(small());
    bench.pass_time(1min);
    bench.world()->faults.add(lasting("/api/v2/library/recipes/", 404));
    bench.pass_time(3h);
    REQUIRE(bench.status().state == control::State::needs_person);
    bench.unit->token_set_changed();
    // No pass has begun yet.
    const auto status = bench.status();
    CHECK(status.state != control::State::needs_person);
    CHECK(status.trouble == sync::Trouble::none);
    CHECK(status.do_this.find("correct") == std::string::npos);
    bench.pass_time(3h);
    CHECK(bench.status().state == control::State::needs_person);
}

TEST_CASE("what a service answers instead of JSON stays in the reason, hours later and after a restart")
{
    struct Row {
        int status;
        const char* why;
    };
    for (const auto& row :
         {Row{200, "the service answered 200 with something that is not JSON: \"<title>Maintenance</title>\""},
          Row{503, "the service answered 503"}}) {
        INFO(row.why);
        LibraryBench bench(small());
        bench.pass_time(5min);
        auto everywhere = lasting("/api/", row.status);
        everywhere.body = "<title>Maintenance</title>";
        bench.world()->faults.add(everywhere);
        const auto says_it = [&] { return bench.status().why.find(row.why) != std::string::npos; };
        for (const auto time : {16min, 30min, 180min}) {
            bench.pass_time(time);
            INFO(bench.status().why);
            CHECK(says_it());
        }
        bench.stop();
        bench.start();
        bench.pass_time(20min);
        INFO(bench.status().why);
        CHECK(says_it());
    }
}

TEST_CASE("a list that is closed for hours keeps no other one waiting, and is asked for when it opens")
{
    auto options = small();
    options.resources = {"recipes", "ingredients"};
    LibraryBench bench(options);
    bench.pass_time(5min);
    close_recipes(bench, "7200");
    const auto before = bench.world()->audit_report().count("GET", "/api/v2/library/recipes/");
    bench.pass_time(100min);
    CHECK(bench.world()->audit_report().count("GET", "/api/v2/library/recipes/") == before + 1);
    CHECK(bench.status("recipes").state == control::State::late);
    CHECK(bench.status("recipes").why.find("503") != std::string::npos);
    CHECK(bench.status("ingredients").state == control::State::fresh);
    bench.world()->faults.clear();
    bench.pass_time(40min);
    CHECK(bench.status("recipes").state == control::State::fresh);
}

TEST_CASE("a list that is closed for a minute again and again takes no minute from the others")
{
    auto options = small();
    options.resources = {"recipes", "ingredients"};
    options.every = 1min;
    LibraryBench bench(options);
    bench.pass_time(5min);
    close_recipes(bench, "60");
    bench.pass_time(2min);
    const auto before = bench.world()->audit_report().count("GET", "/api/v2/library/ingredients/");
    bench.pass_time(20min);
    CHECK(bench.world()->audit_report().count("GET", "/api/v2/library/ingredients/") >= before + 17);
    CHECK(bench.status("ingredients").state == control::State::fresh);
    bench.world()->faults.clear();
    bench.pass_time(10min);
    CHECK(bench.status("recipes").state == control::State::fresh);
}

TEST_CASE("a proof that is too old makes a table late at once, and not with the next pass")
{
    auto options = small();
    options.every = 6h;
    LibraryBench bench(options);
    bench.pass_time(1min);
    bench.world()->quirks("library/recipes").count_offset = 7;
    const auto& summary = bench.unit->tables().lists().front()->report().summary;
    REQUIRE(summary.proven_late_at);
    while (bench.clock.now() < *summary.proven_late_at + 6h) {
        bench.pass_time(30min);
        CHECK((bench.status().state == control::State::late) == (bench.clock.now() > *summary.proven_late_at));
    }
}

TEST_CASE("a table that is late for trouble that passes asks nobody to do anything")
{
    LibraryBench bench(small());
    REQUIRE(bench.sync().published);
    auto fault = refusal();
    fault.status = 502;
    bench.world()->faults.add(fault);
    bench.pass_time(3h);
    const auto status = bench.status();
    CHECK(status.state == control::State::late);
    CHECK(status.why.find("502") != std::string::npos);
    CHECK(status.since);
    CHECK(status.do_this.empty());
}

TEST_CASE("the log has a trouble once, not once for each try")
{
    LibraryBench bench(small());
    bench.log_lines.clear();  // of the time before there was a set
    bench.world()->faults.add(refusal());
    bench.pass_time(3h);
    CHECK(bench.status().passes_failed > 4);
    CHECK(count_lines(bench, "not synced") == 1);
    bench.world()->faults.clear();
    bench.pass_time(20min);
    bench.world()->faults.add(refusal());
    bench.pass_time(1h);
    CHECK(count_lines(bench, "not synced") == 2);
}

TEST_CASE("a token set that is missing is one line for the library, not one for each resource")
{
    auto options = small();
    options.resources = {"recipes", "ingredients"};
    LibraryBench bench(options);
    REQUIRE(bench.clock.run(bench.unit->keeper().forget()));
    bench.log_lines.clear();
    bench.pass_time(2h);
    CHECK(bench.status("recipes").passes_failed > 1);
    CHECK(bench.status("ingredients").passes_failed > 1);
    CHECK(count_lines(bench, "not synced") == 1);
}

TEST_CASE("a set that dies is shown at once by every table, however far its next pass is")
{
    BenchOptions options;
    options.resources = {"recipes", "ingredients"};
    options.every = 24h;
    LibraryBench bench(options);
    bench.pass_time(10min);
    const auto state = [&bench](const char* table) {
        return bench.query(std::string("SELECT state FROM freshness WHERE resource = '") + table + "'");
    };
    REQUIRE(state("recipes") == "fresh");
    REQUIRE(state("ingredients") == "fresh");
    bench.world()->revoke_set("lib01");
    REQUIRE_FALSE(bench.sync("recipes").published);
    bench.pass_time(1min);
    REQUIRE(bench.unit->keeper().status().needs_person);
    CHECK(state("recipes") == "needs_person");
    CHECK(state("ingredients") == "needs_person");
}

TEST_CASE("the last pass before a restart is still known when a state is stored without one")
{
    BenchOptions options;
    options.resources = {"recipes", "ingredients"};
    options.every = 24h;
    LibraryBench bench(options);
    bench.pass_time(10min);
    const auto before = bench.status("ingredients").last_run;
    REQUIRE(before);
    bench.stop();
    bench.start();
    bench.world()->revoke_set("lib01");
    REQUIRE_FALSE(bench.sync("recipes").published);
    bench.pass_time(1min);
    REQUIRE(bench.query("SELECT state FROM freshness WHERE resource = 'ingredients'") == "needs_person");
    const auto after = bench.status("ingredients").last_run;
    REQUIRE(after);
    CHECK(after->run_id == before->run_id);
}

TEST_CASE("nobody is told to import a token set while the first pass with the new one runs")
{
    LibraryBench bench(small());
    REQUIRE(bench.sync().published);
    REQUIRE(bench.clock.run(bench.unit->keeper().forget()));
    REQUIRE(bench.sync().trouble == sync::Trouble::needs_person);
    REQUIRE(bench.status().state == control::State::needs_person);
    auto slow = sim::Fault();
    slow.path = "/api/v2/library/";
    slow.times = std::nullopt;
    slow.delay = 30s;
    bench.world()->faults.add(slow);
    bench.import_set();
    bench.pass_time(5s);
    REQUIRE(bench.status().running);
    CHECK(bench.status().state == control::State::fresh);
    CHECK(bench.status().why.empty());
    CHECK(bench.status().do_this.empty());
    CHECK(state_by_sql(bench) == "fresh");
}

namespace {

// More lists than are walked at once.
BenchOptions many_lists()
{
    auto options = small();
    options.resources = {"recipes", "ingredients", "units", "again", "more"};
    options.requests_per_minute = 100;
    options.configure = [](config::Library& library) {
        library.resources.own()[3].path = library.resources.own()[0].path;
        library.resources.own()[4].path = library.resources.own()[1].path;
    };
    return options;
}

}  // namespace

TEST_CASE("once a token set was imported no table says that there is none, though its pass has to wait for others")
{
    auto options = many_lists();
    const bool was_filled = GENERATE(false, true);
    INFO((was_filled ? "filled until then" : "never filled"));
    LibraryBench bench(options);
    if (was_filled) {
        bench.pass_time(5min);
    }
    REQUIRE(bench.clock.run(bench.unit->keeper().forget()));
    for (const auto& name : options.resources) {
        REQUIRE(bench.sync(name).trouble == sync::Trouble::needs_person);
        REQUIRE(bench.status(name).why.find("its token set was deleted with auth forget") != std::string::npos);
    }
    auto slow = sim::Fault();
    slow.path = "/api/v2/library/";
    slow.times = std::nullopt;
    slow.delay = 30s;
    bench.world()->faults.add(slow);
    bench.import_set();
    std::size_t waiting = 0;
    for (int second = 0; second < 10; ++second) {
        bench.pass_time(1s);
        for (const auto& name : options.resources) {
            const auto status = bench.status(name);
            INFO(name << ": " << status.why);
            CHECK(status.state == (was_filled ? control::State::fresh : control::State::filling));
            CHECK(status.why.find("token") == std::string::npos);
            CHECK(status.do_this.empty());
            waiting += status.why == "the first pass waits for other lists" ? 1U : 0U;
            CHECK(bench.query("SELECT coalesce(why, '') FROM freshness WHERE resource = '" + name + "'").empty());
        }
    }
    CHECK((waiting > 0) == !was_filled);
}

TEST_CASE("a table whose pass waits for its turn says so, while it is filled first and when it is late")
{
    auto options = many_lists();
    std::set<std::string> told;
    const auto listen = [&told, &options](const LibraryBench& bench) {
        for (const auto& name : options.resources) {
            const auto status = bench.status(name);
            CHECK((status.why.empty() || status.state != control::State::fresh));
            told.insert(status.why.substr(0, status.why.find(" since ")) +
                        status.why.substr(std::min(status.why.size(), status.why.find(';'))));
        }
    };
    auto slow = sim::Fault();
    slow.path = "/api/v2/library/";
    slow.times = std::nullopt;
    SECTION("filled first")
    {
        slow.delay = 10s;
        options.prepare = [&slow](sim::World& world) { world.faults.add(slow); };
        LibraryBench bench(options);
        bench.pass_time(5s);
        listen(bench);
        CHECK(told.contains("the first pass waits for other lists"));
        bench.pass_time(30min);
        told.clear();
        listen(bench);
        CHECK(told == std::set<std::string>{""});
    }
    SECTION("late")
    {
        slow.delay = 9min;
        options.every = 5min;
        LibraryBench bench(options);
        bench.pass_time(5min);
        bench.world()->faults.add(slow);
        for (int minute = 0; minute < 180; ++minute) {
            bench.pass_time(1min);
            listen(bench);
        }
        CHECK(told.contains("no pass was published; the next pass waits for other lists"));
        CHECK(told.contains("no pass was published; a pass is running"));
    }
}

TEST_CASE("a library that never began stops at once, even when its journal holds an open exchange")
{
    LibraryBench bench(small());
    bench.pass_time(10s);
    auto slow = sim::Fault();
    slow.path = "/oauth/token/";
    slow.delay = 60s;
    bench.world()->faults.add(slow);
    bench.world()->expire_access("lib01");
    for (const auto& worker : bench.unit->tables().lists()) {
        worker->request_pass();
    }
    bench.pass_time(20s);
    REQUIRE(bench.unit->keeper().exchange_in_flight());

    // What a crash would leave, opened beside what still runs.
    for (const char* directory : {"mirrors", "tokens"}) {
        std::filesystem::create_directories(bench.files / "crashed");
        std::filesystem::copy(bench.files / directory, bench.files / ("crashed/" + std::string(directory)),
                              std::filesystem::copy_options::recursive);
    }
    bench.parts->storage.mirrors = bench.files / "crashed/mirrors";
    bench.parts->storage.tokens = bench.files / "crashed/tokens";
    const auto before = bench.clock.now();
    auto opened = bench.clock.run(app::LibraryUnit::open(bench.unit->shared_library(), *bench.parts));
    REQUIRE(opened);
    REQUIRE((*opened)->keeper().exchange_in_flight());
    bench.clock.run((*opened)->stop());
    CHECK(bench.clock.now() - before < 1s);
}

TEST_CASE("an idle mirror holds no file and leaves no WAL behind, and wakes for the next pass")
{
    LibraryBench bench(small());
    REQUIRE(bench.sync().published);
    bench.pass_time(13min);
    const auto wal = bench.files / "mirrors/lib01/lib01.db-wal";
    CHECK((!std::filesystem::exists(wal) || std::filesystem::file_size(wal) == 0));
    CHECK(app::report_library(*bench.unit, bench.clock.now()).wal_bytes == 0);
    CHECK(bench.sync().published);
    CHECK(bench.ids() == bench.service_ids());
}

TEST_CASE("where many mirrors are open, one rests a second after its pass, and else a minute")
{
    LibraryBench bench(small());
    auto& pool = *bench.parts->handles;
    bench.pass_time(2min);
    REQUIRE(pool.open() == 0);
    std::vector<std::unique_ptr<mirror::PooledHandle>> others;
    const bool handle_wanted_elsewhere = GENERATE(false, true);
    while (handle_wanted_elsewhere && !pool.is_full()) {
        auto database = storage::Database::open(bench.files / "other.db", storage::OpenMode::read_write_create);
        REQUIRE(database);
        others.push_back(std::make_unique<mirror::PooledHandle>(bench.parts->handles));
        others.back()->take(std::move(*database));
    }
    REQUIRE(bench.sync().published);
    REQUIRE(pool.open() == others.size() + 1);
    bench.pass_time(5s);
    CHECK(pool.open() == others.size() + (handle_wanted_elsewhere ? 0 : 1));
    bench.pass_time(2min);
    CHECK(pool.open() == others.size());
    CHECK(pool.closed() == 2);
    others.clear();
    CHECK(pool.open() == 0);
    CHECK(bench.sync().published);
}

TEST_CASE("a mirror that is no mirror, or a newer one, ends a start for good, as a bad configuration does")
{
    CHECK(app::exit_code_of(Error(ErrorKind::usage, "written by a newer shelfd")) == ExitCode::config);
    CHECK(app::exit_code_of(Error(ErrorKind::needs_person, "nobody restarts that away")) == ExitCode::config);
    CHECK(app::exit_code_of(Error(ErrorKind::storage, "disk full")) == ExitCode::storage);
    CHECK(app::exit_code_of(Error(ErrorKind::busy, "held by pid 1")) == ExitCode::busy);
}

TEST_CASE("when a mirror is removed in mid-pass, the table of that pass is filled at once like all others")
{
    BenchOptions options;
    options.world.rows = 30;
    options.page_size = 10;
    options.every = 24h;
    options.resources = {"recipes", "ingredients"};
    LibraryBench bench(options);
    REQUIRE(bench.sync("recipes").published);
    REQUIRE(bench.sync("ingredients").published);
    bench.unit->tables().lists().front()->request_pass();
    while (!bench.status("recipes").running || bench.status("recipes").running->page < 2) {
        REQUIRE(bench.clock.advance_to_next());
    }
    for (const char* suffix : {"", "-wal", "-shm"}) {
        std::filesystem::remove(bench.files / (std::string("mirrors/lib01/lib01.db") + suffix));
    }
    bench.pass_time(5min);
    CHECK(bench.ids("recipes") == bench.service_ids("library/recipes"));
    CHECK(bench.ids("ingredients") == bench.service_ids("library/ingredients"));
}

TEST_CASE("a stop at any moment of a pass that fails ends it in order")
{
    std::size_t calls = 0;
    const auto fail_with_pages_ahead = [&calls](std::size_t stop_at) {
        BenchOptions options;
        options.world.rows_of["library/recipes"] = 100;
        options.page_size = 10;
        options.every = 24h;
        LibraryBench bench(options);
        REQUIRE(bench.sync().published);
        // Of another kind than all before: the pass ends, while the pages behind it are under way.
        bench.client.body_instead = [](const std::string& target) {
            return target.find("page=4") == std::string::npos ? std::nullopt : std::optional<std::string>("[]");
        };
        calls = 0;
        bench.parts->changed = [&] {
            if (++calls == stop_at) {
                bench.unit->cancel();
            }
        };
        bench.unit->tables().lists().front()->request_pass();
        bench.pass_time(10s);
        bench.parts->changed = [] {};
        bench.stop();
        CHECK(bench.ids().size() == 100);
    };
    fail_with_pages_ahead(0);
    const auto all = calls;
    REQUIRE(all > 5);
    for (std::size_t at = 1; at <= all; ++at) {
        INFO("at the call " << at);
        fail_with_pages_ahead(at);
    }
}

TEST_CASE("when a mirror begins anew because it broke, all its tables are filled at once, not when they are due")
{
    BenchOptions options;
    options.world.rows = 30;
    options.every = 24h;
    options.resources = {"recipes", "ingredients"};
    LibraryBench bench(options);
    REQUIRE(bench.sync("recipes").published);
    REQUIRE(bench.sync("ingredients").published);
    bench.pass_time(20min);  // the file is closed, its WAL empty
    const auto file = bench.files / "mirrors/lib01/lib01.db";
    const auto root = std::stol(bench.query("SELECT rootpage FROM sqlite_master WHERE name = '_state_recipes'"));
    auto bytes = read_file(file);
    std::fill_n(bytes.begin() + (root - 1) * 16384, 16384, '\x5a');
    write_file(file, bytes, 0640);
    // Somebody wrote to it: it is looked at before anything relies on it.
    REQUIRE(bench.sync("recipes").published);
    bench.pass_time(10s);
    CHECK(bench.ids("recipes") == bench.service_ids("library/recipes"));
    CHECK(bench.ids("ingredients") == bench.service_ids("library/ingredients"));
}

TEST_CASE("that the kernel watches no directory is said once, with what helps")
{
    LibraryBench bench(small());
    bench.stop();
    bench.log_lines.clear();
    rlimit before = {};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit none{0, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
    app::MirrorDirectories blind(bench.loop.get_executor(), bench.parts->log);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    bench.parts->directories = std::move(blind);
    for (int life = 0; life < 2; ++life) {
        bench.start();
        bench.stop();
    }
    const auto said = std::count_if(bench.log_lines.begin(), bench.log_lines.end(), [](const std::string& line) {
        return line.find("fs.inotify.max_user_instances") != std::string::npos;
    });
    CHECK(said == 1);
}
