#include "app/library/library_recorder.hpp"

#include "app/library_bench.hpp"
#include "support/catch.hpp"

namespace shelfd::app {
namespace {

using namespace std::chrono_literals;

void record(LibraryBench& bench, std::optional<std::vector<mirror::ConsumerRecord>> consumers = std::nullopt)
{
    bench.clock.run(bench.unit->record(std::move(consumers)));
}

TEST_CASE("after a refresh, and where a person is needed, the mirror says so in SQL")
{
    LibraryBench bench;
    record(bench);
    CHECK(bench.query("SELECT token_state || token_needs_person FROM _library") == "good0");
    const auto before = bench.query("SELECT token_expires_at FROM _library");
    const auto refreshed = [&bench] { return bench.unit->keeper().status().generation > 2; };
    while (!refreshed()) {
        REQUIRE(bench.clock.advance_to_next());
    }
    bench.clock.settle();
    record(bench);
    const auto token = bench.unit->keeper().status();
    CHECK(bench.query("SELECT token_state FROM _library") == "good");
    CHECK(bench.query("SELECT token_expires_at FROM _library") == token.expires->to_text());
    CHECK(bench.query("SELECT token_expires_at FROM _library") != before);
    CHECK(bench.query("SELECT token_next_refresh FROM _library") == token.next_refresh->to_text());
    CHECK(bench.query("SELECT limit_group || ifnull(request_limit, ' none') FROM _library") == "lib01 none");

    REQUIRE(bench.clock.run(bench.unit->keeper().forget()));
    record(bench);
    CHECK(bench.query("SELECT token_state || token_needs_person FROM _library") == "none1");
    CHECK(bench.query("SELECT do_this FROM _library") == bench.unit->keeper().status().do_this);
    CHECK(bench.query("SELECT token_expires_at FROM _library").empty());
}

TEST_CASE("the mirror is written to only when something but the number of used requests changed")
{
    LibraryBench bench({.requests_per_minute = 100});
    bench.sync();
    record(bench);
    CHECK(bench.query("SELECT request_limit FROM _library") == "100");
    const auto first = bench.query("SELECT written_at FROM _library");
    for (int minute = 0; minute < 10; ++minute) {
        bench.pass_time(1min);
        record(bench);
    }
    bench.sync();
    record(bench);
    CHECK(bench.unit->limiter().status().used > 0);
    CHECK(bench.query("SELECT written_at FROM _library") == first);
    record(bench, std::vector<mirror::ConsumerRecord>{{"warehouse", "a1:42", 1, bench.clock.now(), "it answered 500"}});
    CHECK(bench.query("SELECT written_at FROM _library") != first);
    CHECK(bench.query("SELECT hook || ' ' || position || ' ' || waiting || ' ' || why FROM _consumers") ==
          "warehouse a1:42 1 it answered 500");
}

TEST_CASE(
    "what begins within seconds after another state is recorded with its own begin, at once where a person is needed")
{
    LibraryBench bench;
    bench.sync();
    record(bench);
    REQUIRE(bench.query("SELECT token_state || token_needs_person FROM _library") == "good0");
    const auto good_since = bench.query("SELECT token_since FROM _library");
    bench.pass_time(2s);
    REQUIRE(bench.clock.run(bench.unit->keeper().forget()));
    const auto forgotten = bench.clock.now();
    bench.clock.settle();
    CHECK(bench.query("SELECT token_state || token_needs_person FROM _library") == "none1");
    CHECK(bench.query("SELECT token_since FROM _library") == forgotten.to_text());
    CHECK(bench.query("SELECT token_since FROM _library") != good_since);
}

TEST_CASE("the deletion of a token set raises the generation by which older copies of its journals are recognised")
{
    LibraryBench bench;
    bench.sync();
    const auto generation = bench.unit->keeper().status().generation;
    REQUIRE(bench.clock.run(bench.unit->keeper().forget()));
    bench.clock.settle();
    const auto noted = bench.unit->context().mirror.fact(mirror::Fact::token_generation);
    REQUIRE(noted);
    CHECK(*noted == std::to_string(generation + 1));
}

TEST_CASE("a mirror that was filled anew gets its record again")
{
    LibraryBench bench;
    LibraryRecorder recorder(bench.unit->context().mirror, Lane(), Log([](const LogRecord&) {}), "lib01");
    const auto write = [&] {
        bench.clock.run(recorder.record(describe_library(bench.unit->library(), bench.unit->keeper().status(), {})));
    };
    bench.pass_time(1min);  // the library's own recorder writes, too, after its first pass
    write();
    const auto first = bench.query("SELECT written_at FROM _library");
    bench.pass_time(1min);
    write();
    CHECK(bench.query("SELECT written_at FROM _library") == first);
    recorder.forget();
    write();
    CHECK(bench.query("SELECT written_at FROM _library") != first);
}

}  // namespace
}  // namespace shelfd::app
