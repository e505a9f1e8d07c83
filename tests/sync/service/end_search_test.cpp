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
Walk walk(const Service& service, EndHabit& habit, const std::set<int>& before = {}, bool looks_anew = true,
          bool is_one_of_many = false)
{
    Walk walk;
    EndSearch search({.page_param = "page",
                      .page_size_param = "page_size",
                      .page_size = asked_for,
                      .reversed_query = "",
                      .is_one_of_many = is_one_of_many,
                      .is_whole_table = !is_one_of_many},
                     habit, looks_anew);
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
                answer.meets_known = answer.meets_known || before.contains(row);
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

TEST_CASE("a list of one page whose first one is 0 is known to be numbered so before a second page comes")
{
    const int status = GENERATE(200, 404);
    int rows = 15;
    Service service;
    service.answer = [&](const auto& params) {
        auto page = part(rows, number(params, "page", 0) * 15, 15);
        return page.empty() && status == 404 ? std::nullopt : std::optional(page);
    };
    EndHabit habit;
    CHECK(walk(service, habit).met.size() == 15);
    CHECK(habit.further == Further::page_from_0);
    rows = 37;
    CHECK(walk(service, habit, {}, false).met.size() == 37);
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

TEST_CASE("a list that obeys nothing may be cut at whatever length it has, as long as no longer answer came")
{
    const int cap = GENERATE(5, 7, 9, 12, 15, 16, 17, 20, 24, 37, 50, 200);
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
    // Others in their place, or more of them: the service may have raised its limit.
    CHECK(walk(service, habit, {900, 901}, false).may_lack);
    rows = cap + 1;
    const auto longer = walk(service, habit, first.met, false);
    CHECK(longer.may_lack);
    CHECK(longer.met.size() == static_cast<std::size_t>(rows));
    CHECK(walk(service, habit, longer.met, false).asked.size() == 1);
    // Shorter than it was: the limit is higher than that.
    rows = cap - 1;
    CHECK_FALSE(walk(service, habit, {}, false).may_lack);
    // A limit that is new, or a row that went.
    CHECK(walk(service, habit, longer.met, GENERATE(false, true)).may_lack);
}

TEST_CASE("a list of fewer rows than any service returns at most is whole, until it lacks one")
{
    int rows = GENERATE(1, 2, 3, 4);
    const auto service = cut_at(rows, 1000);
    EndHabit habit;
    CHECK_FALSE(walk(service, habit).may_lack);
    CHECK(habit.further == Further::none);
    rows = 4;
    const auto longer = walk(service, habit, {}, false);
    CHECK_FALSE(longer.may_lack);
    CHECK(longer.asked.size() == 1);
    CHECK(walk(service, habit, {90}, false).may_lack);
}

TEST_CASE("a list in pages of any length is asked further wherever an answer may be a full page")
{
    const std::uint64_t cap = GENERATE(2, 5, 12, 15, 24);
    const auto* way = GENERATE("page", "offset");
    const bool rises = GENERATE(false, true);
    const bool is_one_of_many = GENERATE(false, true);
    INFO(cap << " by " << way);
    int rows = static_cast<int>(cap);
    Service service;
    service.answer = [&](const auto& params) {
        const auto begin =
            way == std::string("page") ? (number(params, "page", 1) - 1) * cap : number(params, "offset", 0);
        auto page = part(rows, begin, cap);
        for (auto& row : page) {
            row = rises ? rows + 1 - row : row;
        }
        return std::optional(page);
    };
    EndHabit habit;
    CHECK(walk(service, habit, {}, true, is_one_of_many).met.size() == cap);
    // Each is another list: no row of the mirror shows that some are missing.
    for (const auto times : {2, 1, 3, 1, 2}) {
        rows = times * static_cast<int>(cap) + (times == 3 ? 1 : 0);
        const auto found = walk(service, habit, {}, false, is_one_of_many);
        CHECK(found.met.size() == static_cast<std::size_t>(rows));
        CHECK_FALSE(found.may_lack);
    }
    // Nothing follows a page that is shorter than a full one.
    rows = static_cast<int>(cap) - 2;
    CHECK(walk(service, habit, {}, false, is_one_of_many).asked.size() == 1);
    rows = 2 * static_cast<int>(cap) - 1;
    CHECK(walk(service, habit, {}, false, is_one_of_many).asked.size() == 2);
}

TEST_CASE("pages that are not of one length are remembered, and each is followed by the next")
{
    std::vector<Rows> pages;
    Service service;
    service.answer = [&](const auto& params) {
        const auto page = number(params, "page", 1);
        return std::optional(page - 1 < pages.size() ? pages[page - 1] : Rows());
    };
    const auto read = [&](EndHabit& habit, std::vector<int> lengths, bool looks_anew) {
        pages.clear();
        int next = 1;
        int all = 0;
        for (const int length : lengths) {
            auto& page = pages.emplace_back();
            for (int row = 0; row < length; ++row) {
                page.push_back(next++);
            }
            all += length;
        }
        const auto walked = walk(service, habit, {}, looks_anew, true);
        CHECK(walked.met.size() == static_cast<std::size_t>(all));
    };
    const auto first = GENERATE(values<std::vector<int>>({{20, 17, 20, 3}, {12, 20, 20}, {20, 0, 20}, {20, 20, 0, 5}}));
    EndHabit habit;
    read(habit, first, true);
    CHECK(is_uneven(habit));
    read(habit, {20, 20, 3}, false);
    read(habit, {20, 3, 20}, false);
    read(habit, {5, 20}, false);
    read(habit, {20, 0, 7}, false);
    read(habit, {0, 20, 7}, false);
    CHECK(is_uneven(habit));
}

TEST_CASE("a counted list whose first page is 0 is read that way, also where its third page completed the count")
{
    const int rows = GENERATE(30, 40, 50, 70);
    const bool says_end = GENERATE(false, true);
    INFO(rows);
    EndHabit habit;
    for (const bool looks_anew : {true, false, false}) {
        EndSearch search({"page", "page_size", asked_for, ""}, habit, looks_anew);
        std::set<int> met;
        std::optional<std::string> next = first_query;
        for (int asked = 0; next && asked < 9; ++asked) {
            std::uint64_t page = 0;
            for (const auto& param : http::parse_query(*next)) {
                page = param.name == "page" ? std::stoull(param.value) : page;
            }
            EndSearch::Answer answer;
            for (const int row : part(rows, page * 20, 20)) {
                ++answer.items;
                answer.new_keys += met.insert(row).second ? 1 : 0;
            }
            answer.distinct = met.size();
            answer.count = static_cast<std::uint64_t>(rows);
            answer.says_end = says_end;
            next = search.page(*next, answer, [] { return false; }).next;
        }
        habit = search.habit();
        CHECK(met.size() == static_cast<std::size_t>(rows));
        CHECK(habit.further == Further::page_from_0);
    }
}

TEST_CASE("a list whose opposite order brings the same rows is whole, whatever its length")
{
    EndHabit habit;
    EndSearch search({"page", "page_size", asked_for, "ordering=id"}, habit, true);
    const auto nothing_lacks = [] { return false; };
    EndSearch::Answer answer{.items = 20,
                             .new_keys = 20,
                             .falling = true,
                             .distinct = 20,
                             .count = {},
                             .says_end = false,
                             .meets_known = false};
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
        EndSearch::Answer answer{.items = items,
                                 .new_keys = items,
                                 .falling = true,
                                 .distinct = items,
                                 .count = {},
                                 .says_end = false,
                                 .meets_known = false};
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
    CHECK(walk_one(23, false).first);
    CHECK(walk_one(20, false) == std::pair(false, std::size_t{1}));
    // One lacks rows: nothing that could be asked would show that they went. What the others have shown stays known.
    CHECK(walk_one(10, true) == std::pair(true, std::size_t{1}));
    CHECK(habit.further == Further::cut);
    CHECK(habit.whole_rows == 23);
}

TEST_CASE("of lists that obey the opposite order alone one longer than any before is asked for it, and no other one")
{
    int rows = 15;
    std::uint64_t cap = 1000;
    const auto walk_one = [&](EndHabit& habit, bool looks_anew) {
        EndSearch search({"page", "page_size", asked_for, "ordering=id", true}, habit, looks_anew);
        std::set<int> met;
        Walk walked;
        std::optional<std::string> next = first_query;
        while (next && walked.asked.size() < 9) {
            walked.asked.push_back(*next);
            auto page = part(rows, 0, cap);
            EndSearch::Answer answer;
            answer.falling = *next != "ordering=id";
            for (const int row : page) {
                ++answer.items;
                answer.new_keys += met.insert(answer.falling ? row : rows + 1 - row).second ? 1 : 0;
            }
            answer.distinct = met.size();
            const auto step = search.page(*next, answer, [] { return false; });
            walked.may_lack = walked.may_lack || step.may_lack;
            next = step.next;
        }
        habit = search.habit();
        return walked;
    };
    EndHabit habit;
    CHECK_FALSE(walk_one(habit, true).may_lack);
    CHECK(habit.further == Further::none);
    const std::vector<std::string> both = {first_query, "ordering=id"};
    CHECK(walk_one(habit, false).asked.size() == 1);
    rows = 14;
    CHECK(walk_one(habit, false).asked.size() == 1);
    // Another list is longer, and the service returns no more than this.
    rows = 40;
    cap = 17;
    auto found = walk_one(habit, false);
    CHECK(found.asked == both);
    CHECK(found.may_lack);
    CHECK_FALSE(habit.tried_at);
    rows = 21;
    cap = 1000;
    found = walk_one(habit, false);
    CHECK(found.asked == both);
    CHECK_FALSE(found.may_lack);
    CHECK(habit.whole_rows == 21);
}

}  // namespace shelfd::sync
