#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <set>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

// A ledger whose rows say at which second they happened: "t":"1700".
struct LedgerFixture : MirrorFixture {
    explicit LedgerFixture(mirror::ResourceSpec spec = ledger()) : MirrorFixture({std::move(spec)}) {}

    static mirror::ResourceSpec ledger()
    {
        return {.name = "lines", .axis = "t UTC", .begins_at = Instant::from_seconds(0)};
    }

    static mirror::Slice slice(std::int64_t first, std::int64_t past, bool open = false)
    {
        mirror::Slice slice;
        slice.name = fmt::format("{} to {}", first, past);
        slice.first = first;
        slice.past = past;
        slice.field = "t";
        slice.open = open;
        slice.place_of = [](std::string_view text) -> std::optional<std::int64_t> {
            return text == "never" ? std::nullopt : std::optional<std::int64_t>(std::stoll(std::string(text)));
        };
        return slice;
    }

    std::unique_ptr<mirror::Pass> begin_slice(mirror::Slice slice)
    {
        mirror::PassStart start;
        start.run_id = fmt::format("run-{}", ++runs_);
        start.mode = mirror::RunMode::window;
        start.started = start.as_of = clock.now();
        start.slice = std::move(slice);
        return must(mirror->begin_pass("lines", start));
    }

    mirror::PublishOutcome walk(std::int64_t first, std::int64_t past, const std::string& page,
                                mirror::Proof proof = complete_proof())
    {
        auto pass = begin_slice(slice(first, past));
        must(pass->add_page("[" + page + "]"));
        return must(pass->publish(proof));
    }

    // No row happened since then, and none is to come: what is nowhere else is nowhere.
    mirror::PublishOutcome walk_empty_from(std::int64_t first) { return walk(first, mirror::behind_all, ""); }

    std::string ids() const
    {
        return one("SELECT coalesce(group_concat(id), '') FROM (SELECT id FROM lines ORDER BY id)");
    }

private:
    int runs_ = 0;
};

// Rows FIRST … LAST, all at one second.
std::string rows(int first, int last, int second, const char* rest = R"("v":1)")
{
    std::string page;
    for (int id = first; id <= last; ++id) {
        page += fmt::format(R"({}{{"id":{},"t":"{}","url":"https://api.example.com/lines/{}/",{}}})",
                            page.empty() ? "" : ",", id, second, id, rest);
    }
    return page;
}

// The walk is the last one of a round.
mirror::Proof of_round(Instant as_of)
{
    auto proof = complete_proof();
    proof.round = mirror::RoundProgress{as_of, true};
    return proof;
}

mirror::Proof unproven()
{
    auto proof = complete_proof();
    proof.complete = false;
    return proof;
}

}  // namespace

TEST_CASE("a window's walk says nothing of the rows of other windows")
{
    LedgerFixture fixture;
    fixture.walk(100, 200, rows(1, 3, 150));
    fixture.walk(200, 300, rows(4, 6, 250));
    CHECK(fixture.ids() == "1,2,3,4,5,6");
    // Two rows of the second window went; the first one is not asked.
    CHECK(fixture.walk(200, 300, rows(4, 4, 250)).candidates == 2);
    CHECK(fixture.walk(200, 300, rows(4, 4, 250)).candidates == 2);
    // They are in no other window either.
    CHECK(fixture.walk_empty_from(300).deleted == 0);
    CHECK(fixture.walk(0, 100, "").deleted == 0);
    const auto last = fixture.walk(100, 200, rows(1, 3, 150));
    CHECK(last.deleted == 2);
    CHECK(last.rows == 4);
    CHECK(fixture.ids() == "1,2,3,4");
    CHECK(fixture.walk(100, 200, "").candidates == 3);
    CHECK(fixture.walk(100, 200, rows(1, 3, 150)).candidates == 0);
}

TEST_CASE("a window without rows is proven like any other, and an empty ledger is a table without rows")
{
    LedgerFixture fixture;
    CHECK(fixture.walk(100, 200, "").rows == 0);
    CHECK(fixture.walk(200, 300, "").rows == 0);
    CHECK(must(fixture.mirror->slices("lines")).size() == 2);
    CHECK(fixture.walk(0, 100, rows(1, 2, 50)).added == 2);
    CHECK(fixture.walk(0, 100, "").candidates == 2);
    CHECK(fixture.walk(0, 100, "").candidates == 2);
    fixture.walk_empty_from(200);
    const auto last = fixture.walk(100, 200, rows(3, 3, 150));
    CHECK(last.deleted == 2);
    CHECK(last.rows == 1);
    CHECK(fixture.ids() == "3");
}

