// The four shapes of a list, with the habits of DRF's paginators.
#include "sim/json.hpp"
#include "sim_wire/raw_client.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <set>

namespace shelfd::sim {

namespace {

const std::string host = "http://api.example.com";
const std::string recipes = "/api/v2/library/recipes/";

struct Stand {
    explicit Stand(std::size_t rows = 450)
    {
        ServerOptions options;
        options.world.rows = rows;
        server = Server::start(std::move(options)).value();
        token = server->view_set("lib01").access_token;
    }
    RawAnswer ask(const std::string& target, std::vector<std::string> headers = {}) const
    {
        headers.push_back(bearer(token));
        return answer_to(*server, get(target, headers));
    }
    Json json(const std::string& target) const
    {
        const auto answer = ask(target);
        INFO(answer.bytes().substr(0, 1000));
        REQUIRE(answer.status() == 200);
        return parse_json(answer.body).value();
    }

    std::unique_ptr<Server> server;
    std::string token;
};

std::vector<std::string> ids(const Json& list)
{
    std::vector<std::string> found;
    const auto& items = list.is(Json::Type::array) ? list.items : list.find("results")->items;
    for (const auto& item : items) {
        found.push_back(item.find("id")->text);
    }
    return found;
}

std::string link(const Json& page, std::string_view which)
{
    const auto* value = page.find(which);
    REQUIRE(value != nullptr);
    return value->is(Json::Type::string) ? value->text : to_text(*value);
}

}  // namespace

TEST_CASE("a page of a list is the envelope and the rows, without a space between")
{
    const Stand stand(3);
    const auto rows = stand.server->world()->rows("lib01", "library/recipes", host);
    const auto answer = stand.ask(recipes);
    CHECK(answer.bytes() == expected("200 OK", "application/json",
                                     R"({"count":3,"next":null,"previous":null,"results":)" + rows + "}",
                                     {"Vary: Accept", "Allow: GET, HEAD, OPTIONS"}));
    CHECK(stand.ask("/api/v2/media/files/").body == R"({"count":0,"next":null,"previous":null,"results":[]})");
}

TEST_CASE("links keep the request's parameters, sorted, and the first page has no number")
{
    const Stand stand;
    struct Case {
        const char* name;
        std::string query;
        std::string next;
        std::string previous;
    };
    const std::vector<Case> rows{
        {"first page", "?page_size=200", "?page=2&page_size=200", "null"},
        {"second page", "?page_size=200&page=2", "?page=3&page_size=200", "?page_size=200"},
        {"last page", "?page_size=200&page=3", "null", "?page=2&page_size=200"},
        {"last page by name", "?page_size=200&page=last", "null", "?page=2&page_size=200"},
        {"unknown parameters stay", "?z=1&page_size=200&a=b+c", "?a=b+c&page=2&page_size=200&z=1", "null"},
        {"too large a size is told again", "?page_size=1000", "?page=2&page_size=1000", "null"},
        {"no size", "", "?page=2", "null"},
        {"size 0", "?page_size=0", "?page=2&page_size=0", "null"},
        {"size in words", "?page_size=ten", "?page=2&page_size=ten", "null"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const auto page = stand.json(recipes + row.query);
        CHECK(link(page, "next") == (row.next == "null" ? row.next : host + recipes + row.next));
        CHECK(link(page, "previous") == (row.previous == "null" ? row.previous : host + recipes + row.previous));
    }
}

TEST_CASE("a page holds 10 rows by default and never more than 200")
{
    const Stand stand;
    CHECK(ids(stand.json(recipes)).size() == 10);
    CHECK(ids(stand.json(recipes + "?page_size=0")).size() == 10);
    CHECK(ids(stand.json(recipes + "?page_size=1000")).size() == 200);
    CHECK(ids(stand.json(recipes + "?page_size=200&page=3")).size() == 50);
}

TEST_CASE("pages out of range, 0 and in words are invalid")
{
    const Stand stand;
    for (const char* page : {"46", "0", "-1", "x", "1.5", ""}) {
        INFO(page);
        const auto answer = stand.ask(recipes + "?page=" + page);
        CHECK(answer.status() == 404);
        CHECK(answer.body == R"({"detail":"Invalid page."})");
    }
}

TEST_CASE("next is made of what the client and its proxies claim")
{
    const Stand stand;
    const auto answer = stand.ask(recipes, {"X-Forwarded-Proto: https"});
    CHECK(member(answer.body, "next") == "https://api.example.com" + recipes + "?page=2");
    stand.server->world()->quirks("library/recipes").next_base = "https://evil.example";
    CHECK(member(stand.ask(recipes).body, "next") == "https://evil.example" + recipes + "?page=2");
    stand.server->world()->quirks("library/recipes") = {.next_is_self = true};
    CHECK(member(stand.ask(recipes + "?page=3").body, "next") == host + recipes + "?page=3");
}

TEST_CASE("rows come newest first, in another known order when asked, and unknown orders are ignored")
{
    const Stand stand(30);
    const auto newest_first = ids(stand.json(recipes + "?page_size=200"));
    CHECK(newest_first.front() == "30");
    CHECK(newest_first.back() == "1");
    CHECK(ids(stand.json(recipes + "?page_size=200&ordering=id")).front() == "1");
    CHECK(ids(stand.json(recipes + "?page_size=200&ordering=-id")) == newest_first);
    CHECK(ids(stand.json(recipes + "?page_size=200&ordering=created_date")).front() == "1");
    CHECK(ids(stand.json(recipes + "?page_size=200&ordering=name")) == newest_first);
    const auto by_change = stand.json(recipes + "?page_size=200&ordering=-modified_date");
    std::string before = "9999";
    for (const auto& item : by_change.find("results")->items) {
        const auto& modified = item.find("modified_date")->text;
        CHECK(modified <= before);
        before = modified;
    }
    stand.server->world()->quirks("library/recipes").ignores_ordering = true;
    CHECK(ids(stand.json(recipes + "?page_size=200&ordering=id")) == newest_first);
}

TEST_CASE("an item's own address shows it whole, with more than the list")
{
    const Stand stand(5);
    const auto list = stand.json(recipes);
    const auto& item = list.find("results")->items.front();
    CHECK(item.find("url")->text == host + recipes + "5/");
    const auto detail = stand.json(recipes + "5/");
    REQUIRE(detail.members.size() > item.members.size());
    for (std::size_t at = 0; at < item.members.size(); ++at) {
        CHECK(detail.members[at].first == item.members[at].first);
        CHECK(to_text(detail.members[at].second) == to_text(item.members[at].second));
    }
}

TEST_CASE("limit and offset page as DRF does")
{
    const Stand stand;
    const std::string suppliers = "/api/v2/procurement/suppliers/";
    const auto first = stand.json(suppliers + "?limit=1000");
    CHECK(link(first, "count") == "450");
    CHECK(link(first, "next") == host + suppliers + "?limit=200&offset=200");
    CHECK(ids(first).size() == 200);
    const auto second = stand.json(suppliers + "?limit=200&offset=200");
    CHECK(link(second, "next") == host + suppliers + "?limit=200&offset=400");
    CHECK(link(second, "previous") == host + suppliers + "?limit=200");
    const auto beyond = stand.json(suppliers + "?limit=200&offset=900");
    CHECK(ids(beyond).empty());
    CHECK(link(beyond, "next") == "null");
}

TEST_CASE("a cursor leads through every row once, without a count, and back again")
{
    const Stand stand;
    const std::string orders = "/api/v2/procurement/orders/";
    std::set<std::string> seen;
    std::string target = orders + "?page_size=200";
    std::string back;
    for (int page = 0; page < 3; ++page) {
        const auto json = stand.json(target);
        CHECK(json.find("count") == nullptr);
        for (const auto& id : ids(json)) {
            CHECK(seen.insert(id).second);
        }
        const auto next = link(json, "next");
        back = link(json, "previous");
        CHECK((next == "null") == (page == 2));
        target = next == "null" ? "" : next.substr(host.size());
    }
    CHECK(seen.size() == 450);
    CHECK(ids(stand.json(back.substr(host.size()))).front() == "250");
    const auto bad = stand.ask(orders + "?cursor=@@@");
    CHECK(bad.status() == 404);
    CHECK(bad.body == R"({"detail":"Invalid cursor"})");
}

TEST_CASE("a bare array has every row, whatever size is asked for")
{
    const Stand stand;
    const auto units = stand.json("/api/v2/library/units/?page_size=2");
    CHECK(units.is(Json::Type::array));
    CHECK(ids(units).size() == 30);
    CHECK(stand.ask("/api/v2/inventory/outlets/12/stock/").status() == 200);
    CHECK(ids(stand.json("/api/v2/inventory/outlets/12/stock/")).size() == 20);
    CHECK(stand.ask("/api/v2/inventory/outlets/13/stock/").status() == 404);
}

TEST_CASE("date filters take dates and instants, and say what they cannot read")
{
    const Stand stand(50);
    const auto all = ids(stand.json(recipes + "?page_size=200&ordering=-modified_date"));
    const auto middle = stand.json(recipes + all[20] + "/").find("modified_date")->text;
    CHECK(ids(stand.json(recipes + "?page_size=200&modified_date__gt=" + middle)).size() == 20);
    CHECK(ids(stand.json(recipes + "?page_size=200&modified_date__gte=" + middle)).size() == 21);
    CHECK(ids(stand.json(recipes + "?page_size=200&modified_date__lt=" + middle)).size() == 29);
    const auto day = middle.substr(0, 10);
    const auto after_day = stand.json(recipes + "?page_size=200&modified_date__gt=" + day);
    for (const auto& item : after_day.find("results")->items) {
        CHECK(item.find("modified_date")->text.substr(0, 10) > day);
    }
    CHECK(ids(stand.json(recipes + "?modified_date__gt=2999-01-01")).empty());
    CHECK(ids(stand.json(recipes + "?page_size=200&unknown__gt=2999-01-01")).size() == 50);
    for (const char* bad : {"yesterday", "2024-01-06T06:00:00+00:00"}) {
        const auto answer = stand.ask(recipes + "?modified_after=" + bad);
        CHECK(answer.status() == 400);
        CHECK(answer.body == R"({"modified_after":["Enter a valid date/time."]})");
    }
    CHECK(stand.ask(recipes + "?modified_after=2024-01-06T06:00:00%2B00:00").status() == 200);
}

TEST_CASE("rows deleted ahead of a walk shift what follows, and only the count shows it")
{
    const Stand stand(30);
    const auto before = ids(stand.json(recipes + "?page_size=200"));
    stand.server->world()->edit_after("lib01", "library/recipes", 1, {.remove_newest = 3});
    CHECK(stand.json(recipes).find("count")->text == "30");
    const auto second = stand.json(recipes + "?page=2");
    CHECK(second.find("count")->text == "27");
    CHECK(ids(second).front() == before[13]);
}

TEST_CASE("a list without ETag ignores conditions")
{
    const Stand stand(3);
    const auto answer = stand.ask(recipes, {"If-None-Match: *", "If-Modified-Since: Sun, 06 Nov 2094 08:49:37 GMT"});
    CHECK(answer.status() == 200);
    CHECK(answer.header("ETag").empty());
    CHECK(answer.header("Last-Modified").empty());
}

}  // namespace shelfd::sim
