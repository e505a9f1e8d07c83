#include "sync/pass/pass_machine.hpp"

#include "support/catch.hpp"
#include "sync/pages.hpp"

#include <fmt/core.h>

#include <functional>
#include <vector>

using namespace shelfd::sync;

namespace {

// Of a list that is walked newest key first.
PageSeen ordered(PageSeen seen, std::int64_t highest)
{
    seen.highest_key = highest;
    return seen;
}

// Of a list in some other order.
PageSeen unordered(PageSeen seen)
{
    seen.descending = seen.falling = false;
    return seen;
}

PageSeen repeated(PageSeen seen)
{
    seen.new_keys = 0;
    return seen;
}

PassMachine machine_with(bool has_identity)
{
    PassMachine::Settings settings;
    settings.has_identity = has_identity;
    settings.first_query = "ordering=-id&page_size=2";
    settings.plain_query = "page_size=2";
    settings.newest_first = true;
    return PassMachine(settings);
}

// Brings a machine without identity to the state asked for.
PassMachine machine_in(PassState state)
{
    auto machine = machine_with(state == PassState::confirming);
    machine.resume(PassEvent::begin, 0);
    switch (state) {
    case PassState::confirming:
        machine.resume(PassEvent::identity_ours, 0);
        machine.page_arrived(page(1, 1, std::nullopt));
        break;
    case PassState::walking: break;
    case PassState::closing:
        machine.page_arrived(ordered(page(3, 2, "page=2"), 3));
        machine.page_arrived(page(3, 1, std::nullopt));
        break;
    case PassState::renewing: machine.resume(PassEvent::unauthorized, 0); break;
    case PassState::waiting: machine.resume(PassEvent::passing_trouble, 0); break;
    case PassState::publishing: machine.page_arrived(page(1, 1, std::nullopt)); break;
    default: FAIL("no way to this state");
    }
    REQUIRE(machine.state() == state);
    return machine;
}

}  // namespace

TEST_CASE("a pass follows its transition table")
{
    struct Row {
        const char* name;
        PassState from;
        PassEvent event;
        PassState to;
        PassAction action;
    };
    const auto row = GENERATE(values<Row>({
        {"a 401 asks the keeper", PassState::walking, PassEvent::unauthorized, PassState::renewing,
         PassAction::renew_token},
        {"a 401 of the closing page too", PassState::closing, PassEvent::unauthorized, PassState::renewing,
         PassAction::renew_token},
        {"a new token repeats the page", PassState::renewing, PassEvent::token_renewed, PassState::walking,
         PassAction::fetch_page},
        {"a keeper that cannot be reached is asked again", PassState::renewing, PassEvent::passing_trouble,
         PassState::waiting, PassAction::wait},
        {"a token that works meets a limit: the page is asked for again", PassState::renewing, PassEvent::throttled,
         PassState::walking, PassAction::fetch_page},
        {"a first page that is refused for its order is asked for without", PassState::walking,
         PassEvent::order_refused, PassState::walking, PassAction::fetch_page},
        {"a closing page is refused for something else", PassState::closing, PassEvent::order_refused, PassState::ended,
         PassAction::give_up},
        {"no new token ends the pass", PassState::renewing, PassEvent::failed, PassState::ended, PassAction::give_up},
        {"passing trouble waits", PassState::walking, PassEvent::passing_trouble, PassState::waiting, PassAction::wait},
        {"after the wait the page is asked for again", PassState::waiting, PassEvent::waited, PassState::walking,
         PassAction::fetch_page},
        {"a 429 asks again, the limiter waits", PassState::walking, PassEvent::throttled, PassState::walking,
         PassAction::fetch_page},
        {"a first page past the end is no list", PassState::walking, PassEvent::page_past_end, PassState::ended,
         PassAction::give_up},
        {"a page that the service names and refuses ends the walk, and what came before it is published",
         PassState::walking, PassEvent::page_refused, PassState::publishing, PassAction::publish},
        {"a canary without an answer is asked again", PassState::confirming, PassEvent::passing_trouble,
         PassState::waiting, PassAction::wait},
        {"published is finished", PassState::publishing, PassEvent::published, PassState::ended, PassAction::finish},
        {"a mirror that fails ends the pass", PassState::publishing, PassEvent::failed, PassState::ended,
         PassAction::give_up},
        {"anything final ends a walk", PassState::walking, PassEvent::failed, PassState::ended, PassAction::give_up},
    }));
    SECTION(row.name)
    {
        auto machine = machine_in(row.from);
        CHECK(machine.resume(row.event, 0.5) == row.action);
        CHECK(machine.state() == row.to);
    }
}

