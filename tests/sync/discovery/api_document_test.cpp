#include "support/catch.hpp"
#include "sync/discovery/api_document.hpp"

#include <fmt/format.h>

namespace shelfd::sync {
namespace {

std::vector<std::string> paths_of(const std::string& text)
{
    const auto document = read_api_document(text);
    REQUIRE(document);
    std::vector<std::string> paths;
    for (const auto& list : document->lists) {
        paths.push_back(list.path);
    }
    return paths;
}

using Paths = std::vector<std::string>;

// As drf-spectacular writes it, shortened.
constexpr auto openapi =
    R"({"openapi":"3.0.3","info":{"title":"Shop","version":"7"},"servers":[{"url":"https://elsewhere.example.com/shop/v7/"}],
"paths":{
 "/tickets":{"get":{"operationId":"tickets_list","summary":"All tickets\nand more","parameters":[{"$ref":"#/components/parameters/Page"},{"name":"sold_at__gte","in":"query","schema":{"type":"string"}}],
   "responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/PaginatedTickets"}}}}}},
   "post":{"operationId":"tickets_create"}},
 "/tickets/{id}/":{"get":{"operationId":"tickets_retrieve","responses":{"200":{}}}},
 "/seats/":{"get":{"responses":{"200":{"content":{"application/json":{"schema":{"type":"array","items":{}}}}}}}},
 "/me":{"get":{"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/User"}}}}}}},
 "/search":{"get":{"parameters":[{"name":"q","in":"query","required":true}],"responses":{}}},
 "/halls/{hall_id}/rows/":{"parameters":[{"name":"hall_id","in":"path","required":true}],"get":{"responses":{}}},
 "/login":{"post":{}}},
"components":{"parameters":{"Page":{"name":"page","in":"query","required":false}},
 "schemas":{"PaginatedTickets":{"type":"object","properties":{"count":{"type":"integer"},"results":{"type":"array","items":{"$ref":"#/components/schemas/Ticket"}}}},
  "Ticket":{"type":"object","properties":{"id":{"type":"integer"}}},
  "User":{"type":"object","properties":{"id":{"type":"integer"},"roles":{"type":"array","items":{"type":"string"}}}}}}})";

TEST_CASE("an OpenAPI 3 document names its lists, with base path, title and query parameters")
{
    const auto document = read_api_document(openapi);
    REQUIRE(document);
    CHECK(document->version == "OpenAPI 3.0.3");
    CHECK(paths_of(openapi) ==
          Paths{"/shop/v7/tickets", "/shop/v7/seats/", "/shop/v7/search", "/shop/v7/halls/{hall_id}/rows/"});
    const auto& tickets = document->lists.front();
    CHECK(tickets.title == "All tickets");
    CHECK(tickets.query == std::vector<std::string>{"page", "sold_at__gte"});
    CHECK(tickets.answers_array);
    CHECK(document->lists[1].answers_array);
    CHECK_FALSE(document->lists[2].answers_array);
    CHECK(document->lists[2].required == std::vector<std::string>{"q"});
    CHECK(tickets.required.empty());
    CHECK(document->omitted == 0);
}

TEST_CASE("a Swagger 2 document names its lists below basePath")
{
    constexpr auto swagger = R"({"swagger":"2.0","host":"api.example.com","basePath":"/api/v2","paths":{
        "/library/recipes/":{"get":{"responses":{"200":{"schema":{"type":"array","items":{"$ref":"#/definitions/R"}}}}},
                             "parameters":[]},
        "/library/recipes/{id}/":{"get":{}},
        "/version/":{"get":{"responses":{"200":{"schema":{"properties":{"number":{"type":"string"}}}}}}}},
        "definitions":{"R":{}}})";
    CHECK(read_api_document(swagger)->version == "Swagger 2.0");
    CHECK(paths_of(swagger) == Paths{"/api/v2/library/recipes/"});
}

