#include "mirror/json/page.hpp"
#include "sync/service/bare_array.hpp"
#include "sync/service/page_queries.hpp"

#include "support/catch.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

using namespace shelfd;

namespace {

Result<sync::Page> read(std::string text, config::Answers answers = config::Answers::list)
{
    // Pages point into the body: keep it alive for the checks of one test.
    static std::string body;
    body = std::move(text);
    return sync::read_page(body, answers);
}

}  // namespace

TEST_CASE("a page gives its count, the query of next and its rows as they were sent")
{
    const auto page = read(R"({"count":450,"next":"http://other.host/api/v2/library/recipes/?page=2&page_size=200",)"
                           R"("previous":null,"results":[{"id":1,"n":1e-07},{"id":2}]})");
    REQUIRE(page);
    CHECK(page->count == 450);
    CHECK(page->next_query == "page=2&page_size=200");
    CHECK(page->results == R"([{"id":1,"n":1e-07},{"id":2}])");
}

TEST_CASE("the walk over the frame finds the items, whatever stands around and inside them")
{
    const std::vector<std::string> items = {R"({"id":1,"a":[1,{"b":"]}"}]})", R"({})",
                                            R"({ "id" : 3 , "c" : "\"[{" })"};
    const std::string array = fmt::format("[ {} ,\n\t{},{}\r\n ]", items[0], items[1], items[2]);
    for (const std::string frame : {R"({{"next":null,"results": {} , "count":3}})", R"({{"results":{}}} )", " {} "}) {
        auto body = fmt::format(fmt::runtime(frame), array);
        INFO(body);
        const auto page = sync::read_page(body, config::Answers::list, "page");
        REQUIRE(page);
        CHECK(page->results == array);
        REQUIRE(page->items.size() == items.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            CHECK(page->items[i].substr(0, items[i].size()) == items[i]);
            CHECK(page->items[i].find_first_not_of(" \t\r\n", items[i].size()) == std::string_view::npos);
        }
    }
    for (const std::string empty : {R"({"results": [ ] ,"next":null})", " [ ] ", "{\"results\":[\n]}"}) {
        auto body = empty;
        INFO(empty);
        const auto page = sync::read_page(body);
        REQUIRE(page);
        CHECK(page->results == empty.substr(empty.find('['), empty.find(']') - empty.find('[') + 1));
        CHECK(page->items.empty());
    }
    // Of the last of two members of that name, as of everything else.
    std::string twice = R"({"results":[{"id":1}],"results":[{"id":2},{"id":3}]})";
    CHECK(sync::read_page(twice).value().items.size() == 2);
    for (const std::string other :
         {R"({"results":[{"id":1},2,{"id":3}]})", "[null]", R"([[{"id":1}]])", "[]", "null"}) {
        auto body = other;
        const auto page = sync::read_page(body);
        INFO(other);
        CHECK((!page || page->items.empty()));  // the reader of pages says which item it is
    }
    for (const std::string broken :
         {R"({"results":[{"id":1})", R"([{"id":1})", R"([{"id":1}}])", R"({"results":[{"id":1}}})",
          R"([{"id":1} {"id":2}])", R"([{"id":1},])", R"([{"id":1}]])"}) {
        auto body = broken;
        INFO(broken);
        const auto page = sync::read_page(body);
        const bool is_refused = !page || !mirror::PageReader("things", {"id"}).read(page->results, page->items);
        CHECK(is_refused);
    }
}

TEST_CASE("the last page has no next, and an empty list is a page")
{
    const auto page = read(R"({"count":0,"next":null,"previous":null,"results":[]})");
    REQUIRE(page);
    CHECK_FALSE(page->next_query);
    CHECK(page->results == "[]");
}