TEST_CASE("a row whose date was corrected moves with it and is not deleted")
{
    LedgerFixture fixture;
    const auto complete_from = [&fixture] {
        const auto from = Instant::from_rfc3339(fixture.one("SELECT complete_from FROM _resources"));
        return from ? from->seconds() : -1;
    };
    const auto said = [&fixture] { return fixture.one("SELECT state || ': ' || coalesce(why, '') FROM freshness"); };
    fixture.walk(0, 100, rows(7, 7, 50));
    fixture.walk(100, 200, rows(1, 3, 150));
    fixture.walk(200, 300, rows(4, 6, 250));
    SECTION("its new window is walked first")
    {
        auto pass = fixture.begin_slice(LedgerFixture::slice(200, 300));
        const auto page = must(pass->add_page("[" + rows(4, 6, 250) + "," + rows(1, 1, 260) + "]"));
        CHECK(page.entered == 1);
        must(pass->publish(complete_proof()));
        const auto outcome = fixture.walk(100, 200, rows(2, 3, 150));
        CHECK(outcome.candidates == 0);
        CHECK(fixture.ids() == "1,2,3,4,5,6,7");
        CHECK(complete_from() == 0);
    }
    SECTION("its old window is walked first, and its own address says where it is")
    {
        auto pass = fixture.begin_slice(LedgerFixture::slice(100, 200));
        must(pass->add_page("[" + rows(2, 3, 150) + "]"));
        const auto missing = must(pass->missing(10, {"url"}));
        REQUIRE(missing.size() == 1);
        CHECK(pass->place_of(R"({"id":1,"t":"260"})") == 260);
        CHECK_FALSE(pass->place_of(R"({"id":1,"t":null})"));
        CHECK_FALSE(pass->place_of("<html>"));
        pass->testify_moved(missing[0], 260);
        const auto outcome = must(pass->publish(complete_proof()));
        CHECK(outcome.candidates == 1);
        CHECK(outcome.held == 0);
        CHECK(fixture.ids() == "1,2,3,4,5,6,7");
        // Where it went, somebody has to look, and nowhere else.
        const auto slices = must(fixture.mirror->slices("lines"));
        CHECK(slices[0].proven_as_of);
        CHECK_FALSE(slices[0].sought);
        CHECK(slices[1].proven_as_of);
        CHECK_FALSE(slices[1].sought);
        CHECK_FALSE(slices[2].proven_as_of);
        CHECK_FALSE(must(fixture.mirror->has_departed("lines")));
        // Until then its former window is not called right, nor what was proven before.
        const auto is_said = [&said] {
            return said().find(": 1 row is no longer in the window in which it was, moved to another one") !=
                   std::string::npos;
        };
        CHECK(is_said());
        CHECK(complete_from() == 100);
        CHECK(fixture.walk(100, 200, rows(2, 3, 150)).candidates == 1);
        CHECK(fixture.walk(200, 300, rows(4, 6, 250), unproven()).candidates == 1);
        CHECK(is_said());
        CHECK(complete_from() == 100);
        SECTION("it is found there, and has not entered during the walk")
        {
            auto again = fixture.begin_slice(LedgerFixture::slice(200, 300));
            CHECK(must(again->add_page("[" + rows(4, 6, 250) + "," + rows(1, 1, 260) + "]")).entered == 0);
            const auto found = must(again->publish(complete_proof()));
            CHECK(found.changed == 1);
            CHECK(found.candidates == 0);
            CHECK_FALSE(is_said());
            CHECK(complete_from() == 0);
            CHECK(fixture.walk(100, 200, rows(2, 3, 150)).candidates == 0);
        }
        SECTION("it is nowhere")
        {
            fixture.walk(200, 300, rows(4, 6, 250));
            CHECK(said().find(": 1 row is missing from its window") != std::string::npos);
            fixture.walk(200, 300, rows(4, 6, 250));
            CHECK(is_said());
            fixture.walk_empty_from(300);
            fixture.walk(0, 100, rows(7, 7, 50));
            CHECK(fixture.walk(100, 200, rows(2, 3, 150)).deleted == 1);
            CHECK(complete_from() == 0);
        }
        SECTION("the ledger begins after it")
        {
            fixture.specs[0].begins_at = Instant::from_seconds(280);
            fixture.reopen();
            CHECK(fixture.walk(280, 400, rows(4, 6, 290)).deleted == 1);
            CHECK(fixture.one("SELECT departed FROM _resources") == "0");
        }
    }
}