TEST_CASE(
    "a page that is named behind all counted rows and is never answered ends the walk, unproven; a needed one fails it")
{
    const bool has_all = GENERATE(true, false);
    PassMachine::Settings settings;
    settings.first_query = "page_size=2";
    settings.max_attempts = 3;
    settings.newest_first = true;
    PassMachine machine(settings);
    machine.resume(PassEvent::begin, 0);
    REQUIRE(machine.page_arrived(page(has_all ? 2 : 3, 2, "page=2")) == PassAction::fetch_page);
    for (int i = 0; i < 2; ++i) {
        REQUIRE(machine.resume(PassEvent::passing_trouble, 0) == PassAction::wait);
        REQUIRE(machine.resume(PassEvent::waited, 0) == PassAction::fetch_page);
    }
    CHECK(machine.resume(PassEvent::passing_trouble, 0) == (has_all ? PassAction::publish : PassAction::give_up));
    CHECK(machine.astray() == (has_all ? "page 2 is named, and could not be read" : ""));
    CHECK(!machine.proof().complete());
}

TEST_CASE("a page that was asked for before the pass began neither takes a row away nor from another slice")
{
    PassMachine::Settings settings;
    settings.first_query = "page_size=2";
    settings.seeks_missing = true;
    PassMachine machine(settings);
    machine.resume(PassEvent::begin, 0);
    auto early = page(2, 2, std::nullopt);
    early.is_early = true;
    SECTION("a row of another slice")
    {
        early.moved = 1;
        CHECK(machine.page_arrived(early) == PassAction::start_over);
    }
    SECTION("rows that it lacks")
    {
        REQUIRE(machine.page_arrived(early) == PassAction::find_missing);
        CHECK(machine.missing_found({.any = true, .askable = 0}) == PassAction::start_over);
    }
    SECTION("what is new or changed is as good as ever")
    {
        REQUIRE(machine.page_arrived(early) == PassAction::find_missing);
        CHECK(machine.missing_found({}) == PassAction::publish);
        return;
    }
    CHECK(machine.state() == PassState::walking);
    CHECK(machine.resume(PassEvent::dropped, 0) == PassAction::fetch_page);
    CHECK(machine.query() == "page_size=2");
    auto fresh = page(2, 2, std::nullopt);
    fresh.moved = 1;
    REQUIRE(machine.page_arrived(fresh) == PassAction::find_missing);
    CHECK(machine.missing_found({.any = true, .askable = 1}) == PassAction::ask_witness);
}

TEST_CASE("a list of one page is one request and proves itself")
{
    auto machine = machine_with(false);
    CHECK(machine.resume(PassEvent::begin, 0) == PassAction::fetch_page);
    CHECK(machine.query() == "ordering=-id&page_size=2");
    CHECK(machine.page_arrived(page(2, 2, std::nullopt)) == PassAction::publish);
    CHECK(machine.proof().kind == ProofKind::single_page);
}

TEST_CASE("an order that the service refuses is dropped once")
{
    auto machine = machine_with(false);
    machine.resume(PassEvent::begin, 0);
    CHECK(machine.resume(PassEvent::order_refused, 0) == PassAction::fetch_page);
    CHECK(machine.query() == "page_size=2");
    CHECK(machine.order_was_refused());
    CHECK(machine.resume(PassEvent::order_refused, 0) == PassAction::give_up);
}

