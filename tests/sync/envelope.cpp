#include "sync/envelope.hpp"

#include "support/catch.hpp"

using namespace shelfd;

namespace {

Result<sync::Page> read(std::string text)
{
    // Pages point into the body: keep it alive for the checks of one test.
    static std::string body;
    body = std::move(text);
    body.reserve(body.size() + sync::page_padding);
    return sync::read_page(body);
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

TEST_CASE("the last page has no next, and an empty list is a page")
{
    const auto page = read(R"({"count":0,"next":null,"previous":null,"results":[]})");
    REQUIRE(page);
    CHECK_FALSE(page->next_query);
    CHECK(page->results == "[]");
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
        {"a bare array", R"([{"id":1}])", ErrorKind::config, "a bare array"},
        {"a single object", R"({"id":1,"name":"x"})", ErrorKind::config, "one object"},
        {"a cursor list", R"({"next":null,"previous":null,"results":[]})", ErrorKind::config, "another kind"},
        {"nothing", "", ErrorKind::protocol, "not readable"},
        {"HTML", "<html>", ErrorKind::protocol, "not readable"},
        {"a cut object", R"({"count":1,"next":null,"previous":null,"results":[{"id":1})", ErrorKind::protocol,
         "not readable"},
        {"something behind the end", R"({"count":0,"next":null,"previous":null,"results":[]} {)", ErrorKind::protocol,
         "not readable"},
        {"a count that is text", R"({"count":"1","next":null,"previous":null,"results":[]})", ErrorKind::protocol,
         "not readable"},
    }));
    SECTION(row.name)
    {
        const auto page = read(row.body);
        REQUIRE_FALSE(page);
        CHECK(page.error().kind() == row.kind);
        CHECK(page.error().text().find(row.fragment) != std::string::npos);
    }
}
