#include "sync/pass/staged_walk.hpp"

#include "support/catch.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/io_context.hpp>

#include <stdexcept>

using namespace shelfd;
using namespace shelfd::sync;

namespace {

// A walk over a list of page numbers that has taken its first page, with the rows 1 and 2.
struct WalkBench {
    WalkBench()
    {
        library.name = "antwerp";
        resource.name = "things";
        resource.path = "/things/";
        plan.path = resource.path;
        if (auto declared = mirror.declare({{.name = "things"}}); !declared) {
            throw std::runtime_error(declared.error().text());
        }
        start.run_id = "run";
        start.started = start.as_of = clock.now();
        if (auto first = take(R"({"count":4,"next":"/things/?page=2","results":[{"id":1},{"id":2}]})", "page=1");
            !first) {
            throw std::runtime_error(first.error().text());
        }
    }

    Result<PageSeen> take(std::string body, const std::string& query = "page=2")
    {
        http::Response response;
        response.status = 200;
        response.body = std::move(body);
        return walk.take(response, Query(query), start, mirror::Commit::now);
    }

    TempDirectory directory;
    asio::io_context loop;
    SimulatedClock clock{loop};
    mirror::Mirror mirror{{.directory = directory / "antwerp", .library = "antwerp", .clock = clock}};
    config::Library library;
    config::Resource resource;
    PassPlan plan;
    mirror::PassStart start;
    StagedWalk walk{{library, resource, plan, {}}, clock, mirror};
};

}  // namespace

TEST_CASE("the rows of a later page are found wherever other brackets stand in its frame")
{
    struct Case {
        const char* name;
        const char* body;
    };
    const auto* const next = R"("next":"/things/?page=3")";
    const Case cases[] = {
        {"none", R"({"count":9,NEXT,"results":[{"id":3,"tags":["a"]},{"id":4}]})"},
        {"blanks", "\n{ \"count\" : 9, NEXT , \"results\" : [ {\"id\":3}\n, {\"id\":4} ] }\n"},
        {"an array behind the rows", R"({"count":9,NEXT,"results":[{"id":3},{"id":4}],"tags":["x"]})"},
        {"an array before the rows", R"({"tags":["x"],"count":9,NEXT,"results":[{"id":3},{"id":4}]})"},
        {"rows within another member",
         R"({"meta":{"results":[{"id":8}]},"count":9,NEXT,"results":[{"id":3},{"id":4}]})"},
        {"brackets in texts", R"({"note":"a[0","count":9,NEXT,"results":[{"id":3},{"id":4}],"end":"b]"})"},
        {"one row as an object", R"({"count":9,NEXT,"results":{"id":3,"tags":["a"]}})"},
    };
    for (const auto& one : cases) {
        INFO(one.name);
        std::string body = one.body;
        body.replace(body.find("NEXT"), 4, next);
        WalkBench bench;
        const auto seen = bench.take(body);
        REQUIRE(seen);
        CHECK(seen->count == 9U);
        CHECK(seen->next_query == "page=3");
        CHECK(seen->lowest_key == 3);
        CHECK(seen->items == (body.find("\"id\":4") == std::string::npos ? 1U : 2U));
        CHECK(bench.walk.has_frame());
    }
}

TEST_CASE("a later page that is not JSON as a whole is refused, though its rows or its frame are")
{
    for (const auto* body : {
             R"({"count":4,"next":null,"results":[{"id":3}],[{"id":4}]})",
             R"({"count":4,"next":null,"results":[{"id":3}]"results":[{"id":4}]})",
             R"({"count":4,"next":null,"results":[{"id":3},{"id":4})",
             R"({"count":4,"next":null,"results":[{"id":3}]]})",
             R"({"count":4,"next":null "results":[{"id":3}]})",
         }) {
        INFO(body);
        WalkBench bench;
        const auto seen = bench.take(body);
        REQUIRE(!seen);
        CHECK(seen.error().kind() == ErrorKind::protocol);
        CHECK_FALSE(bench.walk.has_frame());
        CHECK(bench.take(R"({"count":4,"next":null,"results":[{"id":3},{"id":4}]})"));
    }
}