TEST_CASE("a keeper that could not be reached in mid-walk is asked again, and the page goes on from there")
{
    auto machine = machine_in(PassState::closing);
    CHECK(machine.resume(PassEvent::unauthorized, 0) == PassAction::renew_token);
    CHECK(machine.resume(PassEvent::passing_trouble, 0) == PassAction::wait);
    CHECK(machine.resume(PassEvent::waited, 0) == PassAction::renew_token);
    CHECK(machine.resume(PassEvent::token_renewed, 0) == PassAction::fetch_page);
    CHECK(machine.state() == PassState::closing);
}

TEST_CASE("the canary is asked before the first page and after the last")
{
    auto machine = machine_with(true);
    CHECK(machine.resume(PassEvent::begin, 0) == PassAction::ask_identity);
    CHECK(machine.resume(PassEvent::identity_ours, 0) == PassAction::fetch_page);
    CHECK(machine.page_arrived(page(2, 2, std::nullopt)) == PassAction::ask_identity);
    CHECK(machine.resume(PassEvent::identity_ours, 0) == PassAction::publish);
}

TEST_CASE("a walk newest key first looks at page 1 again before it proves anything")
{
    auto machine = machine_with(false);
    machine.resume(PassEvent::begin, 0);
    CHECK(machine.page_arrived(ordered(page(3, 2, "page=2&page_size=2"), 3)) == PassAction::fetch_page);
    CHECK(machine.query() == "page=2&page_size=2");
    CHECK(machine.page_arrived(page(3, 1, std::nullopt)) == PassAction::fetch_page);
    CHECK(machine.state() == PassState::closing);
    CHECK(machine.query() == "ordering=-id&page_size=2");
    CHECK(machine.page_arrived(repeated(page(3, 2, "page=2&page_size=2"))) == PassAction::publish);
    CHECK(machine.proof().kind == ProofKind::newest_first);
}

TEST_CASE("a walk in any other order ends with its last page, and proves when the walk before it met the same keys")
{
    struct Row {
        const char* name;
        const char* before;
        ProofKind proof;
    };
    const auto row = GENERATE(values<Row>({
        {"the same keys", "0123", ProofKind::two_walks},
        {"other keys", "4567", ProofKind::none},
        {"no walk before", "", ProofKind::none},
    }));
    SECTION(row.name)
    {
        PassMachine::Settings settings;
        settings.first_query = "page_size=2";
        settings.previous_key_set = row.before;
        PassMachine machine(settings);
        machine.resume(PassEvent::begin, 0);
        CHECK(machine.page_arrived(unordered(page(3, 2, "page=2"))) == PassAction::fetch_page);
        auto last = unordered(page(3, 1, std::nullopt));
        last.key_set = "0123";
        CHECK(machine.page_arrived(last) == PassAction::publish);
        CHECK(machine.proof().kind == row.proof);
    }
}

TEST_CASE("a cursor list whose cursors are keys is proven by its chain, without a count and without a closing look")
{
    auto machine = machine_with(false);
    machine.resume(PassEvent::begin, 0);
    auto first = page(0, 2, "cursor=cD0y");
    first.count.reset();
    first.is_chain = true;
    first.highest_key = 3;
    first.lowest_key = first.cursor_key = 2;
    CHECK(machine.page_arrived(first) == PassAction::fetch_page);
    auto last = first;
    last.highest_key = last.lowest_key = 1;
    last.next_query.reset();
    last.cursor_key.reset();
    CHECK(machine.page_arrived(last) == PassAction::publish);
    CHECK(machine.proof().kind == ProofKind::chain);
}

