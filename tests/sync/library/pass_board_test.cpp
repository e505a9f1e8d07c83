#include "sync/library/progress.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace shelfd::sync;

namespace {

const Instant noon = Instant::from_seconds(1'800'000'000);

struct Shown {
    Progress progress;
    int reports = 0;
    PassBoard board{progress, [this] { ++reports; }};
};

}  // namespace

TEST_CASE("a pass begins with nothing but the list and the round that it belongs to")
{
    Shown shown;
    shown.board.begin_round(noon);
    shown.board.enter_list(2, 5, noon);
    shown.board.begin(noon);
    shown.board.page_arrived(PassBoard::Place::first, 10, 8, 95, noon);
    CHECK(shown.progress.rows == 8);
    CHECK(shown.progress.pages == 10);
    shown.board.begin(noon + Duration(1));
    CHECK(shown.progress.running);
    CHECK(shown.progress.started == noon + Duration(1));
    CHECK(shown.progress.rows == 0);
    CHECK(shown.progress.pages == 0);
    CHECK(shown.progress.list == 2);
    CHECK(shown.progress.lists == 5);
    CHECK(shown.progress.round_started == noon);
    shown.board.end();
    CHECK_FALSE(shown.progress.running);
}

TEST_CASE("what holds up a pass is shown since it began, until a page arrives")
{
    Shown shown;
    shown.board.hold_up("down", TroubleSource::service, noon);
    shown.board.hold_up("still down", TroubleSource::network, noon + Duration(1));
    CHECK(shown.progress.note == "still down");
    CHECK(shown.progress.source == TroubleSource::network);
    CHECK(shown.progress.held_up_since == noon);
    shown.board.page_arrived(PassBoard::Place::further, 10, 10, 0, noon);
    CHECK(shown.progress.note.empty());
    CHECK_FALSE(shown.progress.held_up_since);
}

TEST_CASE("several writes make one report")
{
    Shown shown;
    shown.board.enter(Phase::closing);
    shown.board.ask_for_page(Phase::pages, 7);
    CHECK(shown.reports == 0);
    shown.board.changed();
    CHECK(shown.reports == 1);
    CHECK(shown.progress.phase == Phase::pages);
    CHECK(shown.progress.page == 7);
}

TEST_CASE("items that are fetched one by one are counted as they are found and as they come")
{
    Shown shown;
    shown.board.begin_details(noon, 3);
    shown.board.expect_items(2);
    shown.board.item_arrived(noon);
    CHECK(shown.progress.phase == Phase::details);
    CHECK(shown.progress.count == 5);
    CHECK(shown.progress.rows == 1);
}