TEST_CASE("a count of null counts nothing, an empty next is the end, and a next without a query leads nowhere")
{
    auto page = read(R"({"count":null,"next":"http://h/r/?page=2","results":[{"id":1}]})");
    REQUIRE(page);
    CHECK(page->envelope == sync::Envelope::uncounted);
    CHECK_FALSE(page->count);
    CHECK(page->next_query == "page=2");
    page = read(R"({"count":1,"next":"","results":[{"id":1}]})");
    REQUIRE(page);
    CHECK_FALSE(page->next_query);
    page = read(R"({"count":9,"next":"http://h/r/page/2/","results":[{"id":1}]})");
    REQUIRE_FALSE(page);
    CHECK(page.error().kind() == ErrorKind::config);
    CHECK(page.error().text().find("differ only in their path") != std::string::npos);
}

TEST_CASE("each kind of list is told by its frame")
{
    struct Row {
        const char* name;
        const char* body;
        sync::Envelope envelope;
        const char* next;
    };
    const auto row = GENERATE(values<Row>({
        {"page number", R"({"count":3,"next":"http://h/r/?page=2","previous":null,"results":[{"id":1}]})",
         sync::Envelope::counted, "page=2"},
        {"limit and offset",
         R"({"count":3,"next":"http://h/r/?limit=1&offset=1","previous":null,"results":[{"id":1}]})",
         sync::Envelope::offset, "limit=1&offset=1"},
        {"page number without a count", R"({"next":"http://h/r/?page=2","previous":null,"results":[{"id":1}]})",
         sync::Envelope::uncounted, "page=2"},
        {"offset without a count", R"({"next":"http://h/r/?limit=1&offset=1","previous":null,"results":[{"id":1}]})",
         sync::Envelope::uncounted, "limit=1&offset=1"},
        {"cursor", R"({"next":"http://h/r/?cursor=cD0y","previous":null,"results":[{"id":1}]})", sync::Envelope::cursor,
         "cursor=cD0y"},
        {"bare array", R"( [{"id":1}] )", sync::Envelope::array, ""},
    }));
    SECTION(row.name)
    {
        const auto page = read(row.body);
        REQUIRE(page);
        CHECK(page->envelope == row.envelope);
        CHECK(page->next_query.value_or("") == row.next);
        CHECK(page->results == R"([{"id":1}])");
        CHECK(mirror::envelope_from(to_string(page->envelope)) == row.envelope);
    }
}

TEST_CASE("a list by offset is asked for long pages as soon as its first one shows what their length is called")
{
    struct Row {
        const char* about;
        sync::Envelope envelope;
        std::optional<std::string> next;
        std::optional<std::string> after;
    };
    using enum sync::Envelope;
    const auto row = GENERATE(values<Row>({
        {"the number of a page", offset, "limit=10&offset=1", "limit=10&offset=1"},
        {"a key", offset, "limit=10&offset=86", "limit=10&offset=86"},
        {"short", offset, "limit=10&offset=10&page_size=200", "offset=10&page_size=200&limit=200"},
        {"as long as wanted", offset, "limit=200&offset=200", "limit=200&offset=200"},
        {"longer", offset, "limit=500&offset=500", "limit=500&offset=500"},
        {"no number", offset, "limit=max&offset=10", "limit=max&offset=10"},
        {"the last one", offset, std::nullopt, std::nullopt},
        {"of another kind", counted, "limit=10&page=2", "limit=10&page=2"},
    }));
    INFO(row.about);
    sync::Page page;
    page.envelope = row.envelope;
    page.next_query = row.next;
    CHECK(sync::lengthen_next(page, "page_size=200", 10, 200) == (row.next != row.after));
    CHECK(page.next_query == row.after);
}

TEST_CASE("the number of a page goes by the name that the configuration gives it")
{
    std::string body = R"({"next":"http://h/r/?p=2","previous":null,"results":[{"id":1}]})";
    CHECK(sync::read_page(body, config::Answers::list, "p")->envelope == sync::Envelope::uncounted);
    body = R"({"next":"http://h/r/?p=2","previous":null,"results":[{"id":1}]})";
    CHECK(sync::read_page(body)->envelope == sync::Envelope::cursor);
}

TEST_CASE("the last page of a list tells less than those before it, and no other kinds go together")
{
    using enum sync::Envelope;
    CHECK(sync::agree(std::nullopt, cursor) == cursor);
    CHECK(sync::agree(counted, counted) == counted);
    CHECK(sync::agree(offset, counted) == offset);
    CHECK(sync::agree(counted, offset) == offset);
    CHECK_FALSE(sync::agree(counted, array));
    CHECK_FALSE(sync::agree(array, object));
    CHECK_FALSE(sync::agree(cursor, offset));
    CHECK(sync::agree(cursor, cursor) == cursor);
    CHECK(sync::agree(uncounted, cursor) == uncounted);
    CHECK(sync::agree(cursor, uncounted) == uncounted);
    CHECK_FALSE(sync::agree(uncounted, counted));
}

TEST_CASE("a list that counts on its first page only is one list all the same")
{
    using sync::Envelope;
    CHECK(sync::agree_behind_first(Envelope::counted, Envelope::uncounted) == Envelope::counted);
    CHECK(sync::agree_behind_first(Envelope::offset, Envelope::cursor) == Envelope::offset);
    CHECK_FALSE(sync::agree_behind_first(Envelope::counted, Envelope::array));
    CHECK_FALSE(sync::agree_behind_first(Envelope::cursor, Envelope::counted));
}

TEST_CASE("a single object is a list of one row, where it was announced")
{
    const auto page = read(R"({"id":1,"name":"x"})", config::Answers::object);
    REQUIRE(page);
    CHECK(page->envelope == sync::Envelope::object);
    CHECK(page->results == R"([{"id":1,"name":"x"}])");
    CHECK(read(R"([{"id":1}])", config::Answers::object).error().text().find("a bare array") != std::string::npos);
    CHECK(read(R"({"id":1},{"id":2})", config::Answers::object).error().kind() == ErrorKind::protocol);
}

TEST_CASE("a next that names the page alone gets what else was asked for, a cursor nothing")
{
    const auto next = [](const std::string& next_query, const std::string& query) {
        sync::Page page;
        page.next_query = next_query;
        sync::complete_next(page, query, "page");
        return page.next_query->text();
    };
    const std::string first = "ordering=-id&page_size=200&kind=x%20y";
    CHECK(next("page=2", first) == "page=2&ordering=-id&page_size=200&kind=x%20y");
    CHECK(next("page=3&kind=z", "page=2&ordering=-id&kind=z") == "page=3&kind=z&ordering=-id");
    CHECK(next("offset=20", "limit=10&offset=10&kind=x") == "offset=20&kind=x");
    CHECK(next("page=2&" + first, first) == "page=2&" + first);
    CHECK(next("cursor=abc", first) == "cursor=abc");
}

TEST_CASE("the page behind another is named by its number")
{
    CHECK(sync::query_behind("page_size=10", "page") == "page_size=10&page=2");
    CHECK(sync::query_behind("p=9&page_size=10", "p") == "p=10&page_size=10");
    CHECK(sync::query_behind("id=1&page=9&id=2&page=9", "page") == "id=1&page=10&id=2");
}

TEST_CASE("pages ahead are known where numbers grow by one step, and only up to the count")
{
    struct Row {
        const char* name;
        const char* query;
        const char* next;
        std::uint64_t count;
        std::vector<std::string> ahead;
    };
    const auto row = GENERATE(values<Row>({
        {"page numbers", "page_size=2", "page=2&page_size=2", 9, {"page=3&page_size=2", "page=4&page_size=2"}},
        {"the end of the list", "page=3&page_size=2", "page=4&page_size=2", 9, {"page=5&page_size=2"}},
        {"the last page is next", "page=4&page_size=2", "page=5&page_size=2", 9, {}},
        {"offsets", "limit=2", "limit=2&offset=2", 9, {"limit=2&offset=4", "limit=2&offset=6"}},
        {"numbers that leap", "page=2", "page=7", 90, {}},
        {"offsets of another step", "limit=2&offset=2", "limit=2&offset=7", 90, {}},
        {"no number", "page_size=2", "after=abc", 9, {}},
        {"a number given twice", "page_size=2", "page=1&page=2&page_size=2", 9, {}},
        {"another parameter given twice",
         "id=1&id=2&page_size=2",
         "id=1&id=2&page=2&page_size=2",
         9,
         {"id=1&id=2&page=3&page_size=2", "id=1&id=2&page=4&page_size=2"}},
        {"a page that is no number", "page_size=2", "page=last", 9, {}},
        {"a page beyond all rows", "page=8", "page=9", 8, {}},
        {"numbers beyond all lists", "page=18446744073709551614", "page=18446744073709551615", UINT64_MAX, {}},
    }));
    SECTION(row.name)
    {
        sync::Page page;
        page.count = row.count;
        page.next_query = row.next;
        CHECK(sync::queries_ahead(row.query, page, 2, "page", 2) == row.ahead);
        page.count.reset();
        CHECK(sync::queries_ahead(row.query, page, 2, "page", 2).empty());
    }
}

TEST_CASE("a frame in another dress is taken where it is clear")
{
    struct Row {
        const char* name;
        const char* body;
        std::optional<std::uint64_t> count;
        const char* results;
        bool is_silent = false;
    };
    const auto row = GENERATE(values<Row>({
        {"a count as text", R"({"count":"450","next":null,"results":[{"id":1}]})", 450, R"([{"id":1}])"},
        {"a count as a float", R"({"count":450.0,"next":null,"results":[{"id":1}]})", 450, R"([{"id":1}])"},
        {"a count below zero", R"({"count":-1,"next":null,"results":[{"id":1}]})", std::nullopt, R"([{"id":1}])"},
        {"the same as text", R"({"count":"-1","next":null,"results":[{"id":1}]})", std::nullopt, R"([{"id":1}])"},
        {"an empty count", R"({"count":"","next":null,"results":[{"id":1}]})", std::nullopt, R"([{"id":1}])"},
        {"null for no rows", R"({"count":0,"next":null,"results":null})", 0, "[]"},
        {"one row by itself", R"({"count":1,"next":null,"results": {"id":1,"tags":[]} ,"more":2})", 1,
         R"([{"id":1,"tags":[]}])"},
        {"no next", R"({"count":1,"results":[{"id":1}]})", 1, R"([{"id":1}])", true},
        {"an array", R"([{"id":1}])", std::nullopt, R"([{"id":1}])", true},
        {"members that are there twice", R"({"next":"?page=2","results":{"id":1},"results":null,"next":null})",
         std::nullopt, "[]"},
    }));
    INFO(row.name);
    const auto page = read(row.body);
    REQUIRE(page);
    CHECK(page->count == row.count);
    CHECK(page->results == row.results);
    CHECK_FALSE(page->next_query);
    CHECK(page->is_silent == row.is_silent);
}

TEST_CASE(
    "rows that a capped page leaves out are asked for, where the service reckons with the length that was asked for")
{
    struct Row {
        const char* name;
        const char* query;
        const char* next;
        std::uint64_t items;
        const char* after;
        sync::Gap gap;
    };
    using enum sync::Gap;
    const auto row = GENERATE(values<Row>({
        {"by offset", "limit=200", "limit=200&offset=200", 100, "offset=100&limit=100", closed},
        {"further on", "limit=200&offset=100", "limit=200&offset=300", 100, "offset=200&limit=100", closed},
        {"by the name of the configuration", "page_size=200", "offset=200&page_size=200", 50, "offset=50&page_size=50",
         closed},
        {"by a length of its own", "offset=50&page_size=50", "offset=250&page_size=50", 50, "offset=100&page_size=50",
         remains},
        {"no gap", "limit=200", "limit=200&offset=100", 100, "limit=200&offset=100", none},
        {"as long as asked for", "limit=200", "limit=200&offset=200", 200, "limit=200&offset=200", none},
        {"a key under that name", "page_size=200", "offset=86", 10, "offset=86", none},
        {"a page under that name", "limit=200&offset=1", "limit=200&offset=2", 10, "limit=200&offset=2", none},
        {"by number", "page_size=200", "page=2&page_size=200", 100, "page=2&page_size=100", closed},
        {"by number, further on", "page=2&page_size=100", "page=3&page_size=100", 100, "page=3&page_size=100", none},
        {"by number, of whose length nothing is said", "page_size=200", "page=2", 100, "page=2", none},
        {"by cursor", "page_size=200", "cursor=abc", 100, "cursor=abc", none},
    }));
    INFO(row.name);
    sync::Page page;
    page.next_query = row.next;
    CHECK(sync::close_gap(page, row.query, row.items, 200, {"page", "page_size"}) == row.gap);
    CHECK(page.next_query == row.after);
}

TEST_CASE("what is no page of a list is refused with what it is")
{
    struct Row {
        const char* name;
        const char* body;
        ErrorKind kind;
        const char* fragment;
    };
    const auto row = GENERATE(values<Row>({
        {"a number", "7", ErrorKind::config, "a single value"},
        {"a single object", R"({"id":1,"name":"x"})", ErrorKind::config, "one object"},
        {"rows in another member", R"({"count":2,"items":[{"id":1},{"id":2}]})", ErrorKind::config,
         "): items holds an array, but rows are read from \"results\" only, and no setting names another member; check "
         "`path`, or set answers = \"object\""},
        {"rows one level down", R"({"status":"ok","data":{"\u0069tems":[{"id":1}],"total":1}})", ErrorKind::config,
         "): data.items holds an array"},
        {"several arrays", R"({"a":[],"b":[1],"c":{"d":[]},"e":[]})", ErrorKind::config, "): a, b, c.d hold an array"},
        {"an array too deep to be the rows", R"({"a":{"b":{"c":[]}}})", ErrorKind::config,
         "one object, not a list (an array, or an object with \"results\" and \"next\"); check"},
        {"nothing", "", ErrorKind::protocol, "not readable"},
        {"HTML", "<html>", ErrorKind::protocol, "not readable"},
        {"a cut object", R"({"count":1,"next":null,"previous":null,"results":[{"id":1})", ErrorKind::protocol,
         "not readable"},
        {"something behind the end", R"({"count":0,"next":null,"previous":null,"results":[]} {)", ErrorKind::protocol,
         "not readable"},
        {"a count that is a word", R"({"count":"many","next":null,"previous":null,"results":[]})", ErrorKind::config,
         "member count that is not a number"},
        {"a count with a fraction", R"({"count":1.5,"next":null,"results":[]})", ErrorKind::config,
         "member count that is not a number"},
        {"a next that looks like null", R"({"next":nothing,"results":[]})", ErrorKind::protocol, "not readable"},
        {"rows that look like null", R"({"next":null,"results":nil})", ErrorKind::protocol, "not readable"},
        {"a next that is a truth", R"({"next":false,"results":[]})", ErrorKind::config, "member next that is not"},
        {"rows that are text", R"({"next":null,"results":"none"})", ErrorKind::config,
         "member results that is not an array"},
    }));
    SECTION(row.name)
    {
        const auto page = read(row.body);
        REQUIRE_FALSE(page);
        CHECK(page.error().kind() == row.kind);
        CHECK(page.error().text().find(row.fragment) != std::string::npos);
    }
}

namespace {

// What services, their front ends and their bugs put where a value should be.
const std::vector<std::string> broken_values = {
    "nothing",  "nan",      "NaN",  "n",     "nul",    "nullx",   "nulltrue", "NULL",        "None", "undefined",
    "tru",      "fals",     "-",    "+1",    "01",     "1e",      "1.",       ".5",          "0x10", "1_000",
    "--1",      "Infinity", "-nan", "\"",    "\"\\",   "'1'",     "\"\\u\"",  "\"\\ud800\"", "{",    "[",
    "]",        "}",        ",",    ":",     "[1,]",   "{\"a\"}", "",         " ",           "\x01", "\xff",
    "\"\xff\"", "[[[[",     "{{}}", "/**/1", "\"\n\"", "1 2",     "nil",      "no"};

}  // namespace

TEST_CASE("whatever stands where a value of a page should be is an error, and nothing is thrown")
{
    std::size_t read_as_pages = 0;
    for (const auto& value : broken_values) {
        for (const std::string member : {"count", "next", "results", "previous"}) {
            for (const auto answers : {config::Answers::list, config::Answers::object}) {
                auto text = fmt::format(R"({{"count":1,"next":null,"previous":null,"results":[{{"id":1}}],"{}":{}}})",
                                        member, value);
                for (const auto& body : {text, fmt::format(R"({{"{}":{})", member, value),
                                         fmt::format(R"({{"{}":{},"results":[]}})", member, value), value}) {
                    INFO(body);
                    std::optional<Result<sync::Page>> page;
                    REQUIRE_NOTHROW(page.emplace(read(body, answers)));
                    if (!*page) {
                        const auto kind = page->error().kind();
                        CHECK((kind == ErrorKind::protocol || kind == ErrorKind::config));
                    }
                    read_as_pages += *page ? 1 : 0;
                }
            }
        }
    }
    CHECK(read_as_pages > 0);  // what no walk looks at is left to the reader of rows
}

TEST_CASE("a count or next that only begins like null is broken JSON, not another shape of list")
{
    for (const auto* body : {R"({"next":nothing,"results":[]})", R"({"count":nan,"next":null,"results":[]})",
                             R"({"count":nul,"next":null,"results":[]})"}) {
        INFO(body);
        const auto page = read(body);
        REQUIRE_FALSE(page);
        CHECK(page.error().kind() == ErrorKind::protocol);
        CHECK(page.error().text().find("not readable as a page") != std::string::npos);
    }
}

TEST_CASE("an array or object whose last bracket is of the other kind is broken JSON")
{
    for (const auto& [body, answers] :
         {std::pair(R"([{"id":1}})", config::Answers::list), std::pair(R"([ "i"} )", config::Answers::list),
          std::pair(R"({"id":1])", config::Answers::object),
          std::pair(R"({"next":null,"results":[1}})", config::Answers::list),
          std::pair(R"({"next":null,"results":{"id":1]})", config::Answers::list)}) {
        INFO(body);
        std::string text = body;
        const auto page = sync::read_page(text, answers, "page");
        REQUIRE_FALSE(page);
        CHECK(page.error().kind() == ErrorKind::protocol);
    }
}

TEST_CASE("a next of megabytes is told as what it is")
{
    const auto query = "page=2&cursor=" + std::string(3u << 20, 'x');
    const auto page = read(fmt::format(R"({{"count":9,"next":"http://h/r/?{}","results":[{{"id":1}}]}})", query));
    REQUIRE_FALSE(page);
    CHECK(page.error().kind() == ErrorKind::config);
    CHECK(page.error().text().find("has 3145") != std::string::npos);
    http::Response array;
    array.headers = {{"Link", fmt::format("<http://h/r/?{}>; rel=\"next\"", query.substr(0, 100'000))}};
    const auto rest = sync::rest_of_array(array);
    REQUIRE_FALSE(rest);
    CHECK(rest.error().kind() == ErrorKind::config);
    CHECK(rest.error().text().find("has 100012 bytes") != std::string::npos);
}

TEST_CASE("of a large answer the frame is read as of any other, and the rows are found where they are")
{
    std::string rows = R"([{"id":0,"a":"]}"})";
    while (rows.size() < (5U << 20U)) {
        rows += fmt::format(R"(,{{"id":{},"results":["{:y>200}"]}})", rows.size(), 1);
    }
    rows += "]";
    const auto counted = read(R"({"count":9,"next":"https://x/?page=2","results":)" + rows + "}\n");
    REQUIRE(counted);
    CHECK(counted->envelope == sync::Envelope::counted);
    CHECK(counted->count == 9);
    CHECK(counted->next_query == "page=2");
    CHECK(counted->results == rows);

    const auto behind = read(R"({"results":)" + rows + R"(,"next":null,"count":"9"})");
    REQUIRE(behind);
    CHECK(behind->count == 9);
    CHECK(behind->results == rows);

    const auto bare = read(rows);
    REQUIRE(bare);
    CHECK(bare->envelope == sync::Envelope::array);
    CHECK(bare->is_silent);
    CHECK(bare->results == rows);

    const auto cut = read(R"({"count":9,"next":null,"results":)" + rows.substr(0, rows.size() - 10));
    REQUIRE(!cut);
    CHECK(cut.error().kind() == ErrorKind::protocol);
    const auto twice = read(R"({"count":9,"next":null,"results":)" + rows + "}}");
    REQUIRE(!twice);
    CHECK(twice.error().kind() == ErrorKind::protocol);
}

TEST_CASE("what cannot be cut into rows is refused with its size")
{
    const std::string large(9U << 20U, 'x');
    const auto beside = read(R"({"results":[{"id":1}],"next":null,"blob":")" + large + "\"}");
    REQUIRE(!beside);
    CHECK(beside.error().kind() == ErrorKind::config);
    CHECK_THAT(beside.error().text(),
               Catch::Matchers::Contains("9.0 MiB of the answer are outside the rows of a list"));
    const auto single = read(R"({"id":1,"blob":")" + large + "\"}", config::Answers::object);
    REQUIRE(!single);
    CHECK(single.error().kind() == ErrorKind::config);
    const auto none = read(R"({"results":null,"blob":")" + large + "\"}");
    REQUIRE(!none);
    CHECK(none.error().kind() == ErrorKind::protocol);
}