TEST_CASE("pages by number that nobody counts are proven by two equal walks alone, and need no closing look")
{
    struct Row {
        const char* name;
        const char* before;
        ProofKind proof;
    };
    const auto row = GENERATE(values<Row>({
        {"the first walk", "", ProofKind::none},
        {"another set of keys", "4567", ProofKind::none},
        {"the same", "0123", ProofKind::two_walks},
    }));
    SECTION(row.name)
    {
        PassMachine::Settings settings;
        settings.first_query = "ordering=-id&page_size=2";
        settings.newest_first = true;
        settings.previous_key_set = row.before;
        PassMachine machine(settings);
        machine.resume(PassEvent::begin, 0);
        auto first = ordered(page(0, 2, "page=2"), 9);
        first.count.reset();
        CHECK(machine.page_arrived(first) == PassAction::fetch_page);
        auto last = page(0, 2, std::nullopt);
        last.count.reset();
        last.key_set = "0123";
        CHECK(machine.page_arrived(last) == PassAction::publish);
        CHECK(machine.proof().kind == row.proof);
    }
}

TEST_CASE(
    "pages by number in whatever order that nobody counts are proven by the walk that they repeat, by no older one")
{
    for (const bool repeats : {false, true}) {
        PassMachine::Settings settings;
        settings.first_query = "page_size=2";
        settings.previous_key_set = "0123";
        settings.repeats = repeats;
        PassMachine machine(settings);
        machine.resume(PassEvent::begin, 0);
        auto first = unordered(page(0, 2, "page=2"));
        first.count.reset();
        CHECK(machine.page_arrived(first) == PassAction::fetch_page);
        auto last = unordered(page(0, 2, std::nullopt));
        last.count.reset();
        last.key_set = "0123";
        CHECK(machine.page_arrived(last) == PassAction::publish);
        CHECK(machine.proof().kind == (repeats ? ProofKind::two_walks : ProofKind::none));
    }
}

TEST_CASE("a page that nobody named is worth asking for: the same again, none, or a next one")
{
    PassMachine::Settings settings;
    settings.first_query = "page_size=2";
    PassMachine machine(settings);
    machine.resume(PassEvent::begin, 0);
    CHECK_FALSE(machine.is_guessing());
    auto first = page(0, 2, "page=2&page_size=2");
    first.count.reset();
    first.next_is_guess = true;
    CHECK(machine.page_arrived(first) == PassAction::fetch_page);
    CHECK(machine.is_guessing());
    auto second = page(0, 2, std::nullopt);
    second.count.reset();
    SECTION("aside: there are no pages, and the one was all")
    {
        auto same = repeated(second);
        same.is_aside = true;
        SECTION("nothing more is asked for")
        {
            CHECK(machine.page_arrived(same) == PassAction::publish);
        }
        SECTION("it is asked in another way first")
        {
            same.next_query = "limit=2&offset=2";
            same.next_is_guess = true;
            CHECK(machine.page_arrived(same) == PassAction::fetch_page);
            CHECK(machine.query() == "limit=2&offset=2");
            same.next_query.reset();
            CHECK(machine.page_arrived(same) == PassAction::publish);
        }
        CHECK(machine.proof().kind == ProofKind::single_page);
        CHECK(machine.walk().pages == 1);
    }
    SECTION("empty: what moved meanwhile nobody knows")
    {
        auto empty = second;
        empty.items = empty.new_keys = 0;
        CHECK(machine.page_arrived(empty) == PassAction::publish);
        CHECK(machine.proof().kind == ProofKind::none);
    }
    SECTION("aside, and the list is known to hold more")
    {
        auto cut = repeated(second);
        cut.is_aside = cut.may_lack = true;
        CHECK(machine.page_arrived(cut) == PassAction::publish);
        CHECK(machine.proof().kind == ProofKind::none);
    }
    SECTION("another one, and the last")
    {
        CHECK(machine.page_arrived(second) == PassAction::publish);
        CHECK(machine.walk().pages == 2);
        CHECK(machine.proof().kind == ProofKind::none);
    }
}