TEST_CASE(
    "a row that left its window stays until every other one was proven since, and is not called complete meanwhile")
{
    LedgerFixture fixture;
    const auto complete_from = [&fixture] {
        const auto from = Instant::from_rfc3339(fixture.one("SELECT complete_from FROM _resources"));
        return from ? from->seconds() : -1;
    };
    const auto said = [&fixture] { return fixture.one("SELECT state || ': ' || coalesce(why, '') FROM freshness"); };
    fixture.walk(0, 100, rows(1, 2, 50));
    fixture.walk(100, 200, rows(3, 4, 150));
    fixture.walk(200, 300, rows(5, 6, 250));
    fixture.walk(300, mirror::behind_all, "", of_round(fixture.clock.now()));
    CHECK(complete_from() == 0);
    // From the third window into the first, which nobody walks.
    CHECK(fixture.walk(200, 300, rows(6, 6, 250)).candidates == 1);
    CHECK(complete_from() == 200);
    CHECK(said().find(": 1 row is missing from its window, moved to another one or deleted: kept") !=
          std::string::npos);
    CHECK(said().find("filling") == std::string::npos);
    for (int poll = 0; poll < 3; ++poll) {
        const auto outcome = fixture.walk(200, 300, rows(6, 6, 250));
        CHECK(outcome.deleted == 0);
        CHECK(outcome.candidates == 1);
        CHECK(fixture.ids() == "1,2,3,4,5,6");
        CHECK(fixture.one("SELECT departed FROM _resources") == "1");
        CHECK(
            said().find(": 1 row is no longer in the window in which it was, moved to another one or deleted: kept") !=
            std::string::npos);
        CHECK(said().find("filling") == std::string::npos);
    }
    const auto slices = must(fixture.mirror->slices("lines"));
    CHECK(slices[0].sought);
    CHECK(slices[1].sought);
    CHECK_FALSE(slices[2].sought);
    CHECK(slices[3].sought);
    // That of two walks of its own window after the others proves nothing of these.
    CHECK(complete_from() == 200);
    CHECK(fixture.walk_empty_from(300).deleted == 0);
    CHECK(fixture.walk(100, 200, rows(3, 4, 150)).deleted == 0);
    CHECK(complete_from() == 100);
    SECTION("it is found in the last one")
    {
        const auto found = fixture.walk(0, 100, rows(1, 2, 50) + "," + rows(5, 5, 60));
        CHECK(found.deleted == 0);
        CHECK(found.candidates == 0);
        CHECK(found.changed == 1);
        CHECK(fixture.ids() == "1,2,3,4,5,6");
    }
    SECTION("it is in none")
    {
        CHECK(fixture.walk(0, 100, rows(1, 2, 50), unproven()).deleted == 0);
        CHECK(fixture.walk(0, 100, rows(1, 2, 50)).deleted == 1);
        CHECK(fixture.ids() == "1,2,3,4,6");
    }
    SECTION("its own address denies it")
    {
        auto pass = fixture.begin_slice(LedgerFixture::slice(200, 300));
        must(pass->add_page("[" + rows(6, 6, 250) + "]"));
        const auto missing = must(pass->missing(10, {"url"}));
        REQUIRE(missing.size() == 1);
        pass->add_evidence(missing[0], mirror::Witness::gone);
        CHECK(must(pass->publish(complete_proof())).deleted == 1);
    }
    SECTION("it comes back")
    {
        CHECK(fixture.walk(200, 300, rows(5, 6, 250)).candidates == 0);
    }
    CHECK(complete_from() == 0);
    CHECK(fixture.one("SELECT departed FROM _resources") == "0");
    CHECK(said().find("no longer in the window") == std::string::npos);
    CHECK(fixture.one("SELECT count(*) FROM _changes WHERE op = 'delete'") ==
          fixture.one("SELECT 6 - count(*) FROM lines"));
}

TEST_CASE("a walk that takes most of its rows from other windows, or all rows of another one, ends the proofs of all")
{
    LedgerFixture fixture;
    fixture.walk(0, 100, rows(1, 6, 50));
    fixture.walk(100, 200, rows(11, 20, 150));
    const auto take = [&fixture](std::int64_t first, const std::string& page) {
        auto pass = fixture.begin_slice(LedgerFixture::slice(first, first + 100));
        must(pass->add_page("[" + page + "]"));
        const auto taken = must(pass->taken_rows());
        auto proof = complete_proof();
        proof.complete = !taken.are_many;
        proof.takes_rows = taken.are_many;
        must(pass->publish(proof));
        return taken;
    };
    const auto proven = [&fixture] {
        return fixture.one("SELECT group_concat(first) FROM (SELECT first FROM _slices WHERE proven_as_of IS NOT NULL "
                           "ORDER BY first)");
    };
    SECTION("most of its rows")
    {
        const auto taken = take(200, rows(1, 3, 250) + "," + rows(31, 32, 250));
        CHECK(taken.are_many);
        CHECK(taken.rows == 3);
        CHECK(taken.of == 5);
        CHECK(proven() == "100");
        CHECK(fixture.one("SELECT count(*) FROM _slices WHERE as_of IS NULL") == "0");
        CHECK(fixture.one("SELECT state FROM freshness") == "filling");
        // The rows stand where they are now: dates that were corrected are proven by the next walks.
        CHECK_FALSE(take(200, rows(1, 3, 250) + "," + rows(31, 32, 250)).are_many);
        CHECK_FALSE(take(0, rows(4, 6, 50)).are_many);
        CHECK(proven() == "0,100,200");
    }
    SECTION("all rows of a short window")
    {
        CHECK(take(100, rows(1, 6, 150) + "," + rows(11, 20, 150)).are_many);
        CHECK(proven() == "null");
    }
    SECTION("keys that begin anew in each window")
    {
        for (int round = 0; round < 3; ++round) {
            CHECK(take(200, rows(1, 6, 250)).are_many);
            CHECK(take(0, rows(1, 6, 50)).are_many);
            CHECK(proven() == "100");
        }
    }
    SECTION("a single row is a date that was corrected")
    {
        CHECK(take(200, rows(1, 1, 250)).rows == 1);
        CHECK(proven() == "0,100,200");
    }
    SECTION("most rows of a window that was proven, but few")
    {
        fixture.walk(200, 300, "");
        CHECK_FALSE(take(200, rows(1, 4, 250)).are_many);
        CHECK(proven() == "0,100,200");
    }
    SECTION("a part of the rows of both")
    {
        CHECK_FALSE(take(100, rows(1, 3, 150) + "," + rows(11, 20, 150)).are_many);
        CHECK(proven() == "0,100");
    }
    SECTION("rows that their former window lacked replace none")
    {
        REQUIRE(fixture.walk(0, 100, rows(4, 6, 50)).candidates == 3);
        CHECK(take(200, rows(1, 3, 250)).rows == 0);
        CHECK(proven() == "0,100,200");
    }
}

