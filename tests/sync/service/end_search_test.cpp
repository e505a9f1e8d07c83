// Services of every habit, and whether all of their rows are found, or the list is known to be cut.
#include "sync/service/end_search.hpp"

#include "http/url.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace shelfd::sync {
namespace {

using Rows = std::vector<int>;

constexpr std::uint64_t asked_for = 200;
const std::string first_query = "page_size=200";

// What a service answers to a query; nothing: it refuses, with `status`.
struct Service {
    std::function<std::optional<Rows>(const std::map<std::string, std::string>&)> answer;
    int status = 404;
};

Rows part(int rows, std::uint64_t from, std::uint64_t length)
{
    Rows page;
    for (auto at = from; at < std::min<std::uint64_t>(from + length, static_cast<std::uint64_t>(rows)); ++at) {
        page.push_back(rows - static_cast<int>(at));  // newest first
    }
    return page;
}

std::uint64_t number(const std::map<std::string, std::string>& params, const std::string& name, std::uint64_t otherwise)
{
    const auto found = params.find(name);
    return found == params.end() ? otherwise : std::stoull(found->second);
}

struct Walk {
    std::set<int> met;
    bool may_lack = false;
    std::vector<std::string> asked;
};

// As a pass does. `before`: what the mirror has.
Walk walk(const Service& service, EndHabit& habit, const std::set<int>& before = {}, bool looks_anew = true)
{
    Walk walk;
    EndSearch search({"page", "page_size", asked_for, ""}, habit, looks_anew);
    const auto lacks = [&] { return !std::includes(walk.met.begin(), walk.met.end(), before.begin(), before.end()); };
    std::optional<std::string> next = first_query;
    while (next && walk.asked.size() < 20) {
        walk.asked.push_back(*next);
        std::map<std::string, std::string> params;
        for (const auto& param : http::parse_query(*next)) {
            params[param.name] = param.value;
        }
        const auto page = service.answer(params);
        EndSearch::Step step;
        if (page) {
            EndSearch::Answer answer;
            answer.items = page->size();
            answer.falling = std::is_sorted(page->rbegin(), page->rend());
            for (const int row : *page) {
                answer.new_keys += walk.met.insert(row).second ? 1 : 0;
            }
            answer.distinct = walk.met.size();
            step = search.page(*next, answer, lacks);
        } else {
            step = search.refused(service.status == 404, true);
        }
        walk.may_lack = walk.may_lack || step.may_lack;
        next = step.next;
    }
    habit = search.habit();
    return walk;
}

Service cut_at(int& rows, std::uint64_t cap)
{
    return {[&rows, cap](const auto&) { return std::optional(part(rows, 0, cap)); }};
}

}  // namespace

TEST_CASE("a list of two pages whose first one is 0 is read whole, though the service refuses the page behind them")
{
    const int status = GENERATE(404, 400);
    Service service;
    service.status = status;
    service.answer = [](const auto& params) {
        const auto page = number(params, "page", 0);
        return page > 1 ? std::nullopt : std::optional(part(35, page * 20, 20));
    };
    EndHabit habit;
    const auto found = walk(service, habit);
    INFO(status);
    CHECK(found.met.size() == 35);
    CHECK(habit.further == Further::page_from_0);
    CHECK_FALSE(found.may_lack);
}

TEST_CASE("where the number of a page is refused, the rows behind an offset are asked for")
{
    Service service;
    service.status = 400;
    service.answer = [](const auto& params) {
        return params.contains("page") ? std::nullopt : std::optional(part(70, number(params, "offset", 0), 20));
    };
    EndHabit habit;
    CHECK(walk(service, habit).met.size() == 70);
    CHECK(habit.further == Further::offset);
}

TEST_CASE("a longer first page is no sign that an offset is obeyed: the list is known to be cut")
{
    Service service;
    service.answer = [](const auto& params) {
        return std::optional(part(250, 0, std::min<std::uint64_t>(number(params, "limit", 30), 200)));
    };
    EndHabit habit;
    const auto found = walk(service, habit);
    CHECK(found.may_lack);
    CHECK(habit.further == Further::cut);
    CHECK(found.met.size() == 200);
}

