#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

namespace shelfd::mirror {
namespace {

TEST_CASE("the newest pass of a table is found whatever its mode, and what people did is none")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1},{"id":2})"});
    const auto mode = GENERATE(RunMode::full, RunMode::incremental, RunMode::window, RunMode::between_rounds);
    CAPTURE(to_string(mode));
    auto pass = must(fixture.mirror->begin_pass(
        "things", {.run_id = "newest", .mode = mode, .started = fixture.clock.now(), .as_of = fixture.clock.now()}));
    must(pass->add_page(R"([{"id":1},{"id":2},{"id":3}])"));
    must(pass->publish(complete_proof(1)));
    must(fixture.mirror->record_act({.run_id = "act",
                                     .verb = "sync",
                                     .resource = "things",
                                     .asked_by = "ada",
                                     .started = fixture.clock.now(),
                                     .finished = fixture.clock.now()}));
    const auto summary = must(fixture.mirror->summary("things", NewestRun::included));
    REQUIRE(summary);
    REQUIRE(summary->newest_run);
    CHECK(summary->newest_run->run_id == "newest");
    CHECK(summary->newest_run->mode == to_string(mode));
    CHECK(summary->newest_run->published_lately.size() == 2);
    CHECK_FALSE(must(fixture.mirror->summary("things"))->newest_run);
}

}  // namespace
}  // namespace shelfd::mirror