TEST_CASE("a ledger that begins later keeps its rows and calls none before that complete, nor once it begins earlier")
{
    LedgerFixture fixture;
    const auto complete_from = [&fixture] {
        const auto from = Instant::from_rfc3339(fixture.one("SELECT complete_from FROM freshness"));
        return from ? from->seconds() : -1;
    };
    const auto is_filling = [&fixture] { return fixture.one("SELECT state FROM freshness") == "filling"; };
    const auto begin_at = [&fixture](std::int64_t second) {
        fixture.specs[0].begins_at = Instant::from_seconds(second);
        fixture.reopen();
    };
    fixture.walk(0, 100, rows(1, 2, 50));
    fixture.walk(100, 200, rows(3, 4, 150));
    fixture.walk(200, 300, rows(5, 6, 250), of_round(fixture.clock.now()));
    REQUIRE(complete_from() == 0);
    // This row is missed once: no walk will show whether it was deleted.
    REQUIRE(fixture.walk(0, 100, rows(1, 1, 50)).candidates == 1);
    begin_at(100);
    CHECK(complete_from() == 100);
    CHECK_FALSE(is_filling());
    CHECK(fixture.ids() == "1,2,3,4,5,6");
    CHECK(fixture.one("SELECT candidates FROM _resources") == "0");
    CHECK(fixture.walk(200, 300, rows(5, 6, 250)).rows == 6);
    CHECK(complete_from() == 100);
    // Nothing is known about what happened there meanwhile.
    begin_at(0);
    CHECK(complete_from() == 100);
    CHECK(is_filling());
    const auto slices = must(fixture.mirror->slices("lines"));
    CHECK_FALSE(slices[0].proven_as_of);
    CHECK(slices[1].proven_as_of);
    fixture.walk(0, 100, rows(1, 2, 50));
    CHECK(complete_from() == 0);
    CHECK_FALSE(is_filling());
    CHECK(fixture.one("SELECT count(*) FROM _changes WHERE op = 'delete'") == "0");
    // After everything that was walked.
    begin_at(1000);
    CHECK(complete_from() == -1);
    CHECK(is_filling());
    CHECK(fixture.ids() == "1,2,3,4,5,6");
}

TEST_CASE("a ledger is filling while a window that has begun was walked and never proven")
{
    auto spec = LedgerFixture::ledger();
    LedgerFixture fixture(spec);
    const auto said = [&fixture] { return fixture.one("SELECT state || ': ' || coalesce(why, '') FROM freshness"); };
    fixture.walk(0, 100, rows(1, 2, 50), of_round(fixture.clock.now()));
    CHECK(said().find("filling") != 0);
    fixture.walk(100, 200, rows(3, 4, 150), unproven());
    CHECK(said().find("filling: 1 window was walked but not proven complete, the newest 100 to 200") == 0);
    CHECK_FALSE(must(fixture.mirror->parent_rows("lines", "id")).complete);
    fixture.walk(100, 200, rows(3, 4, 150));
    CHECK(said().find("filling") != 0);
    CHECK(must(fixture.mirror->parent_rows("lines", "id")).complete);
    // One that has just begun may need a second walk.
    const auto now =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    fixture.specs[0].late_after = 1h;
    fixture.reopen();
    fixture.walk(200, now - 600, "");
    fixture.walk(now - 600, now + 600, rows(5, 5, static_cast<int>(now)), unproven());
    CHECK(said().find("filling") != 0);
}

