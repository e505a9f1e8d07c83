#include "sync/plan/list_plan.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace std::chrono_literals;
using sync::due_lists;
using sync::lists_between;

namespace {

constexpr auto noon = 1'000'000'000;
const Instant now = Instant::from_seconds(noon);

mirror::SliceFacts known(const std::string& name, std::optional<Duration> asked_ago, const std::string& why = "")
{
    mirror::SliceFacts facts;
    facts.name = name;
    if (asked_ago) {
        facts.asked_at = facts.whole_at = now - *asked_ago;
        facts.changes_from = now - *asked_ago;
    }
    facts.why = why;
    return facts;
}

std::string names(const std::vector<sync::ListChoice>& lists)
{
    std::string text;
    for (const auto& list : lists) {
        text += (text.empty() ? "" : " ") + list.parent + (list.whole ? "" : "~") + (list.faulty ? "!" : "");
    }
    return text;
}

const std::vector<std::string> parents = {"1", "2", "3", "4", "5"};

}  // namespace

TEST_CASE("lists that nobody knows come first, then those that waited longest, then those that went wrong")
{
    const std::vector<mirror::SliceFacts> lists = {known("1", 1h), known("2", 9h, "404"), known("3", 3h),
                                                   known("4", {}, "500")};
    CHECK(names(due_lists(parents, lists, {}, now)) == "5 3 1 4! 2!");
}

TEST_CASE("what was done since a round began is not done again by the same round")
{
    const std::vector<mirror::SliceFacts> lists = {known("1", 1h), known("2", 10min), known("3", 20min, "404"),
                                                   known("4", 3h)};
    CHECK(names(due_lists(parents, lists, {true, now - 30min}, now)) == "5 4 1");
    CHECK(names(due_lists(parents, lists, {true, now - 10min}, now)) == "5 4 1 3!");
}

TEST_CASE("changes are asked for where they can be, and a whole round does not take them for the whole")
{
    auto lists = std::vector{known("1", 1h), known("2", 1h), known("3", {}), known("4", 2h), known("5", 2h)};
    lists[1].changes_from.reset();
    CHECK(names(due_lists(parents, lists, {false, {}}, now)) == "3 4~ 5~ 1~ 2");
    lists[3].asked_at = now - 5min;  // what changed in it
    CHECK(names(due_lists(parents, lists, {true, now - 10min}, now)) == "3 5 1 2 4");
    CHECK(names(due_lists(parents, lists, {false, now - 10min}, now)) == "3 5~ 1~ 2");
    lists[4].whole_at.reset();  // changes alone came since the file began anew
    CHECK(names(due_lists(parents, lists, {false, now - 10min}, now)) == "3 5 1~ 2");
}

TEST_CASE("what a clock that was set back wrote down hinders no list")
{
    const std::vector<mirror::SliceFacts> lists = {known("1", -24h), known("2", 1h)};
    CHECK(names(due_lists({"1", "2"}, lists, {true, now - 30min}, now)) == "1 2");
    auto asked = std::vector{known("1", 1h), known("2", 1h)};
    asked[0].changes_from = now + 1min;  // what changed before it would never be asked for
    CHECK(names(due_lists({"1", "2"}, asked, {false, {}}, now)) == "1 2~");
}

TEST_CASE("lists for which the service failed as it stopped a round let those go first that nothing is known against")
{
    const std::vector<mirror::SliceFacts> lists = {known("1", 5h), known("2", 4h), known("3", 3h),
                                                   known("4", 6h, "404"), known("5", 1h)};
    auto due = due_lists(parents, lists, {}, now);
    sync::put_behind(due, {"1", "2", "9"});
    CHECK(names(due) == "3 5 1! 2! 4!");
}

TEST_CASE("between two rounds new parents have their turn, and lists worth another try")
{
    const std::vector<mirror::SliceFacts> lists = {known("1", 1h), known("2", 2h), known("3", {}, "500"),
                                                   known("4", 3h, "404")};
    CHECK(names(lists_between(parents, lists, {}, now)) == "5");
    CHECK(names(lists_between(parents, lists, {"1", "3", "9"}, now)) == "5 1 3!");
    CHECK(lists_between({}, lists, {"1"}, now).empty());
    // A walk repeats the whole one before it, and none for changes that lies between them.
    auto walked = std::vector{known("1", 1h), known("2", 1h)};
    for (auto& list : walked) {
        list.as_of = list.asked_at;
    }
    walked[1].whole_at = now - 2h;
    const auto again = lists_between({"1", "2"}, walked, {"1", "2"}, now);
    REQUIRE(again.size() == 2);
    for (const auto& list : again) {
        CHECK(list.repeats == (list.parent == "1"));
    }
}