TEST_CASE("a walk that saw fewer keys than the service counts proves nothing")
{
    auto machine = machine_with(false);
    machine.resume(PassEvent::begin, 0);
    machine.page_arrived(ordered(page(4, 2, "page=2"), 4));
    machine.page_arrived(page(4, 1, std::nullopt));
    CHECK(machine.page_arrived(repeated(page(4, 2, "page=2"))) == PassAction::publish);
    CHECK(machine.proof().kind == ProofKind::none);
}

TEST_CASE("a list that shrank under the walk proves nothing")
{
    auto machine = machine_with(false);
    machine.resume(PassEvent::begin, 0);
    machine.page_arrived(page(3, 2, "page=2"));
    CHECK(machine.resume(PassEvent::page_past_end, 0) == PassAction::publish);
    CHECK(machine.proof().kind == ProofKind::none);
}

TEST_CASE("a list that always names one page too many is proven where all came that is counted, or by two walks")
{
    SECTION("counted")
    {
        auto machine = machine_with(false);
        machine.resume(PassEvent::begin, 0);
        machine.page_arrived(page(2, 2, "page=2"));
        CHECK(machine.resume(PassEvent::page_past_end, 0) == PassAction::publish);
        CHECK(machine.proof().kind == ProofKind::single_page);
    }
    struct Row {
        const char* name;
        std::uint64_t last_items;
        const char* before;
        ProofKind proof;
    };
    const Row rows[] = {
        {"the first walk", 1, "", ProofKind::none},
        {"the second one", 1, "0123", ProofKind::two_walks},
        {"a last page that is full, maybe of a list that is longer", 2, "0123", ProofKind::none},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        PassMachine::Settings settings;
        settings.first_query = "page_size=2";
        settings.previous_key_set = row.before;
        settings.repeats = true;
        PassMachine machine(settings);
        machine.resume(PassEvent::begin, 0);
        auto first = unordered(page(0, 2, "page=2"));
        first.count.reset();
        machine.page_arrived(first);
        auto last = unordered(page(0, row.last_items, "page=3"));
        last.count.reset();
        last.key_set = "0123";
        machine.page_arrived(last);
        CHECK(machine.resume(PassEvent::page_past_end, 0) == PassAction::publish);
        CHECK(machine.proof().kind == row.proof);
    }
    SECTION("the only page, by two walks that follow each other")
    {
        const bool repeats = GENERATE(false, true);
        const std::string before = GENERATE("", "01", "02");
        PassMachine::Settings settings;
        settings.first_query = "page_size=2";
        settings.previous_key_set = before;
        settings.repeats = repeats;
        PassMachine machine(settings);
        machine.resume(PassEvent::begin, 0);
        auto only = page(0, 2, "page=2");
        only.count.reset();
        only.key_set = "01";
        machine.page_arrived(only);
        CHECK(machine.resume(PassEvent::page_past_end, 0) == PassAction::publish);
        CHECK(machine.proof().kind == (repeats && before == "01" ? ProofKind::two_walks : ProofKind::none));
    }
}

TEST_CASE("a next page that was already read ends the walk: proven if all counted rows came, otherwise as read")
{
    auto machine = machine_with(false);
    machine.resume(PassEvent::begin, 0);
    const std::uint64_t count = GENERATE(4, 9);
    CHECK(machine.page_arrived(ordered(page(count, 2, "page=2"), 9)) == PassAction::fetch_page);
    const auto action = machine.page_arrived(page(count, 2, "page=2"));
    if (count == 4) {
        CHECK(action == PassAction::fetch_page);  // the closing look at page 1
        auto closing = ordered(page(4, 2, "page=2"), 9);
        closing.new_keys = 0;
        CHECK(machine.page_arrived(closing) == PassAction::publish);
        CHECK(machine.proof().kind == ProofKind::newest_first);
        CHECK(machine.astray().empty());
    } else {
        CHECK(action == PassAction::publish);
        CHECK_FALSE(machine.proof().complete());
        CHECK(machine.astray() == "page 2 names a next page that was already read");
    }
}