TEST_CASE("a row that left its window stays until all that comes was asked for, and is found there")
{
    LedgerFixture fixture;
    fixture.clock.set_wall(Instant::from_seconds(300));
    fixture.walk(0, 100, rows(1, 2, 50));
    fixture.walk(100, 400, rows(3, 4, 150));
    const bool has_walked_ahead = GENERATE(false, true);
    if (has_walked_ahead) {
        fixture.walk(400, mirror::behind_all, rows(7, 7, 500));
    }
    fixture.walk(100, 400, rows(3, 3, 150));
    fixture.walk(100, 400, rows(3, 3, 150));
    // Every window that has begun is walked: it may be in one to come.
    CHECK(fixture.walk(0, 100, rows(1, 2, 50)).deleted == 0);
    CHECK(fixture.ids() == (has_walked_ahead ? "1,2,3,4,7" : "1,2,3,4"));
    CHECK(must(fixture.mirror->has_departed("lines")));
    CHECK(fixture.one("SELECT why FROM freshness").find("1 row is no longer in the window in which it was") == 0);
    SECTION("it is dated to a day to come")
    {
        const auto found = fixture.walk(400, mirror::behind_all, rows(4, 4, 600) + "," + rows(7, 7, 500));
        CHECK(found.deleted == 0);
        CHECK(found.changed == 1);
        CHECK(fixture.one("SELECT t FROM lines WHERE id = 4") == "600");
    }
    SECTION("it is nowhere, and a later walk of what comes replaces the one before")
    {
        CHECK(fixture.walk(450, mirror::behind_all, rows(7, 7, 500)).deleted == 0);
        CHECK(fixture.walk(400, 450, "").deleted == 1);
        CHECK(fixture.one("SELECT count(*) FROM _slices WHERE past > 1000") == "1");
    }
    CHECK_FALSE(must(fixture.mirror->has_departed("lines")));
    // What comes is no part of what is complete.
    CHECK(Instant::from_rfc3339(fixture.one("SELECT complete_to FROM _resources"))->seconds() <= 400);
}

TEST_CASE("what is wrong with a window is kept until it is good, and a window that was only refused counts as unknown")
{
    LedgerFixture fixture;
    fixture.walk(100, 200, rows(1, 2, 150));
    must(fixture.mirror->record_trouble("lines",
                                        {{"100 to 200", 100, 200, "it moves"}, {"200 to 300", 200, 300, "HTTP 400"}}));
    auto slices = must(fixture.mirror->slices("lines"));
    REQUIRE(slices.size() == 2);
    CHECK(slices[0].trouble == "it moves");
    CHECK(slices[1].trouble == "HTTP 400");
    CHECK_FALSE(slices[1].as_of);
    // Its first load tells the feed nothing, as of any that begins before the table was there.
    CHECK(fixture.walk(200, 300, rows(3, 4, 250)).added == 2);
    CHECK(fixture.one("SELECT count(*) FROM _changes") == "0");
    CHECK(must(fixture.mirror->slices("lines"))[1].trouble == "HTTP 400");
    must(fixture.mirror->record_trouble(
        "lines", {{"100 to 200", 100, 200, ""}, {"200 to 300", 200, 300, ""}, {"0 to 100", 0, 100, ""}}));
    slices = must(fixture.mirror->slices("lines"));
    REQUIRE(slices.size() == 2);
    CHECK(slices[0].trouble + slices[1].trouble == "");
}

TEST_CASE("a row that another one follows out of its window waits for no proof that only the other one needs")
{
    LedgerFixture fixture;
    fixture.walk(0, 100, rows(1, 3, 50));
    fixture.walk_empty_from(100);
    fixture.walk(0, 100, rows(2, 3, 50));
    fixture.walk(0, 100, rows(2, 3, 50));
    fixture.walk(0, 100, rows(3, 3, 50));
    CHECK(fixture.walk_empty_from(100).deleted == 1);
    CHECK(fixture.walk(0, 100, rows(3, 3, 50)).deleted == 0);
    CHECK(fixture.walk_empty_from(100).deleted == 1);
    CHECK(fixture.ids() == "3");
}

