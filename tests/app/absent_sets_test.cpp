// Libraries that cannot run: their token sets stay alive all the same.
#include "app/library/library_set.hpp"
#include "app/library_bench.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

// lib01, which has a token set, and lib02, which has none.
struct AbsentBench {
    LibraryBench bench;
    std::shared_ptr<const config::Library> sound = bench.unit->shared_library();
    std::shared_ptr<const config::Library> other;
    std::shared_ptr<const config::Library> broken;
    app::LibrarySet libraries{*bench.parts};

    AbsentBench()
    {
        bench.stop();
        auto second = std::make_shared<config::Library>(*sound);
        second->name = "lib02";
        other = second;
        auto elsewhere = std::make_shared<config::Library>(*sound);
        elsewhere->resources.own()[0].schedule = {.interval = {}, .at = {3h}, .timezone = "Europe/Atlantis"};
        broken = elsewhere;
    }
    ~AbsentBench() { bench.clock.run(libraries.stop()); }
    AbsentBench(const AbsentBench&) = delete;
    AbsentBench& operator=(const AbsentBench&) = delete;

    void open(const config::Libraries& wanted)
    {
        REQUIRE(bench.clock.run(libraries.open(wanted)));
        libraries.start();
        bench.clock.settle();
    }
    std::uint64_t refreshes() { return bench.world()->audit_report().refreshes; }
};

}  // namespace

TEST_CASE("the token set of a library that cannot run is refreshed when that is due, and the library finds it")
{
    AbsentBench test;
    test.open({test.broken, test.other});
    REQUIRE(test.libraries.find("lib01") == nullptr);
    REQUIRE(test.libraries.absent_set("lib01") != nullptr);
    CHECK(test.libraries.absent_set("lib02") == nullptr);
    const auto before = test.refreshes();
    // Each further try to open the library leaves the set where it is.
    const auto* keeper = test.libraries.absent_set("lib01");
    test.bench.clock.run(test.libraries.restore({test.broken, test.other}));
    CHECK(test.libraries.absent_set("lib01") == keeper);
    for (int day = 0; day < 15; ++day) {
        test.bench.pass_time(24h);
    }
    CHECK(test.refreshes() >= before + 3);
    CHECK(test.bench.world()->view_set("lib01").access_lives);
    CHECK(test.libraries.absent_set("lib01")->status().state == TokenState::good);
    CHECK(test.bench.world()->audit_report().reuses_of_spent == 0);

    REQUIRE(test.bench.clock.run(test.libraries.replace({test.sound, test.other})));
    test.bench.clock.settle();
    const auto unit = test.libraries.find("lib01");
    REQUIRE(unit != nullptr);
    CHECK(test.libraries.absent_set("lib01") == nullptr);
    CHECK(unit->keeper().status().state == TokenState::good);
    CHECK(unit->keeper().status().journals.copies == 2);
}

TEST_CASE("a set that is due is refreshed also where no library can be opened and the daemon ends")
{
    AbsentBench test;
    const auto before = test.refreshes();
    test.bench.clock.advance_by(4 * 24h);
    const auto opened = test.bench.clock.run(test.libraries.open({test.broken}));
    REQUIRE_FALSE(opened);
    test.bench.clock.run(test.libraries.stop());
    CHECK(test.refreshes() == before + 1);
}

TEST_CASE("the set of a library that is forgotten, or no longer configured, is let go")
{
    AbsentBench test;
    test.open({test.broken, test.other});
    REQUIRE(test.libraries.absent_set("lib01") != nullptr);
    const bool is_forgotten = GENERATE(false, true);
    if (is_forgotten) {
        test.bench.clock.run(test.libraries.retire("lib01", "it was forgotten"));
    } else {
        REQUIRE(test.bench.clock.run(test.libraries.replace({test.other})));
    }
    CHECK(test.libraries.absent_set("lib01") == nullptr);
    const auto before = test.refreshes();
    test.bench.pass_time(10 * 24h);
    CHECK(test.refreshes() == before);
    // Its store is open to whoever wants it now.
    REQUIRE(test.bench.clock.run(test.libraries.replace({test.sound, test.other})));
    CHECK(test.libraries.find("lib01")->keeper().status().journals.copies == 2);
}

TEST_CASE("a set that a library which cannot run has is no set for another one")
{
    AbsentBench test;
    test.open({test.broken, test.other});
    const auto set = test.bench.world()->view_set("lib01");
    CHECK(test.libraries.holder_of(oauth::fingerprint(Secret(std::string(set.refresh_token))), "lib02") == "lib01");
}