TEST_CASE("a list that repeats its last page for every number behind it ends when all counted rows came")
{
    auto machine = machine_with(false);
    machine.resume(PassEvent::begin, 0);
    CHECK(machine.page_arrived(unordered(page(4, 2, "page=2"))) == PassAction::fetch_page);
    CHECK(machine.page_arrived(unordered(page(4, 2, "page=3"))) == PassAction::fetch_page);
    CHECK(machine.page_arrived(unordered(repeated(page(4, 2, "page=4")))) == PassAction::publish);
    CHECK(machine.astray().empty());
}

TEST_CASE("pages that bring no new key end the walk unproven, however different their addresses")
{
    auto machine = machine_with(false);
    machine.resume(PassEvent::begin, 0);
    auto action = machine.page_arrived(page(9, 2, "page=2"));
    int pages = 0;
    while (action == PassAction::fetch_page && pages < 100) {
        action = machine.page_arrived(repeated(page(9, 2, "page=" + std::to_string(++pages + 2))));
    }
    CHECK(action == PassAction::publish);
    CHECK_FALSE(machine.proof().complete());
    CHECK(machine.astray() == "5 pages in a row returned no new key");
    CHECK(pages == 5);
}

TEST_CASE("a cursor may lead over many empty pages, and not for ever")
{
    PassMachine::Settings settings;
    settings.first_query = "page_size=2";
    PassMachine machine(settings);
    machine.resume(PassEvent::begin, 0);
    for (std::uint32_t empty = 1; empty < settings.advance.max_empty_pages; ++empty) {
        REQUIRE(machine.page_arrived(page(0, 0, fmt::format("cursor={}", empty))) == PassAction::fetch_page);
    }
    SECTION("a row comes")
    {
        CHECK(machine.page_arrived(page(0, 1, std::nullopt)) == PassAction::publish);
    }
    SECTION("none comes")
    {
        CHECK(machine.page_arrived(page(7, 0, "cursor=x")) == PassAction::publish);
        CHECK_FALSE(machine.proof().complete());
        CHECK_FALSE(machine.astray().empty());
    }
}

TEST_CASE("a page is tried a bounded number of times, with growing waits, and a page that arrives resets the count")
{
    auto machine = machine_with(false);
    machine.resume(PassEvent::begin, 0);
    machine.page_arrived(page(9, 2, "page=2"));
    auto last = shelfd::Duration(0);
    for (int i = 0; i < 11; ++i) {
        REQUIRE(machine.resume(PassEvent::passing_trouble, 0) == PassAction::wait);
        CHECK(machine.wait_time() >= last);
        last = machine.wait_time();
        REQUIRE(machine.resume(PassEvent::waited, 0) == PassAction::fetch_page);
    }
    SECTION("the twelfth failure gives up")
    {
        CHECK(machine.resume(PassEvent::passing_trouble, 0) == PassAction::give_up);
    }
    SECTION("a page resets the count")
    {
        machine.page_arrived(page(9, 2, "page=3"));
        CHECK(machine.resume(PassEvent::passing_trouble, 0) == PassAction::wait);
    }
}

TEST_CASE("a later page has failed often when the first one would have been given up, until it arrives")
{
    auto machine = machine_with(false);
    machine.resume(PassEvent::begin, 0);
    machine.page_arrived(page(9, 2, "page=2"));
    for (int tries = 1; tries <= 5; ++tries) {
        CHECK(machine.resume(PassEvent::passing_trouble, 0) == PassAction::wait);
        CHECK(machine.has_failed_often() == (tries >= 4));
        machine.resume(PassEvent::waited, 0);
    }
    machine.page_arrived(page(9, 2, "page=3"));
    CHECK_FALSE(machine.has_failed_often());
}