TEST_CASE("a row that its own address dates into a window that was not walked yet stays until that one is")
{
    LedgerFixture fixture;
    fixture.walk(100, 200, rows(1, 2, 150));
    fixture.walk(200, fixture.clock.now().seconds() + 100, "");
    const auto later = fixture.clock.now().seconds() + 150;
    const auto move_to = [&](std::int64_t place) {
        auto pass = fixture.begin_slice(LedgerFixture::slice(100, 200));
        must(pass->add_page("[" + rows(2, 2, 150) + "]"));
        const auto missing = must(pass->missing(10, {"url"}));
        REQUIRE(missing.size() == 1);
        pass->testify_moved(missing[0], place);
        return must(pass->publish(complete_proof()));
    };
    SECTION("to come")
    {
        CHECK(move_to(later).deleted == 0);
        CHECK(must(fixture.mirror->has_departed("lines")));
        CHECK(fixture.one("SELECT why FROM freshness").find("1 row is no longer in the window in which it was") == 0);
        CHECK(Instant::from_rfc3339(fixture.one("SELECT complete_to FROM _resources"))->seconds() == 200);
        for (int walk = 0; walk < 3; ++walk) {
            fixture.walk(100, 200, rows(2, 2, 150));
            fixture.walk(0, 100, "");
            fixture.walk(200, fixture.clock.now().seconds() + 100, "");
            CHECK(fixture.ids() == "1,2");
        }
        const auto first = fixture.clock.now().seconds() + 100;
        CHECK(fixture.walk(first, first + 100, rows(1, 1, static_cast<int>(later))).changed == 1);
        CHECK(fixture.one("SELECT departed FROM _resources") == "0");
    }
    SECTION("older, and not loaded so far")
    {
        CHECK(move_to(50).deleted == 0);
        CHECK(fixture.ids() == "1,2");
        CHECK(fixture.walk(0, 100, rows(1, 1, 50)).changed == 1);
    }
    SECTION("before the ledger begins")
    {
        CHECK(move_to(-50).deleted == 1);
    }
}

TEST_CASE("the guards of deletions look at the window, not at the table")
{
    LedgerFixture fixture;
    fixture.walk(0, 100, rows(1000, 2000, 50));
    fixture.walk(100, 200, rows(1, 40, 150));
    SECTION("half of a window is many, however large the table")
    {
        auto pass = fixture.begin_slice(LedgerFixture::slice(100, 200));
        must(pass->add_page("[" + rows(21, 40, 150) + "]"));
        for (const auto& row : must(pass->missing(50, {"url"}))) {
            pass->add_evidence(row, mirror::Witness::gone);
        }
        const auto outcome = must(pass->publish(complete_proof()));
        CHECK(outcome.deleted == 0);
        CHECK(outcome.candidates == 20);
        pass = fixture.begin_slice(LedgerFixture::slice(100, 200));
        must(pass->add_page("[" + rows(21, 40, 150) + "]"));
        for (const auto& row : must(pass->missing(50, {"url"}))) {
            pass->add_evidence(row, mirror::Witness::gone);
        }
        CHECK(must(pass->publish(complete_proof())).deleted == 20);
    }
    SECTION("a row that still answers holds those of its window, and those alone")
    {
        CHECK(fixture.walk(0, 100, rows(1001, 2000, 50)).candidates == 1);
        auto pass = fixture.begin_slice(LedgerFixture::slice(100, 200));
        must(pass->add_page("[" + rows(4, 40, 150) + "]"));
        pass->add_evidence(must(pass->missing(50, {"url"})).front(), mirror::Witness::there);
        const auto outcome = must(pass->publish(complete_proof()));
        CHECK(outcome.held == 3);
        CHECK(outcome.candidates == 1);
        CHECK(fixture.walk(0, 100, rows(1001, 2000, 50)).deleted == 0);
        CHECK(fixture.walk(100, 200, rows(4, 40, 150)).deleted == 0);
        CHECK(fixture.walk_empty_from(200).deleted == 1);
        CHECK(fixture.one("SELECT held FROM freshness") == "3");
    }
}

TEST_CASE("a row that was not asked for is a fault that a person must hear of, and nothing of its page is taken")
{
    LedgerFixture fixture;
    fixture.walk(100, 200, rows(1, 3, 150));
    const auto refused = [&](const std::string& page, bool open = false) {
        auto pass = fixture.begin_slice(LedgerFixture::slice(200, 300, open));
        const auto seen = pass->add_page("[" + page + "]");
        REQUIRE_FALSE(seen);
        CHECK(seen.error().kind() == ErrorKind::config);
        return seen.error().text();
    };
    CHECK(refused(rows(4, 5, 250) + "," + rows(2, 2, 150)).find("row 2 came, whose t is \"150\"") != std::string::npos);
    CHECK(refused(rows(9, 9, 300)).find("200 to 300") != std::string::npos);
    CHECK(refused(rows(9, 9, 199), true).find("ignores the filter") != std::string::npos);
    CHECK(refused(R"({"id":9,"date":"250"})").find("it has no member t") != std::string::npos);
    CHECK(refused(R"({"id":9,"t":null})").find("its t is null") != std::string::npos);
    CHECK(refused(R"({"id":9,"t":"never"})").find("its t is \"never\"") != std::string::npos);
    CHECK(fixture.ids() == "1,2,3");
}

TEST_CASE("where a window is open at its end, rows behind it come along into their own windows")
{
    LedgerFixture fixture;
    auto pass = fixture.begin_slice(LedgerFixture::slice(100, 200, true));
    must(pass->add_page("[" + rows(1, 2, 150) + "," + rows(3, 4, 250) + "]"));
    must(pass->publish(complete_proof()));
    CHECK(fixture.ids() == "1,2,3,4");
    CHECK(fixture.walk(100, 200, rows(1, 2, 150)).candidates == 0);
    CHECK(fixture.walk(200, 300, rows(3, 3, 250)).candidates == 1);
}