TEST_CASE("a base path that is no path of this service is left out")
{
    const auto with = [](const std::string& member) {
        return paths_of("{\"openapi\":\"3.1.0\"," + member + ",\"paths\":{\"/a\":{\"get\":{\"x\":1}}}}");
    };
    CHECK(with(R"("servers":[])") == Paths{"/a"});
    CHECK(with(R"("servers":[{"url":"/"}])") == Paths{"/a"});
    CHECK(with(R"("servers":[{"url":"https://{tenant}.example.com/{version}"}])") == Paths{"/a"});
    CHECK(with(R"("servers":[{"url":"/v1/"}])") == Paths{"/v1/a"});
    CHECK(with(R"("basePath":"nonsense")") == Paths{"/a"});
    CHECK(with(R"("servers":"nonsense")") == Paths{"/a"});
}

TEST_CASE("of several servers that of the service counts, variables have defaults, and a path may have its own")
{
    const auto with = [](const std::string& servers, const std::string& item = "") {
        const auto text = "{\"openapi\":\"3.1.0\"," + servers + ",\"paths\":{\"/a\":{" + item + "\"get\":{\"x\":1}}}}";
        const auto document = read_api_document(text, "https://api.example.com");
        REQUIRE(document);
        return document->lists.front().path;
    };
    CHECK(with(R"("servers":[{"url":"https://sandbox.example.com/test"},{"url":"https://api.example.com/v3"}])") ==
          "/v3/a");
    CHECK(with(R"("servers":[{"url":"https://other.example.com/first"},{"url":"https://x.example.com/v3"}])") ==
          "/first/a");
    CHECK(
        with(
            R"("servers":[{"url":"https://{h}.example.com/{v}","variables":{"h":{"default":"api"},"v":{"default":"v4"}}}])") ==
        "/v4/a");
    CHECK(with(R"("servers":[{"url":"/{v}","variables":{"v":{"enum":["v5"]}}}])") == "/a");
    CHECK(with(R"("servers":[{"url":"/v1"}])", R"("servers":[{"url":"/own/"}],)") == "/own/a");
    CHECK(with(R"("servers":[{"url":"/v1"}])", R"("servers":[],)") == "/a");
}

TEST_CASE("what is no document is refused, and broken parts of one are left out")
{
    for (const std::string text :
         {"", "null", "[]", "{}", "<html>", R"({"openapi":"3.0.0"})", R"({"openapi":3,"paths":{}})",
          R"({"swagger":"1.2","paths":{}})", R"({"paths":{}})", R"({"openapi":"3.0.0","paths":{})", "openapi: 3.0.0"}) {
        INFO(text);
        const auto document = read_api_document(text);
        REQUIRE_FALSE(document);
        CHECK(document.error().kind() == ErrorKind::protocol);
    }
    CHECK(
        paths_of(R"({"openapi":"3.0.0","paths":{"a":{"get":{"x":1}},"/b":7,"/c":{"get":[]},"/d":{"get":{"x":1}}}})") ==
        Paths{"/d"});
    CHECK(paths_of(R"({"openapi":"3.0.0","paths":[]})").empty());
}

TEST_CASE("references in a circle, or to nothing, end")
{
    CHECK(paths_of(R"({"openapi":"3.0.0","paths":{"/a":{"get":{"parameters":[{"$ref":"#/p/A"},{"$ref":"#/no/where"}],)"
                   R"("responses":{"200":{"$ref":"#/p/A"}}}}},"p":{"A":{"$ref":"#/p/B"},"B":{"$ref":"#/p/A"}}})") ==
          Paths{"/a"});
}

TEST_CASE("of a huge document 300 lists are kept and the others counted; beyond 16 MiB it is refused")
{
    std::string text = R"({"openapi":"3.0.0","paths":{)";
    for (int i = 0; i < 1000; ++i) {
        text += fmt::format(R"({}"/list{}":{{"get":{{"summary":"{}"}}}})", i > 0 ? "," : "", i, std::string(1000, 'x'));
    }
    const auto document = read_api_document(text + "}}");
    REQUIRE(document);
    CHECK(document->lists.size() == 300);
    CHECK(document->omitted == 700);
    CHECK(document->lists.front().title.size() == 80);
    text += std::string(max_document, ' ');
    const auto refused = read_api_document(text + "}}");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text().find("16 MiB") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::sync
