#include "app/report/advice.hpp"

#include "support/catch.hpp"

namespace shelfd::app {
namespace {

using namespace std::chrono_literals;

const auto sample_now = Instant::from_micros(1'704'520'800'000'000);

control::ResourceStatus published(const char* name, Instant at)
{
    control::ResourceStatus table;
    table.name = name;
    table.state = TableState::fresh;
    table.last_run.emplace().finished = at;
    return table;
}

control::ResourceStatus with_full_disk(const char* name, Instant published_at)
{
    auto table = published(name, published_at);
    table.trouble = Trouble::storage;
    table.source = TroubleSource::space;
    table.why = "cannot update the mirror: database or disk is full";
    table.do_this = "make room";
    table.since = sample_now - 20min;
    return table;
}

TEST_CASE("a full disk is over for a published table once another table of the mirror was published after it")
{
    std::vector<control::ResourceStatus> tables = {with_full_disk("recipes", sample_now - 21min),
                                                   published("stock", sample_now - 19min)};
    SECTION("the other one was published before")
    {
        tables[1].last_run->finished = sample_now - 22min;
    }
    SECTION("nor could the mirror be written after the other one")
    {
        tables[1].trouble = Trouble::storage;
    }
    SECTION("the pass of the other one has failed")
    {
        tables[1].last_run->result = control::RunResult::failed;
    }
    SECTION("its own pass has failed, and is tried again soon")
    {
        tables[0].last_run->result = control::RunResult::failed;
    }
    SECTION("there is no other one")
    {
        tables.pop_back();
    }
    SECTION("it was")
    {
        forget_past_disk_trouble(tables);
        CHECK(tables[0].trouble == Trouble::none);
        CHECK(tables[0].why.empty());
        CHECK(tables[0].do_this.empty());
        CHECK_FALSE(tables[0].since);
        return;
    }
    forget_past_disk_trouble(tables);
    CHECK(tables[0].trouble == Trouble::storage);
    CHECK(tables[0].do_this == "make room");
}

}  // namespace
}  // namespace shelfd::app
