#include "sync/inquiry/list_probe.hpp"

#include "http/url.hpp"
#include "support/catch.hpp"
#include "sync/inquiry/item_sample.hpp"
#include "sync/inquiry/probing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

using namespace shelfd;
using namespace std::chrono_literals;
using sync::ItemSample;
using sync::ListFindings;
using sync::ListProbe;

namespace {

// A list of a service, as one function: how it answers the parameters of a request.
struct FakeList {
    std::size_t rows = 450;
    bool orders = true;
    bool ascending = false;  // by itself
    bool filters = true;
    bool refuses = true;
    std::string member = "modified_date";
    std::string more = R"(,"email":"x@example.com")";

    std::string item(std::size_t id) const
    {
        return fmt::format(R"({{"id":{0},"url":"https://api.example.com/r/{0}/","{1}":"2024-01-06T06:00:00Z"{2}}})", id,
                           member, more);
    }

    http::Response answer(const ListProbe::Question& question) const
    {
        http::Response response;
        if (question.wrong_token && refuses) {
            response.status = 401;
            return response;
        }
        response.status = 200;
        const auto url = http::parse_url("https://api.example.com" + question.target);
        REQUIRE(url);
        if (url->path != "/r/") {
            response.body = R"({"id":1,"steps":[],"email":"x@example.com"})";
            return response;
        }
        std::size_t size = 100;
        bool falls = !ascending;
        bool nothing = false;
        for (const auto& [name, value] : http::parse_query(url->query)) {
            size = name == "page_size" ? std::stoul(value) : size;
            falls = name == "ordering" && orders ? value.starts_with("-") : falls;
            nothing = nothing || (filters && name == member + "__gt");
        }
        std::string items;
        for (std::size_t i = 0; i < std::min(size, rows) && !nothing; ++i) {
            items += (i > 0 ? "," : "") + item(falls ? rows - i : i + 1);
        }
        response.body = fmt::format(R"({{"count":{},"next":{},"previous":null,"results":[{}]}})", nothing ? 0 : rows,
                                    rows > size && !nothing ? R"("https://api.example.com/r/?page=2")" : "null", items);
        return response;
    }
};

config::Service service()
{
    config::Service service;
    service.base_url = "https://api.example.com";
    return service;
}

ListFindings probe(const std::function<Result<http::Response>(const ListProbe::Question&)>& answer)
{
    const auto where = service();
    ListProbe probe(where, "/r/", Instant::from_seconds(2'000'000'000));
    for (auto question = probe.next(); question; question = probe.next()) {
        REQUIRE(probe.findings().requests < 12);
        probe.hear(answer(*question));
    }
    return probe.findings();
}

ListFindings probe(const FakeList& list)
{
    return probe([&list](const auto& question) { return list.answer(question); });
}

Result<http::Response> answer(int status, std::string body)
{
    http::Response response;
    response.status = status;
    response.body = std::move(body);
    return response;
}

using Params = std::map<std::string, std::size_t>;

// Rows from `begin` up to, but without, `end`.
std::string items_of(std::size_t begin, std::size_t end)
{
    std::string items;
    for (auto id = begin; id < end; ++id) {
        items += fmt::format("{}{{\"id\":{}}}", items.empty() ? "" : ",", id + 1);
    }
    return items;
}

// Of a service that has this list alone: `body_of` makes its answer to the parameters of a request.
ListFindings probe_pages(const std::function<std::string(const Params&)>& body_of)
{
    return probe([&body_of](const ListProbe::Question& question) {
        const auto url = http::parse_url("https://api.example.com" + question.target);
        if (question.wrong_token || url->path != "/r/") {
            return answer(question.wrong_token ? 401 : 404, "");
        }
        Params params;
        for (const auto& [name, value] : http::parse_query(url->query)) {
            params[name] = std::strtoul(value.c_str(), nullptr, 10);
        }
        return answer(200, body_of(params));
    });
}

bool has_line(const std::vector<std::string>& lines, const std::string& part)
{
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("a list that does everything is known after six requests, and the block says so")
{
    const auto found = probe(FakeList{});
    CHECK(found.requests == 6);
    CHECK(found.envelope == sync::Envelope::counted);
    CHECK(found.count == 450u);
    CHECK(found.key == "id");
    CHECK(found.newest_first == true);
    CHECK(found.refuses_wrong_token == true);
    REQUIRE(found.filter);
    CHECK(found.filter->param == "modified_date__gt");
    CHECK(found.detail_address == "/r/450/");
    CHECK(found.detail_members == std::vector<std::string>{"steps"});
    CHECK(found.personal == std::vector<std::string>{"email"});
    CHECK(found.full_requests() == 4u);  // three pages, one look back
    CHECK(to_toml(found, "recipes") == R"([resource.recipes]
path = "/r/"
every = "15m"
incremental = { param = "modified_date__gt", field = "modified_date", format = "datetime", overlap = "1h" }
full = { at = ["03:30"] }
detail = { url_field = "url" }
# exclude = ["email"]  # personal data; excluded members are never written to disk
)");
    const auto lines = describe(found, 2);
    CHECK(has_line(lines, "counted, 450 rows"));
    CHECK(has_line(lines, "4 requests, 2.0 min at 2 a minute"));
    CHECK(has_line(lines, "more members than the list: steps"));

    auto by_path = found;
    by_path.has_address = false;
    CHECK(to_toml(by_path, "r").find("detail = { path = \"/r/{id}/\" }\n") != std::string::npos);
    auto empty = found;
    empty.key.clear();
    empty.page_items = 0;
    CHECK(to_toml(empty, "r").find("\n# key = \"id\"") != std::string::npos);
}

TEST_CASE("a block for a configured list keeps all that is configured and adds what was found beside it")
{
    const auto found = probe(FakeList{});
    config::Resource known;
    known.path = "/r/";
    known.params = {{"kind", "x"}};
    known.needs = "recipes";
    known.exclude = {"email"};
    known.schedule.interval = 2h;
    const auto block = to_toml(found, "recipes", &known);
    CHECK(block.starts_with("# replaces the present [resource.recipes]"));
    CHECK(block.substr(block.find('\n') + 1) == R"([resource.recipes]
path = "/r/"
answers = "list"
needs = "recipes"
key = "id"
params = { "kind" = "x" }
exclude = ["email"]
every = "2h"
splay = "10%"
incremental = { param = "modified_date__gt", field = "modified_date", format = "datetime", overlap = "1h" }
detail = { url_field = "url", refresh_within = "30d" }
keep_deleted = false
changes = "values"
)");

    known.ordering = "-made";
    known.keep_deleted = true;
    known.late_after = 9h;
    known.window =
        config::Window{.from = "made__gte", .to = "made__lt", .field = "made", .step = 24h, .since = "2023-01-01"};
    known.full.emplace().at = {4h + 30min};
    known.settle.emplace().interval = 24h * 30;
    known.detail = config::Detail{"url", "", 24h * 9};
    known.key = {"number"};
    const auto ledger = to_toml(found, "r", &known);
    INFO(ledger);
    for (const std::string line :
         {R"(ordering = "-made")", R"(keep_deleted = true)", R"(late_after = "9h")",
          R"(window = { from = "made__gte", to = "made__lt", field = "made", step = "1d", since = "2023-01-01", )"
          R"(timezone = "UTC" })",
          R"(settle = { every = "30d" })", R"(detail = { url_field = "url", refresh_within = "9d" })",
          R"(key = "number")", R"(# key = "id"  # also identifies a row)"}) {
        CHECK(ledger.find("\n" + line + "\n") != std::string::npos);
    }
    CHECK(ledger.find("\nfull = { at = [\"04:30\"], ") != std::string::npos);
    CHECK(ledger.find(R"(back = "14d" })") != std::string::npos);
    CHECK(ledger.find("incremental") == std::string::npos);
}

TEST_CASE("an order is believed only where it changes the order")
{
    FakeList deaf;
    deaf.orders = false;
    CHECK(probe(deaf).newest_first == false);  // falls by itself, and falls when asked to rise
    deaf.ascending = true;
    CHECK(probe(deaf).newest_first == false);
    FakeList heeding;
    heeding.ascending = true;
    CHECK(probe(heeding).newest_first == true);
    FakeList single;
    single.rows = 1;
    CHECK_FALSE(probe(single).newest_first);
}

TEST_CASE("a filter that leaves rows of a time to come is not believed, nor one that is refused")
{
    FakeList deaf;
    deaf.filters = false;
    const auto ignored = probe(deaf);
    CHECK_FALSE(ignored.filter);
    CHECK(ignored.ignored_filters.size() == 3);
    CHECK(to_toml(ignored, "r").find("incremental") == std::string::npos);
    CHECK(has_line(describe(ignored, 100), "none of modified_date__gt, modified_date__gte, modified_date_after works"));
    FakeList timeless;
    timeless.member = "made";
    CHECK(probe(timeless).ignored_filters.empty());
    const FakeList usual;
    const auto refused = probe([&](const auto& question) {
        return question.target.find("modified") != std::string::npos ? answer(400, "{}")
                                                                     : Result<http::Response>(usual.answer(question));
    });
    CHECK_FALSE(refused.filter);
}

TEST_CASE("a list that shows rows to a wrong token is no canary, and says so")
{
    FakeList open;
    open.refuses = false;
    const auto found = probe(open);
    CHECK(found.refuses_wrong_token == false);
    CHECK(has_line(describe(found, 100), "NOT refused"));
}

TEST_CASE("a list that cannot be read ends the probe with the reason, and gives no block")
{
    for (const auto& [status, word] : {std::pair(403, "403"), {404, "404"}, {500, "500"}}) {
        const auto found = probe([status = status](const auto&) { return answer(status, "{}"); });
        INFO(found.trouble);
        CHECK(found.requests == 1);
        CHECK(found.trouble.find(word) != std::string::npos);
        CHECK(found.is_forbidden == (status == 403));
        CHECK(to_toml(found, "r").empty());
        CHECK(describe(found, 100) == std::vector{found.trouble});
    }
}

TEST_CASE("a frame that no pass can read is told as a pass tells it, and is not taken for one object")
{
    const auto row = GENERATE(values<std::pair<std::string, std::string>>({
        {R"({"count":"?","next":null,"results":[{"id":1}]})", "count"},
        {R"({"count":1,"next":5,"results":[{"id":1}]})", "next"},
        {R"({"count":1,"next":"/a/?x=)" + std::string(100'000, 'y') + R"(","results":[{"id":1}]})",
         "address of the next"},
        {R"({"count":40,"next":"http://service.test/other/2/","results":[{"id":1}]})", "only in their path"},
    }));
    const auto found = probe([&row](const auto&) { return answer(200, row.first); });
    INFO(found.trouble);
    CHECK(found.requests == 1);
    CHECK(found.trouble.find(row.second) != std::string::npos);
    CHECK(to_toml(found, "r").empty());
}

TEST_CASE("arrays and objects are recognised, and asked neither for an order nor through a filter")
{
    const auto array = probe([](const auto& question) {
        return question.wrong_token ? answer(401, "") : answer(200, R"([{"code":"a"},{"code":"b"}])");
    });
    CHECK(array.envelope == sync::Envelope::array);
    CHECK(array.key == "code");
    CHECK(array.full_requests() == 1u);
    // The list, its page 2, rows behind an offset, the other order, a wrong token, an item by path and key.
    CHECK(array.requests == 6);
    CHECK(to_toml(array, "r").find("key = \"code\"") != std::string::npos);
    const auto object = probe([](const auto& question) {
        return question.wrong_token ? answer(401, "") : answer(200, R"({"id":1,"name":"x"})");
    });
    CHECK(object.envelope == sync::Envelope::object);
    CHECK(to_toml(object, "r").find("answers = \"object\"") != std::string::npos);
    // A frame of another kind is no item.
    const auto frame = probe([](const auto&) { return answer(200, R"({"data":{"items":[{"id":1}]}})"); });
    CHECK(frame.trouble.find("rows are in `data.items`, which is not read") != std::string::npos);
    CHECK(to_toml(frame, "r").empty());
}

TEST_CASE("a probe asks an array for more than it gives, and says what came of it")
{
    struct Row {
        const char* name;
        std::size_t rows;
        std::function<std::pair<std::size_t, std::size_t>(Params)> slice;  // begin, length
        sync::Further further;
        bool more;
        const char* says;
    };
    using enum sync::Further;
    const Row rows[] = {
        {"a few rows", 4, [](Params) { return std::pair(0UL, 1000UL); }, none, false, "the list is complete"},
        {"all of it, or cut there", 90, [](Params) { return std::pair(0UL, 1000UL); }, cut, true,
         "answers = \"whole\""},
        {"of any length", 87, [](Params) { return std::pair(0UL, 1000UL); }, cut, true, "answers = \"whole\""},
        {"one page", 37, [](Params p) { return std::pair((std::max(p["page"], 1UL) - 1) * 100, 100UL); }, page, false,
         "the next page is empty, so the list is complete"},
        {"by page", 250, [](Params p) { return std::pair((std::max(p["page"], 1UL) - 1) * 100, 100UL); }, page, true,
         "requested by number"},
        {"by page from 0", 250, [](Params p) { return std::pair(p["page"] * 100, 100UL); }, page_from_0, true,
         "the first is 0"},
        {"by offset", 250, [](Params p) { return std::pair(p["offset"], 100UL); }, offset, true, "by offset and limit"},
        {"by a longer page", 250, [](Params p) { return std::pair(0UL, std::max(p["page_size"], 100UL)); }, page_size,
         true, "a larger page"},
        {"by a size of up to 100", 250,
         [](Params p) { return std::pair(0UL, std::min(std::max(p["page_size"], 1UL), 100UL)); }, cut, true,
         "it returns 100 rows, and no request"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const auto found = probe_pages([&row](const Params& params) {
            const auto [begin, length] = row.slice(params);
            return fmt::format("[{}]", items_of(begin, std::min(row.rows, begin + length)));
        });
        CHECK(found.further == row.further);
        CHECK(found.more == row.more);
        CHECK(found.full_requests() == (row.more ? std::nullopt : std::optional<std::uint64_t>(1)));
        CHECK(found.requests <= 9);
        const auto lines = describe(found, 100);
        CHECK(std::any_of(lines.begin(), lines.end(),
                          [&row](const auto& line) { return line.find(row.says) != std::string::npos; }));
    }
}

TEST_CASE("a probe asks a list further that counts more rows than it returns, and tells what a pass costs")
{
    struct Row {
        const char* name;
        bool has_next;  // null; otherwise there is no such member
        std::function<std::size_t(Params)> begin;
        sync::Further further;
        std::optional<std::uint64_t> requests;
        const char* says;
    };
    using enum sync::Further;
    const auto row = GENERATE(values<Row>({
        {"by page", true, [](Params p) { return (std::max(p["page"], 1UL) - 1) * 20; }, page, 4, "by number"},
        {"by page, without next", false, [](Params p) { return (std::max(p["page"], 1UL) - 1) * 20; }, page, 4,
         "by number"},
        {"by page from 0", true, [](Params p) { return p["page"] * 20; }, page_from_0, 4, "the first is 0"},
        {"by offset", true, [](Params p) { return p["offset"]; }, offset, 4, "by offset and limit"},
        {"not at all", true, [](Params) { return 0UL; }, cut, {}, "the service counts 50 rows, but returns 20"},
    }));
    INFO(row.name);
    const auto found = probe_pages([&row](const Params& params) {
        const auto begin = row.begin(params);
        return fmt::format(R"({{"count":50,{}"results":[{}]}})", row.has_next ? R"("next":null,)" : "",
                           items_of(begin, std::min(begin + 20, 50UL)));
    });
    CHECK(found.further == row.further);
    CHECK(found.count == 50u);
    CHECK(found.more);
    const auto lines = describe(found, 100);
    CHECK(has_line(lines, row.says));
    CHECK(has_line(lines, row.requests ? fmt::format("a full pass: {} requests", *row.requests)
                                       : "a full pass: not possible with this configuration"));
}

TEST_CASE("a probe takes an answer without a body, or null, for a page without rows")
{
    const int status = GENERATE(200, 204);
    const std::string body = status == 200 ? "null" : "";
    const auto empty = probe([&](const auto& question) { return answer(question.wrong_token ? 401 : status, body); });
    CHECK(empty.trouble.empty());
    CHECK(empty.page_items == 0);
    // So does the answer to a filter that leaves nothing.
    const auto filtered = probe([&](const auto& question) {
        if (question.wrong_token) {
            return answer(401, "");
        }
        const bool is_filtered = question.target.find("modified_date__gt=") != std::string::npos;
        return is_filtered
                   ? answer(status, body)
                   : answer(200,
                            R"({"count":1,"next":null,"results":[{"id":1,"modified_date":"2026-01-05T10:00:00Z"}]})");
    });
    REQUIRE(filtered.filter);
    CHECK(filtered.filter->param == "modified_date__gt");
    CHECK(filtered.ignored_filters.empty());
}

TEST_CASE("what sounds like persons is found by name, in nested objects and lists, too")
{
    const ItemSample sample(
        R"([{"id":1,"name":"Soup","created_by":{"id":7,"name":"Ann"},"contacts":[{"Phone":"1"}]}])");
    CHECK(sample.personal("/api/v2/library/recipes/") == std::vector<std::string>{"created_by.name", "contacts.Phone"});
    const ItemSample users(R"([{"id":1,"name":"Ann"}])");
    CHECK(users.personal("/api/v2/accounts/users/") == std::vector<std::string>{"name"});
}

TEST_CASE("a key is a member that every item has with a value of its own")
{
    CHECK(ItemSample(R"([{"id":1},{"id":1}])").key().empty());
    CHECK(ItemSample(R"([{"id":1.5}])").key().empty());
    CHECK(ItemSample(R"([{"id":null,"uuid":"a"},{"id":null,"uuid":"b"}])").key() == "uuid");
    CHECK(ItemSample("broken").size() == 0);
}

TEST_CASE("a key is known in any case, by other common names, and by that of what the list holds")
{
    for (const auto* name : {"ID", "Id", "_id", "uid", "guid", "UUID"}) {
        CAPTURE(name);
        CHECK(ItemSample(fmt::format(R"([{{"{0}":"a","n":1}},{{"{0}":"b","n":1}}])", name)).key() == name);
    }
    CHECK(ItemSample(R"([{"Id":1,"id":2},{"Id":2,"id":3}])").key() == "id");
    const auto key = [](const char* name, const char* path) {
        return ItemSample(fmt::format(R"([{{"owner_id":7,"{0}":1}},{{"owner_id":8,"{0}":2}}])", name), path).key();
    };
    CHECK(key("thing_id", "/api/v1/things/") == "thing_id");
    CHECK(key("thingId", "/api/v1/things") == "thingId");
    CHECK(key("category_id", "/categories/") == "category_id");
    CHECK(key("box_uuid", "/boxes/") == "box_uuid");
    CHECK(key("box_id", "/things/").empty());
    // Not each has one of its own.
    CHECK(ItemSample(R"([{"thing_id":1},{"thing_id":1}])", "/things/").key().empty());
    CHECK(ItemSample(R"([{"number":1,"x":true,"y":2},{"number":2,"x":false,"y":2}])").unique_members() ==
          std::vector<std::string>{"number"});
}

TEST_CASE("where no key is found, the members with unique values are named")
{
    auto found = probe(FakeList{});
    found.key.clear();
    found.key_candidates = {"number", "serial"};
    CHECK(has_line(describe(found, 2),
                   "key: no member of the rows is known as a key; members with unique values: number, serial; set"));
    CHECK(to_toml(found, "r")
              .find("\n# key = …  # a member that identifies a row; unique values have [\"number\", "
                    "\"serial\"]\n") != std::string::npos);
    CHECK(needs_key(found));
    CHECK_FALSE(needs_key(probe(FakeList{})));
    found.envelope = sync::Envelope::object;  // the whole object is one row, which needs none
    CHECK_FALSE(needs_key(found));
    found.envelope = sync::Envelope::counted;
    found.page_items = 0;
    CHECK_FALSE(needs_key(found));
}

TEST_CASE("a block for a configured list has the windows that were found as a comment, unless it has its own")
{
    auto found = probe(FakeList{});
    found.window =
        ListFindings::Window{"date__gte", "date__lt", "date", "2020-01-01", true, std::chrono::hours(24 * 7)};
    config::Resource known;
    known.path = "/r/";
    CHECK(to_toml(found, "r", &known).find("\n# window = { from = \"date__gte\"") != std::string::npos);
    known.window.emplace();
    CHECK(to_toml(found, "r", &known).find("\n# window = ") == std::string::npos);
}
