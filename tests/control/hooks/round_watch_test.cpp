#include "control/hooks/round_watch.hpp"

#include "control/sample_status.hpp"
#include "support/catch.hpp"

namespace shelfd::control {
namespace {

ResourceStatus table_of(std::string name, std::string run, std::uint64_t rounds, std::uint64_t changed,
                        std::string position)
{
    auto table = sample_resource(std::move(name), State::fresh);
    table.published.run_id = std::move(run);
    table.published.run_changed = changed;
    table.published.rounds = rounds;
    table.published.changed = changed;
    table.published.feed_position = std::move(position);
    return table;
}

Status status_of(std::vector<ResourceStatus> tables)
{
    return sample_status({sample_library("antwerp", std::move(tables))});
}

TEST_CASE("a round is found once, with what it changed and the positions around it")
{
    RoundWatch watch;
    CHECK(watch.compare(status_of({table_of("recipes", "r1", 1, 5, "f:9")})).empty());  // known from now on
    CHECK(watch.compare(status_of({table_of("recipes", "r1", 1, 5, "f:9")})).empty());
    const auto found = watch.compare(status_of({table_of("recipes", "r2", 2, 8, "f:12")}));
    REQUIRE(found.size() == 1);
    CHECK(found.front().library == "antwerp");
    CHECK(found.front().position_before == "f:9");
    CHECK(found.front().position == "f:12");
    REQUIRE(found.front().tables.size() == 1);
    CHECK(found.front().tables.front().rounds == 1);
    CHECK(found.front().tables.front().changed == 3);
    CHECK(watch.compare(status_of({table_of("recipes", "r2", 2, 8, "f:12")})).empty());
}

TEST_CASE("several rounds between two looks are one finding with their sums")
{
    RoundWatch watch;
    CHECK(watch.compare(status_of({table_of("recipes", "r1", 1, 5, "f:9")})).empty());
    const auto found = watch.compare(status_of({table_of("recipes", "r4", 4, 11, "f:15")}));
    REQUIRE(found.size() == 1);
    CHECK(found.front().tables.front().rounds == 3);
    CHECK(found.front().tables.front().changed == 6);
}

TEST_CASE("a round without changes is none, and the next call begins where the last one ended")
{
    RoundWatch watch;
    CHECK(watch.compare(status_of({table_of("recipes", "r1", 1, 5, "f:9")})).empty());
    CHECK(watch.compare(status_of({table_of("recipes", "r2", 2, 5, "f:10")})).empty());
    const auto found = watch.compare(status_of({table_of("recipes", "r3", 3, 6, "f:11")}));
    REQUIRE(found.size() == 1);
    CHECK(found.front().position_before == "f:9");
}

TEST_CASE("tables of a library are one finding, with the newest position of the feed that they share")
{
    RoundWatch watch;
    CHECK(watch
              .compare(status_of({table_of("recipes", "r1", 1, 1, "f:9"), table_of("stock", "s1", 1, 1, "f:10"),
                                  table_of("loans", "l1", 1, 1, "f:10")}))
              .empty());
    const auto found =
        watch.compare(status_of({table_of("recipes", "r2", 2, 2, "f:100.1"), table_of("stock", "s2", 2, 2, "f:99"),
                                 table_of("loans", "l1", 1, 1, "f:10")}));
    REQUIRE(found.size() == 1);
    CHECK(found.front().tables.size() == 2);
    CHECK(found.front().position == "f:100.1");
    CHECK(found.front().position_before == "f:10");
}

TEST_CASE("the first load of a table that was known to be empty is found")
{
    RoundWatch watch;
    CHECK(watch.compare(status_of({table_of("recipes", "", 0, 0, "f:0")})).empty());
    CHECK(watch.compare(status_of({table_of("recipes", "r1", 1, 7, "f:0.1")})).size() == 1);
}

TEST_CASE("a round that ended just before a crash is found by the next process, as its run was stored")
{
    RoundWatch before;
    CHECK(before.compare(status_of({table_of("recipes", "r1", 3, 5, "f:9")})).empty());
    RoundWatch after(before.known());
    auto table = table_of("recipes", "r2", 0, 0, "f:11");
    table.published.run_changed = 2;
    const auto found = after.compare(status_of({table}));
    REQUIRE(found.size() == 1);
    CHECK(found.front().tables.front().rounds == 1);
    CHECK(found.front().tables.front().changed == 2);
    CHECK(found.front().position_before == "f:9");
}

TEST_CASE("several rounds that ended unseen before a restart are counted, with those after it")
{
    RoundWatch watch;
    CHECK(watch.compare(status_of({table_of("recipes", "r1", 1, 5, "f:9")})).empty());
    auto next = table_of("recipes", "r4", 1, 2, "f:20");
    next.published.since = sample_now;
    next.published.earlier = {{"r3", 4, 1, 0}, {"r2", 1, 0, 1}, {"r1", 7, 7, 7}};
    const bool is_same_process = GENERATE(true, false);
    RoundWatch other(watch.known());
    auto& looks = is_same_process ? watch : other;
    const auto found = looks.compare(status_of({next}));
    REQUIRE(found.size() == 1);
    const auto& rounds = found.front().tables.front();
    CHECK(rounds.rounds == 3);
    CHECK(rounds.added == 5);
    CHECK(rounds.changed == 3);
    CHECK(rounds.deleted == 1);
    CHECK(looks.compare(status_of({next})).empty());
}

TEST_CASE("a library that was opened again counts from the beginning")
{
    RoundWatch watch;
    CHECK(watch.compare(status_of({table_of("recipes", "r5", 5, 50, "f:9")})).empty());
    const auto found = watch.compare(status_of({table_of("recipes", "r6", 1, 2, "f:11")}));
    REQUIRE(found.size() == 1);
    CHECK(found.front().tables.front().changed == 2);
}

TEST_CASE("a mirror that was made anew has another feed, whose positions are newer")
{
    RoundWatch watch;
    CHECK(watch.compare(status_of({table_of("recipes", "r1", 1, 5, "f:900")})).empty());
    const auto found = watch.compare(status_of({table_of("recipes", "r2", 2, 8, "g:1")}));
    REQUIRE(found.size() == 1);
    CHECK(found.front().position == "g:1");
}

TEST_CASE("tables of details have no rounds, libraries that do not run stay known, and those that are gone do not")
{
    RoundWatch watch;
    auto details = table_of("recipes_detail", "d1", 1, 1, "f:9");
    details.detail.emplace();
    CHECK(watch.compare(status_of({table_of("recipes", "r1", 1, 1, "f:9"), details})).empty());
    CHECK(watch.known().at("antwerp").runs.size() == 1);
    auto absent = sample_status({});
    absent.absent = {"antwerp"};
    CHECK(watch.compare(absent).empty());
    CHECK(watch.known().contains("antwerp"));
    CHECK(watch.take_changed());
    CHECK_FALSE(watch.take_changed());
    CHECK(watch.compare(sample_status({})).empty());
    CHECK(watch.known().empty());
    CHECK(watch.take_changed());
}

}  // namespace
}  // namespace shelfd::control