TEST_CASE("a pass that never got a page gives up sooner")
{
    auto machine = machine_with(true);
    auto action = machine.resume(PassEvent::begin, 0);
    int tries = 0;
    while (action == PassAction::ask_identity && tries < 100) {
        ++tries;
        if (machine.resume(PassEvent::passing_trouble, 0) != PassAction::wait) {
            break;
        }
        action = machine.resume(PassEvent::waited, 0);
    }
    CHECK(tries == 4);
    CHECK(machine.state() == PassState::ended);
}

TEST_CASE("a second 401 with a fresh token gives the page up instead of asking for a third token")
{
    auto machine = machine_in(PassState::renewing);
    CHECK(machine.resume(PassEvent::token_renewed, 0) == PassAction::fetch_page);
    CHECK(machine.resume(PassEvent::unauthorized, 0) == PassAction::give_up);
}

TEST_CASE("endless throttling ends the pass")
{
    auto machine = machine_with(false);
    machine.resume(PassEvent::begin, 0);
    int answers = 1;
    while (machine.resume(PassEvent::throttled, 0) == PassAction::fetch_page && answers < 1000) {
        ++answers;
    }
    CHECK(answers == 20);
}

TEST_CASE("recalled pages count as those that arrive, and a list in a provable order goes on whatever moved")
{
    auto machine = machine_with(false);
    machine.resume(PassEvent::begin, 0);
    CHECK(machine.page_recalled(ordered(page(6, 2, "page=2"), 6)) == PassAction::fetch_page);
    CHECK(machine.page_recalled(page(6, 2, "page=3")) == PassAction::fetch_page);
    CHECK(machine.page_number() == 3);
    CHECK(machine.page_arrived(page(7, 2, std::nullopt)) == PassAction::fetch_page);
    CHECK(machine.state() == PassState::closing);
    CHECK(machine.walk().distinct_keys == 6);
}

TEST_CASE("behind recalled pages of a list in no provable order, another count starts the walk over")
{
    auto machine = machine_with(false);
    machine.resume(PassEvent::begin, 0);
    machine.page_recalled(unordered(page(6, 2, "page=2")));
    machine.page_recalled(unordered(page(7, 2, "page=3")));  // it moved while that walk went on: no news
    const bool moved = GENERATE(true, false);
    const auto action = machine.page_arrived(unordered(page(moved ? 8 : 7, 2, "page=4")));
    CHECK(action == (moved ? PassAction::start_over : PassAction::fetch_page));
    CHECK(machine.state() == PassState::walking);
    if (moved) {
        CHECK(machine.resume(PassEvent::dropped, 0) == PassAction::fetch_page);
        CHECK(machine.query() == "ordering=-id&page_size=2");
        CHECK(machine.walk().distinct_keys == 0);
        // The same pages again are no loop.
        CHECK(machine.page_arrived(unordered(page(8, 2, "page=2"))) == PassAction::fetch_page);
        CHECK(machine.page_arrived(unordered(page(8, 2, "page=3"))) == PassAction::fetch_page);
    } else {
        // Only the first page behind them is compared.
        CHECK(machine.page_arrived(unordered(page(9, 2, "page=5"))) == PassAction::fetch_page);
    }
}

TEST_CASE("a cursor goes on behind recalled pages: it keeps its place")
{
    auto machine = machine_with(false);
    machine.resume(PassEvent::begin, 0);
    auto recalled = unordered(page(0, 2, "cursor=b"));
    recalled.count.reset();
    recalled.is_chain = true;
    recalled.highest_key = 3;
    recalled.lowest_key = recalled.cursor_key = 2;
    machine.page_recalled(recalled);
    auto last = recalled;
    last.highest_key = last.lowest_key = 1;
    last.next_query.reset();
    CHECK(machine.page_arrived(last) == PassAction::publish);
    CHECK(machine.proof().kind == ProofKind::chain);
}
