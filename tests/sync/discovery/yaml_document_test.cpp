#include "support/catch.hpp"
#include "sync/discovery/yaml_document.hpp"

#include <string>
#include <vector>

namespace shelfd::sync {
namespace {

std::vector<std::string> paths_of(const Result<ApiDocument>& document)
{
    REQUIRE(document.has_value());
    std::vector<std::string> paths;
    for (const auto& list : document->lists) {
        paths.push_back(list.path);
    }
    return paths;
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("the prefix of the servers of a document in YAML is found however it is written")
{
    constexpr auto service = "https://api.example.com";
    for (const std::string servers :
         {"servers:\n  - url: /api/v2 # prod\n", "servers:\n- url: '/api/v2'  # prod\n", "servers: [{url: /api/v2}]\n",
          "servers: [{\"url\":\"/api/v2\"}] # prod\n", "servers:\n  - {url: /api/v2/, description: 'it''s: ours'}\n",
          "servers: [ # of all\n    {\n      description: \"a, b\", url: /api/v2 # prod\n    },\n]\n",
          "servers:\n  - url: https://other.example.com/v1\n  - url: https://api.example.com/api/v2\n",
          "servers:\n  - url: https://{host}/api/{version}\n    variables:\n      host: {default: api.example.com}\n"
          "      version:\n        enum: [v1, v2]\n        default: v2\n",
          "servers:\n  - description: |\n      url: /wrong\n    url: /api/v2\n",
          "servers: &all !!seq [{url: /api/v2}]\n"}) {
        INFO(servers);
        const auto document =
            read_yaml_document("openapi: 3.0.3\n" + servers + "paths:\n  /recipes/:\n    get: {}\n", service);
        CHECK(paths_of(document) == Paths{"/api/v2/recipes/"});
        CHECK(document->unread.empty());
        CHECK(why_unread(document).empty());
    }
}

TEST_CASE("paths of a document in YAML are found in blocks and in braces, with their summaries")
{
    const auto document = read_yaml_document(R"(openapi: 3.0.3  # of the framework
paths:
  /recipes:search:  # a colon in the path
    get: {summary: 'All, "sorted"', responses: {"200": {description: fine}}}
    post: {}
  /orders/: {get: {summary: Orders}, post: {}}
  "/outlets/": {
    "post":{"summary":"New"},
    "get":{"summary":"Outlets"}
  }
  /write/: {post: {get: no}}
  /items/:
    get:
      summary: Items # all of them
components: {schemas: {
  Recipe: {type: object}
}}
)");
    CHECK(paths_of(document) == Paths{"/recipes:search", "/orders/", "/outlets/", "/items/"});
    CHECK(document->version == "OpenAPI 3.0.3");
    CHECK(document->lists[0].title == "All, \"sorted\"");
    CHECK(document->lists[1].title == "Orders");
    CHECK(document->lists[2].title == "Outlets");
    CHECK(document->lists[3].title == "Items");
    CHECK(document->unread.empty());
}

TEST_CASE("what a document in YAML says in a form that is not read is named with its line")
{
    struct Row {
        std::string rest;
        std::string unread;
        Paths paths;
    };
    const auto own = [](const std::string& before) { return before + "paths:\n  /x/:\n    get: {}\n"; };
    for (const auto& row :
         std::vector<Row>{{own("servers: *all\n"), "line 2 (servers)", {"/x/"}},
                          {own("servers:\n  - url: https://host/{version}\n"), "line 3 (servers)", {"/x/"}},
                          {own("servers:\n  - description: none\n"), "line 3 (servers)", {"/x/"}},
                          {own("servers: [{url: /api/v2\n"), "line 2 (servers)", {"/api/v2/x/"}},
                          {own("") + "  /y/: *shared\n  /z/:\n    $ref: other.yaml\n",
                           "line 5 (/y/), line 7 ($ref of /z/)",
                           {"/x/"}},
                          {own("") + "  /y/: {get: {summary: \"open}\n", "line 5 (/y/)", {"/x/", "/y/"}},
                          {own("") + "  ? /y/\n  : get: {}\n", "line 5", {"/x/"}},
                          {own("") + "  /a/: *a\n  /b/: *a\n  /c/: *a\n  /d/: *a\n  /e/: *a\n",
                           "line 5 (/a/), line 6 (/b/), line 7 (/c/), 2 more",
                           {"/x/"}}}) {
        INFO(row.rest);
        const auto document = read_yaml_document("openapi: 3.0.3\n" + row.rest);
        CHECK(paths_of(document) == row.paths);
        CHECK(document->unread == row.unread);
        CHECK(why_unread(document).find(row.unread + "; ask the service for the same document in JSON") !=
              std::string::npos);
    }
}

TEST_CASE("a value in braces that never ends, or is nested too deeply, costs no more than itself")
{
    std::string deep = "openapi: 3.0.3\npaths:\n  /x/:\n    get: {}\n  /y/: ";
    for (int i = 0; i < 100'000; ++i) {
        deep += "{a: ";
    }
    const auto document = read_yaml_document(deep + "\n  /z/:\n    get: {}\n");
    CHECK(paths_of(document) == Paths{"/x/", "/z/"});
    CHECK(document->unread == "line 5 (/y/)");
}

}  // namespace shelfd::sync
