// Answers that are no JSON, or not what they should be, in every kind of pass: none is a bug, none changes a row.
#include "app/library_bench.hpp"
#include "oauth/endpoint/answer_class.hpp"
#include "oauth/endpoint/canary.hpp"

#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

const std::vector<std::string> broken_values = {
    "nothing", "nan", "NaN", "nullx",    "None",     "undefined",   "tru",  "-",  "+1",
    "1e",      "01",  "1.",  "Infinity", "\"",       "{",           "[",    "}",  "]",
    ",",       ":",   "",    "\x01",     "\"\xff\"", "\"\\ud800\"", "[1,]", "1 2"};

// A hundred and more.
std::vector<std::string> malformed_bodies()
{
    std::vector<std::string> bodies;
    for (const auto& value : broken_values) {
        for (const char* frame :
             {R"({{"count":{},"next":null,"results":[]}})", R"({{"count":1,"next":{},"results":[]}})",
              R"({{"count":1,"next":null,"results":[{}]}})", R"({{"count":1,"next":null,"results":[{{"id":{}}}]}})",
              "[{}]", "{{\"id\":{}}}"}) {
            bodies.push_back(fmt::format(fmt::runtime(frame), value));
        }
    }
    return bodies;
}

struct Kind {
    const char* name;
    const char* list;  // "library/recipes"
    std::function<void(BenchOptions&)> set = [](BenchOptions&) {};
    const char* broken = nullptr;  // paths that begin so are answered instead; nothing: those of the list
};

void walk_by_parent(BenchOptions& options)
{
    options.resources.emplace_back("outlets");
    options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
    options.world.rows_of["inventory/outlets"] = 2;
    options.page_size = 20;
}

const std::vector<Kind> kinds = {
    {"counted", "library/recipes"},
    {"by offset", "procurement/suppliers"},
    {"cursor", "procurement/orders"},
    {"bare array", "library/units"},
    {"incremental", "library/recipes",
     [](BenchOptions& options) {
         options.incremental =
             config::Incremental{"modified_date__gt", "modified_date", config::Incremental::Format::datetime, 5min};
     }},
    {"one object", "library/recipes", [](BenchOptions& options) { options.object_of = "1/"; }, "library/recipes/1"},
    {"detail", "library/recipes",
     [](BenchOptions& options) {
         options.detail = config::Detail{"url", "", 10min};
     },
     "library/recipes/1"},
    {"window", "sales/lines", [](BenchOptions& options) { LibraryBench::make_ledger(options, 6); }},
    {"not counted", "library/recipes",
     [](BenchOptions& options) {
         options.prepare = [](sim::World& world) { world.quirks("library/recipes").omits_count = true; };
     }},
    {"by parent", "inventory/outlets/1/counts", walk_by_parent},
    {"by parent, an array", "inventory/outlets/1/stock", walk_by_parent},
    {"by parent, the parents as well", "inventory/outlets/1/counts", walk_by_parent, "inventory/outlets"},
};

sim::Fault instead(const std::string& path, std::string body)
{
    sim::Fault fault;
    fault.path = path;
    fault.times = std::nullopt;
    fault.status = 200;
    fault.content_type = "application/json";
    fault.body = std::move(body);
    return fault;
}

BenchOptions options_of(const Kind& kind)
{
    BenchOptions options;
    const std::string list = kind.list;
    options.family = list.substr(0, list.find('/'));
    options.resources = {list.substr(list.rfind('/') + 1)};
    options.world.rows_of[list] = 6;
    options.page_size = 2;
    options.ordering = "";
    kind.set(options);
    return options;
}

void walk_all(LibraryBench& bench)
{
    for (const auto& table : bench.options().resources) {
        bench.sync(table, sync::Wanted::full);
    }
}

std::vector<std::string> row_counts(LibraryBench& bench)
{
    std::vector<std::string> counts;
    for (const auto& table : bench.options().resources) {
        counts.push_back(bench.query("SELECT count(*) FROM " + table));
    }
    return counts;
}

}  // namespace

TEST_CASE("no malformed answer is a bug or costs a row, in any kind of pass")
{
    const auto bodies = malformed_bodies();
    REQUIRE(bodies.size() > 100);
    for (const auto& kind : kinds) {
        INFO(kind.name);
        LibraryBench bench(options_of(kind));
        bench.pass_time(20min);
        const auto before = row_counts(bench);
        REQUIRE(std::count(before.begin(), before.end(), "0") == 0);
        const auto path = fmt::format("/api/v2/{}/", kind.broken == nullptr ? kind.list : kind.broken);
        const std::size_t step = &kind == &kinds.front() ? 1 : 7;
        for (std::size_t i = 0; i < bodies.size(); i += step) {
            INFO(bodies[i]);
            bench.world()->faults.clear();
            bench.world()->faults.add(instead(path, bodies[i]));
            walk_all(bench);
            if (bench.options().detail) {
                bench.pass_time(15min);
            }
            REQUIRE_FALSE(bench.unit->bug());
        }
        bench.world()->faults.clear();
        walk_all(bench);
        walk_all(bench);
        CHECK(row_counts(bench) == before);
        CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "0");
        for (const auto& table : bench.options().resources) {
            CHECK(bench.status(table).state == control::State::fresh);
        }
    }
}

TEST_CASE("no malformed answer to the first look at a list, or of the canary, is a bug")
{
    const auto bodies = malformed_bodies();
    for (const char* path : {"/api/v2/library/recipes/", "/api/v2/accounts/libraries/current/"}) {
        INFO(path);
        for (std::size_t i = 0; i < bodies.size(); i += 11) {
            INFO(bodies[i]);
            BenchOptions options;
            options.world.rows = 5;
            options.has_identity = std::string_view(path).find("current") != std::string_view::npos;
            LibraryBench bench(options);
            bench.world()->faults.add(instead(path, bodies[i]));
            bench.pass_time(10min);
            REQUIRE_FALSE(bench.unit->bug());
            bench.world()->faults.clear();
            bench.pass_time(3h);
            REQUIRE_FALSE(bench.unit->bug());
            CHECK(bench.status().state == control::State::fresh);
        }
    }
}

TEST_CASE("no malformed answer of the token endpoint or the canary is thrown")
{
    auto bodies = malformed_bodies();
    for (const auto& value : broken_values) {
        for (const char* frame :
             {R"({{"access_token":{},"refresh_token":"r","expires_in":1}})",
              R"({{"access_token":"a","refresh_token":{}}})",
              R"({{"access_token":"a","refresh_token":"r","expires_in":{}}})", R"({{"error":{}}})", R"({{"id":{}}})"}) {
            bodies.push_back(fmt::format(fmt::runtime(frame), value));
        }
    }
    oauth::CanarySpec spec;
    spec.url = "http://service.test/api/";
    spec.identity_field = "id";
    spec.library_id = "42";
    for (const auto& body : bodies) {
        INFO(body);
        for (const int status : {200, 400, 401, 403, 500}) {
            CHECK_NOTHROW(oauth::classify({status, true, body, Duration(0)}));
            CHECK_NOTHROW(oauth::classify({status, false, body, Duration(0)}));
            http::Response response;
            response.status = status;
            response.body = body;
            CHECK_NOTHROW(oauth::read_canary(spec, Result<http::Response>(response), Instant::from_seconds(1)));
        }
    }
}