TEST_CASE("freshness says from when to when a ledger is complete, and calls it filling before its beginning is reached")
{
    LedgerFixture fixture;
    const auto day = 86'400;
    const auto now = SystemClock().now();
    const auto last = now.seconds() / day * day;
    const auto beginning = last - 3 * day;
    must(fixture.mirror->declare(std::vector<mirror::ResourceSpec>{
        {.name = "lines", .axis = "t UTC", .begins_at = Instant::from_seconds(beginning)}}));
    const auto publish = [&](std::int64_t first, mirror::Proof proof, std::optional<mirror::RoundProgress> round = {}) {
        mirror::PassStart start;
        start.run_id = fmt::format("run-{}", first);
        start.started = start.as_of = now;
        start.slice = LedgerFixture::slice(first, first + day);
        auto pass = must(fixture.mirror->begin_pass("lines", start));
        must(pass->add_page("[]"));
        proof.round = round;
        must(pass->publish(proof));
    };
    const auto said = [&] {
        return fixture.one("SELECT state || ' ' || coalesce(as_of, '-') || ' ' || coalesce(complete_from, '-') || ' ' "
                           "|| coalesce(complete_to, '-') FROM freshness");
    };
    const auto text = [](std::int64_t at) { return Instant::from_seconds(at).to_text(); };
    CHECK(said() == "filling - - -");
    publish(last, complete_proof());
    CHECK(said() == fmt::format("filling - {} {}", text(last), now.to_text()));
    publish(last, complete_proof(), mirror::RoundProgress{now, true});
    publish(last - 2 * day, complete_proof());
    CHECK(said() == fmt::format("filling {} {} {}", now.to_text(), text(last), now.to_text()));
    publish(last - day, unproven());
    CHECK(said() == fmt::format("filling {} {} {}", now.to_text(), text(last), now.to_text()));
    publish(last - day, complete_proof());
    CHECK(said() == fmt::format("filling {} {} {}", now.to_text(), text(last - 2 * day), now.to_text()));
    publish(beginning, complete_proof());
    CHECK(said() == fmt::format("fresh {} {} {}", now.to_text(), text(beginning), now.to_text()));
    CHECK(must(fixture.mirror->summary("lines")).value().complete_from == Instant::from_seconds(beginning));
    // A round that was not proven moves as_of alone.
    publish(last, unproven(), mirror::RoundProgress{now + 1s, false});
    CHECK(fixture.one("SELECT as_of > proven_as_of FROM freshness") == "1");
}

TEST_CASE("the first load of a ledger tells the feed nothing, however long it takes, and new rows meanwhile are told")
{
    LedgerFixture fixture;
    const auto now = fixture.clock.now().seconds();
    const auto first = now - 50;
    fixture.walk(first, first + 100, rows(1, 2, static_cast<int>(now)));
    fixture.walk(first - 100, first, rows(3, 4, static_cast<int>(first - 1)));
    CHECK(fixture.one("SELECT count(*) FROM _changes") == "0");
    fixture.walk(first, first + 100, rows(1, 2, static_cast<int>(now)) + "," + rows(9, 9, static_cast<int>(now)));
    CHECK(fixture.one("SELECT op || item_key FROM _changes") == "insert9");
    // A window that began later is no part of the first load, though it was never walked before.
    fixture.walk(first + 100, first + 200, rows(10, 10, static_cast<int>(first + 150)));
    CHECK(fixture.one("SELECT group_concat(item_key) FROM _changes") == "9,10");
    // A row that was known and turns up in a window of the first load has changed all the same.
    fixture.walk(first - 200, first - 100,
                 rows(9, 9, static_cast<int>(first - 150)) + "," + rows(11, 11, static_cast<int>(first - 150)));
    CHECK(fixture.one("SELECT group_concat(op || item_key) FROM _changes") == "insert9,insert10,update9");
}

TEST_CASE("a window of other bounds takes the place of those within it")
{
    LedgerFixture fixture;
    for (int first = 0; first < 400; first += 100) {
        fixture.walk(first, first + 100, rows(first + 1, first + 2, first + 50));
    }
    fixture.walk(100, 300, rows(101, 102, 150) + "," + rows(201, 202, 250));
    const auto slices = must(fixture.mirror->slices("lines"));
    REQUIRE(slices.size() == 3);
    CHECK(slices[1].first == 100);
    CHECK(slices[1].past == 300);
    CHECK(slices[1].rows == 4);
    CHECK(fixture.walk(200, 250, "").candidates == 0);
    CHECK(fixture.walk(250, 300, "").candidates == 2);
}

