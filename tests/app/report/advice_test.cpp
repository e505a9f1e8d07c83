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

TEST_CASE("a full disk of the mirrors is said once: by tables, or by what else cannot be written there")
{
    control::Status status;
    status.notices.emplace_back().text = "the record of alerts cannot be written: no space left on device";
    status.notices.back().is_full_disk = true;
    status.notices.emplace_back().text = "another notice";
    status.libraries.emplace_back().resources = {with_full_disk("recipes", sample_now - 21min)};
    auto& table = status.libraries.front().resources.front();
    SECTION("a table says it")
    {
        forget_told_disk(status);
        REQUIRE(status.notices.size() == 1);
        CHECK(status.notices.front().text == "another notice");
        return;
    }
    SECTION("the disk of the table has another trouble")
    {
        table.source = TroubleSource::service;
    }
    SECTION("no table says it")
    {
        table.trouble = Trouble::none;
    }
    status.notices.push_back(status.notices.front());
    forget_told_disk(status);
    REQUIRE(status.notices.size() == 2);
    CHECK(status.notices.front().is_full_disk);
}

}  // namespace
}  // namespace shelfd::app