TEST_CASE(
    "a short list that obeys nothing and loses rows may be cut from today on, and is whole again when it has them")
{
    const int shorter = GENERATE(9, 12, 17);
    const bool looks_anew = GENERATE(false, true);
    int rows = 21;
    const auto service = cut_at(rows, 1000);
    EndHabit habit;
    const auto before = walk(service, habit).met;
    rows = shorter;
    for (int pass = 0; pass < 3; ++pass) {
        const auto walked = walk(service, habit, before, looks_anew);
        CHECK(walked.may_lack);
        CHECK(walked.met.size() == static_cast<std::size_t>(shorter));
    }
    rows = 22;
    CHECK_FALSE(walk(service, habit, before, looks_anew).may_lack);
}

TEST_CASE("a list that obeys nothing and gives as many rows as before, others among them, is not cut")
{
    int rows = 21;
    const auto service = cut_at(rows, 1000);
    EndHabit habit;
    const bool looks_anew = GENERATE(false, true);
    walk(service, habit);
    CHECK_FALSE(walk(service, habit, {90, 91}, looks_anew).may_lack);
}

TEST_CASE(
    "a list of a length at which services cut that obeys nothing is not known to be whole, until its length changes")
{
    const int cap = GENERATE(10, 16, 20, 25, 30, 50, 64, 75, 90, 100, 120, 200);
    INFO(cap);
    int rows = cap;
    const auto service = cut_at(rows, 1000);
    EndHabit habit;
    const auto first = walk(service, habit);
    CHECK(first.may_lack);
    CHECK(habit.further == Further::cut);
    // Remembered, and not asked for each time.
    const auto again = walk(service, habit, first.met, false);
    CHECK(again.may_lack);
    CHECK(again.asked.size() == 1);
    rows = cap + 1;
    const auto longer = walk(service, habit, first.met, false);
    CHECK_FALSE(longer.may_lack);
    CHECK(longer.met.size() == static_cast<std::size_t>(rows));
    CHECK(walk(service, habit, longer.met, false).asked.size() == 1);
    rows = cap;  // a cap that is new, or a row that went
    CHECK(walk(service, habit, longer.met, false).may_lack);
}

TEST_CASE("a list whose opposite order brings the same rows is whole, whatever its length")
{
    EndHabit habit;
    EndSearch search({"page", "page_size", asked_for, "ordering=id"}, habit, true);
    const auto nothing_lacks = [] { return false; };
    EndSearch::Answer answer{
        .items = 20, .new_keys = 20, .falling = true, .distinct = 20, .count = {}, .says_end = false};
    auto step = search.page(first_query, answer, nothing_lacks);
    answer.new_keys = 0;
    while (step.next && *step.next != "ordering=id") {
        step = search.page(*step.next, answer, nothing_lacks);
    }
    REQUIRE(step.next);
    answer.falling = GENERATE(false, true);  // true: the order is not obeyed
    step = search.page(*step.next, answer, nothing_lacks);
    CHECK_FALSE(step.next);
    CHECK(step.may_lack == answer.falling);
    CHECK(search.habit().further == (answer.falling ? Further::cut : Further::none));
}

TEST_CASE("of many lists of one kind none is cut at a length that another one exceeds")
{
    EndHabit habit;
    const auto walk_one = [&habit](std::uint64_t items, bool lacks) {
        EndSearch search({"page", "page_size", asked_for, "", true}, habit, false);
        EndSearch::Answer answer{
            .items = items, .new_keys = items, .falling = true, .distinct = items, .count = {}, .says_end = false};
        auto step = search.page(first_query, answer, [lacks] { return lacks; });
        std::size_t asked = 1;
        for (answer.new_keys = 0; step.next; ++asked) {
            step = search.page(*step.next, answer, [lacks] { return lacks; });
        }
        habit = search.habit();
        return std::pair(step.may_lack, asked);
    };
    CHECK(walk_one(20, false).first);
    CHECK(walk_one(20, false) == std::pair(true, std::size_t{1}));
    CHECK(walk_one(7, false) == std::pair(false, std::size_t{1}));
    CHECK_FALSE(walk_one(23, false).first);
    CHECK_FALSE(walk_one(20, false).first);
    // One lacks rows: nothing that could be asked would show that they went. What the others have shown stays known.
    CHECK(walk_one(10, true) == std::pair(true, std::size_t{1}));
    CHECK(habit.further == Further::none);
    CHECK(habit.whole_rows == 23);
}

}  // namespace shelfd::sync