TEST_CASE("the newest proof of a window is kept, however old, and the others go")
{
    LedgerFixture fixture;
    fixture.walk(0, 100, rows(1, 1, 50));
    fixture.walk(100, 200, rows(2, 2, 150));
    fixture.walk(100, 200, rows(2, 2, 150));
    fixture.clock.advance_by(std::chrono::hours(24 * 100));
    for (int walk = 0; walk < 3; ++walk) {
        fixture.walk(200, 300, rows(3, 3, 250));
    }
    CHECK(fixture.one("SELECT group_concat(run_id) FROM (SELECT run_id FROM _proofs ORDER BY rowid)") ==
          "run-1,run-3,run-4,run-5,run-6");
}

TEST_CASE("a table that is cut another way is filled anew, and one that is not cut takes no slices")
{
    LedgerFixture fixture;
    fixture.walk(0, 100, rows(1, 3, 50));
    auto pass = fixture.mirror->begin_pass("lines", {.run_id = "whole", .as_of = fixture.clock.now()});
    REQUIRE_FALSE(pass);
    CHECK(pass.error().kind() == ErrorKind::usage);
    fixture.specs[0].axis = "t Europe/Brussels";
    fixture.reopen();
    CHECK(fixture.mirror->take_notice()->find("filled again") != std::string::npos);
    CHECK(fixture.ids().empty());
    CHECK(must(fixture.mirror->slices("lines")).empty());
    fixture.specs[0].axis.clear();
    fixture.reopen();
    fixture.load({rows(1, 3, 50)}, "lines");
    CHECK(fixture.load({rows(2, 3, 50)}, "lines").candidates == 1);
}

TEST_CASE("keys of any kind have their places: texts, several members, and those that turn out mixed")
{
    auto spec = LedgerFixture::ledger();
    SECTION("several members")
    {
        spec.key = {"till", "id"};
        LedgerFixture fixture(spec);
        fixture.walk(0, 100, R"({"till":1,"id":1,"t":"50"},{"till":2,"id":1,"t":"50"})");
        fixture.walk(100, 200, R"({"till":1,"id":2,"t":"150"})");
        CHECK(fixture.walk(0, 100, R"({"till":1,"id":1,"t":"50"})").candidates == 1);
        CHECK(fixture.walk(0, 100, R"({"till":1,"id":1,"t":"50"})").deleted == 0);
        CHECK(fixture.walk(100, 200, R"({"till":1,"id":2,"t":"150"})").deleted == 0);
        CHECK(fixture.walk_empty_from(200).deleted == 1);
        CHECK(fixture.one("SELECT count(*) FROM lines") == "2");
    }
    SECTION("mixed kinds")
    {
        LedgerFixture fixture(spec);
        fixture.walk(0, 100, R"({"id":1,"t":"50"},{"id":2,"t":"50"})");
        fixture.walk(100, 200, R"({"id":"1","t":"150"})");
        fixture.walk(200, 300, R"({"id":3,"t":"250"},{"id":"three","t":"250"})");
        CHECK(fixture.one("SELECT count(*) FROM lines") == "5");
        CHECK(fixture.walk(0, 100, R"({"id":1,"t":"50"})").candidates == 1);
        CHECK(fixture.walk(100, 200, R"({"id":"1","t":"150"})").candidates == 1);
    }
}

TEST_CASE("a mirror of an earlier version learns of slices without losing a row")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1},{"id":2})"});
    {
        auto earlier = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
        must(earlier.execute(
            "DROP VIEW freshness; DROP VIEW _standing; DROP TABLE _slices; ALTER TABLE _resources DROP COLUMN axis; "
            "ALTER TABLE _resources DROP COLUMN begins_at; ALTER TABLE _resources DROP COLUMN "
            "place_form; UPDATE _meta SET value = '2' WHERE key = 'schema_minor'; "
            "CREATE VIEW freshness AS SELECT resource FROM _resources"));
    }
    fixture.reopen();
    CHECK(fixture.one("SELECT rows FROM freshness") == "2");
    CHECK(fixture.load({R"({"id":1})"}).candidates == 1);
    fixture.specs.push_back(LedgerFixture::ledger());
    fixture.reopen();
    CHECK(must(fixture.mirror->slices("lines")).empty());
}

TEST_CASE("a mirror made before windows kept their trouble gets the column for it")
{
    LedgerFixture fixture;
    fixture.walk(0, 100, R"({"id":1,"t":"50"})");
    {
        auto earlier = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
        must(earlier.execute(
            "ALTER TABLE _slices DROP COLUMN trouble; UPDATE _meta SET value = '15' WHERE key = 'schema_minor'"));
    }
    fixture.reopen();
    const std::vector<mirror::SliceTrouble> windows = {{"1970-01-01", 0, 100, "the service ignores the order"}};
    must(fixture.mirror->record_trouble("lines", windows));
    const auto slices = must(fixture.mirror->slices("lines"));
    REQUIRE(slices.size() == 1);
    CHECK(slices.front().trouble == "the service ignores the order");
}
