#include "support/catch.hpp"
#include "sync/discovery/survey.hpp"
#include "sync/discovery/yaml_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace shelfd::sync {
namespace {

struct Answer {
    int status = 200;
    std::string body;
    std::vector<http::Header> headers = {};
};

// A service by path; anything else is a page of HTML with the status 404.
struct FakeService {
    std::map<std::string, Answer> answers;
    std::vector<std::string> configured = {};
    std::vector<std::string> asked = {};
    std::size_t announced = 0;
    std::vector<FoundAddress> unread = {};

    std::vector<FoundAddress> survey()
    {
        config::Service service;
        service.base_url = "https://api.example.com";
        ServiceSurvey survey(service, configured);
        for (auto question = survey.next(); question; question = survey.next()) {
            REQUIRE(asked.size() < ServiceSurvey::max_search + ServiceSurvey::max_tried + ServiceSurvey::max_named);
            announced = survey.is_trying() && announced == 0 ? survey.to_try() : announced;
            const auto* method = question->method == http::Method::options ? "OPTIONS " : "";
            const auto target = method + question->target;
            asked.push_back(target);
            const auto found = answers.find(target.substr(0, target.find('?')));
            http::Response response;
            response.status = found == answers.end() ? 404 : found->second.status;
            response.body = found == answers.end() ? "<html>Not found</html>" : found->second.body;
            response.headers = found == answers.end() ? std::vector<http::Header>() : found->second.headers;
            survey.hear(response);
        }
        CHECK(survey.is_trying());
        unread = survey.unread();
        return survey.addresses();
    }
};

constexpr auto page =
    R"({"count":450,"next":"https://api.example.com/x?page=2","previous":null,"results":[{"id":1},{"id":2}]})";

const FoundAddress* at(const std::vector<FoundAddress>& found, const std::string& path)
{
    const auto one =
        std::find_if(found.begin(), found.end(), [&](const auto& address) { return address.path == path; });
    return one == found.end() ? nullptr : &*one;
}

TEST_CASE("a root leads to its lists, and what each answers is told apart")
{
    FakeService service{
        {{"/api/v2/", {200, R"({"recipes":"https://api.example.com/api/v2/recipes/",
                                    "me":"https://api.example.com/api/v2/me/",
                                    "sales":"https://api.example.com/api/v2/sales/",
                                    "gone":"https://api.example.com/api/v2/gone/",
                                    "page":"https://api.example.com/api/v2/page/"})"}},
         {"/api/v2/recipes/", {200, page}},
         {"/api/v2/me/", {200, R"({"id":7,"name":"Ada"})"}},
         {"/api/v2/sales/", {403, R"({"detail":"You do not have permission to perform this action."})"}},
         {"/api/v2/page/", {200, "<html>hello</html>"}}}};
    const auto found = service.survey();
    const auto* recipes = at(found, "/api/v2/recipes/");
    REQUIRE(recipes != nullptr);
    CHECK(recipes->verdict == AddressVerdict::list);
    CHECK(recipes->source == "API root /api/v2/");
    CHECK(recipes->title == "recipes");
    CHECK(recipes->count == 450u);
    CHECK(recipes->page_items == 2);
    CHECK(recipes->more);
    CHECK(at(found, "/api/v2/me/")->verdict == AddressVerdict::object);
    CHECK(at(found, "/api/v2/sales/")->verdict == AddressVerdict::forbidden);
    CHECK_FALSE(at(found, "/api/v2/sales/")->why.empty());
    CHECK(at(found, "/api/v2/gone/")->verdict == AddressVerdict::missing);
    CHECK(at(found, "/api/v2/page/")->verdict == AddressVerdict::unreadable);
    CHECK(found.size() == 5);
    // Only one root is needed; usual paths are not tried.
    CHECK(std::count(service.asked.begin(), service.asked.end(), "/api/v1/") == 0);
    CHECK(at(found, "/api/v2/library/recipes/") == nullptr);
}

TEST_CASE("an address that a limit refuses is not called forbidden: it is worth another try later")
{
    const auto status = GENERATE(403, 429, 503);
    FakeService service{
        {{"/api/v2/", {200, R"({"recipes":"https://api.example.com/api/v2/recipes/",
                                    "sales":"https://api.example.com/api/v2/sales/"})"}},
         {"/api/v2/recipes/", {status, R"({"detail":"Request was throttled."})", {{"Retry-After", "30"}}}},
         {"/api/v2/sales/", {403, R"({"detail":"No."})"}}}};
    const auto found = service.survey();
    CHECK(at(found, "/api/v2/recipes/")->verdict == AddressVerdict::limited);
    CHECK(to_string(AddressVerdict::limited) == "limited");
    CHECK(at(found, "/api/v2/recipes/")->why.find("try again later") != std::string::npos);
    CHECK(at(found, "/api/v2/sales/")->verdict == AddressVerdict::forbidden);
}

TEST_CASE("a root of roots is followed one level down")
{
    FakeService service{{{"/api/", {200, R"({"library":"/api/library/","sales":"/api/sales/"})"}},
                         {"/api/library/", {200, R"({"recipes":"/api/library/recipes/"})"}},
                         {"/api/library/recipes/", {200, page}},
                         {"/api/sales/", {200, page}}}};
    const auto found = service.survey();
    CHECK(at(found, "/api/library/") == nullptr);
    CHECK(at(found, "/api/library/recipes/")->verdict == AddressVerdict::list);
    CHECK(at(found, "/api/sales/")->verdict == AddressVerdict::list);
}

TEST_CASE("a document leads to its lists; lists of a parent's rows are named and not requested")
{
    FakeService service{
        {{"/swagger.json",
          {200, R"({"swagger":"2.0","basePath":"/shop","paths":{"/tickets":{"get":{"summary":"Tickets"}},
                    "/search":{"get":{"parameters":[{"name":"q","in":"query","required":true}]}},
                    "/halls/{id}/seats":{"get":{"summary":"Seats"}}}})"}},
         {"/shop/tickets", {200, page}}}};
    const auto found = service.survey();
    CHECK(at(found, "/shop/tickets")->verdict == AddressVerdict::list);
    CHECK(at(found, "/shop/tickets")->source == "Swagger 2.0 at /swagger.json");
    CHECK(at(found, "/shop/halls/{id}/seats")->verdict == AddressVerdict::untried);
    CHECK(at(found, "/shop/halls/{id}/seats")->why == "one list for each row of another list");
    // One that requires a parameter is named with it, and not requested.
    CHECK(at(found, "/shop/search")->verdict == AddressVerdict::untried);
    CHECK(at(found, "/shop/search")->why == "it requires q: probe its path with a table that has params = { q = … }");
    CHECK(service.announced == 1);
    // No further document is looked for.
    CHECK(std::count(service.asked.begin(), service.asked.end(), "/v3/api-docs") == 0);
}

TEST_CASE("a service that describes itself nowhere is asked for usual paths, and for those that are configured")
{
    FakeService service{{{"/api/v2/library/recipes/", {200, page}}, {"/data/units/", {200, "[1,2]"}}},
                        {"/data/units/"}};
    const auto found = service.survey();
    CHECK(at(found, "/api/v2/library/recipes/")->verdict == AddressVerdict::list);
    CHECK(at(found, "/api/v2/library/recipes/")->source == "usual path");
    CHECK(at(found, "/data/units/")->source == "configuration");
    CHECK(at(found, "/api/v2/sales/lines/")->verdict == AddressVerdict::missing);
    CHECK(service.asked.size() <= ServiceSurvey::max_search + service.announced);
}

TEST_CASE("a document in YAML leads to its lists, and one whose paths cannot be read is named")
{
    constexpr auto yaml = R"(openapi: "3.0.3"
info:
  title: Bakery
  description: |
    /not/a/path/:
      get: no
servers:
  - url: https://elsewhere.example.com/v1/
paths:
  # the lists
  /recipes/:
    parameters: []
    get:
      summary: 'All recipes'
      description: >
        summary: not this
      responses:
        "200":
          description: fine
  "/recipes/{id}/":
    get:
      summary: One recipe
  /orders/:
    post:
      summary: Order something
  /outlets/:
    get: {}
components:
  schemas: {}
)";
    FakeService service{{{"/openapi.yaml", {200, yaml}}, {"/v1/recipes/", {200, page}}, {"/v1/outlets/", {200, page}}}};
    const auto found = service.survey();
    REQUIRE(found.size() == 2);
    CHECK(at(found, "/v1/recipes/")->verdict == AddressVerdict::list);
    CHECK(at(found, "/v1/recipes/")->title == "All recipes");
    CHECK(at(found, "/v1/recipes/")->source == "OpenAPI 3.0.3 at /openapi.yaml");
    CHECK(at(found, "/v1/outlets/")->verdict == AddressVerdict::list);
    CHECK(service.unread.empty());

    FakeService alias{{{"/swagger.yaml", {200, "swagger: '2.0'\nx-all: &all\n  /recipes/: {get: {}}\npaths: *all\n"}}}};
    alias.survey();
    REQUIRE(alias.unread.size() == 1);
    CHECK(alias.unread[0].path == "/swagger.yaml");
    CHECK(alias.unread[0].why.find("ask the service for the same document in JSON") != std::string::npos);
}

TEST_CASE("a document in YAML is known by a root key in quotes or in braces, too, and JSON is none")
{
    for (const auto* root :
         {"\"openapi\": \"3.0.1\"\n\"paths\":\n  \"/x/\":\n    \"get\": {}\n",
          "---\n'openapi' : '3.0.1'\npaths:\n  /x/:\n    get: {}\n", "{openapi: \"3.0.1\", paths: {/x/: {get: {}}}}"}) {
        INFO(root);
        FakeService service{{{"/openapi.yaml", {200, root}}, {"/x/", {200, page}}}};
        const auto found = service.survey();
        REQUIRE(found.size() == 1);
        CHECK(found[0].source == "OpenAPI 3.0.1 at /openapi.yaml");
        CHECK(service.unread.empty());
    }
    constexpr auto no_paths = "{ info: {title: x},\n  swagger: '2.0'}";
    CHECK(looks_like_yaml_document(no_paths));
    FakeService service{{{"/openapi.yaml", {200, no_paths}}}};
    service.survey();
    CHECK(service.unread.size() == 1);
    for (const auto* none :
         {R"({"openapi": "4.0"})", R"({"note": "openapi: 3"})", "my openapi: 3", "openapi 3: x", ""}) {
        INFO(none);
        CHECK_FALSE(looks_like_yaml_document(none));
    }
}

TEST_CASE("views without a name in a root or document are asked for it with OPTIONS, until one has none")
{
    constexpr auto metadata =
        R"({"name":"Recipe List","description":"Newest first.\nMore","renders":["application/json"],"parses":[]})";
    FakeService service{{{"/x/recipes/", {200, page}},
                         {"OPTIONS /x/recipes/", {200, metadata}},
                         {"/x/secret/", {403, R"({"detail":"no"})"}},
                         {"OPTIONS /x/secret/", {403, R"({"detail":"no"})"}},
                         {"/x/plain/", {200, page}},
                         {"OPTIONS /x/plain/", {200, "<html>"}},
                         {"/x/last/", {200, page}}},
                        {"/x/recipes/", "/x/secret/", "/x/gone/", "/x/plain/", "/x/last/"}};
    const auto found = service.survey();
    CHECK(at(found, "/x/recipes/")->title == "Recipe List: Newest first.");
    CHECK(at(found, "/x/secret/")->title.empty());
    CHECK(at(found, "/x/last/")->verdict == AddressVerdict::list);
    std::vector<std::string> options;
    std::copy_if(service.asked.begin(), service.asked.end(), std::back_inserter(options),
                 [](const auto& one) { return one.starts_with("OPTIONS "); });
    CHECK(options == std::vector<std::string>{"OPTIONS /x/recipes/", "OPTIONS /x/secret/", "OPTIONS /x/plain/"});
    CHECK(service.asked.size() <= ServiceSurvey::max_search + service.announced);
}

TEST_CASE("a service of a thousand lists, in documents that never end, costs no more requests than announced")
{
    std::string document = R"({"openapi":"3.0.0","paths":{)";
    for (int i = 0; i < 1000; ++i) {
        document += fmt::format(R"({}"/api/list{}/":{{"get":{{"summary":"a"}}}})", i > 0 ? "," : "", i);
    }
    FakeService service{{{"/openapi.json", {200, document + "}}"}}}};
    const auto found = service.survey();
    CHECK(service.announced == ServiceSurvey::max_tried);
    const auto searched = static_cast<std::size_t>(std::count_if(
        service.asked.begin(), service.asked.end(), [](const auto& one) { return one.find("/list") == one.npos; }));
    CHECK(searched <= ServiceSurvey::max_search);
    CHECK(service.asked.size() == searched + ServiceSurvey::max_tried);
    CHECK(found.size() == 300);
    CHECK(found.back().verdict == AddressVerdict::untried);
    CHECK(found.back().why == "only 80 addresses are tried");
}

TEST_CASE("a service that refuses every request, or answers none, ends the survey")
{
    for (const int status : {401, 403, 500, 503}) {
        FakeService service;
        for (const char* path : {"/", "/api/v2/", "/openapi.json", "/api/v2/library/recipes/"}) {
            service.answers[path] = {status, "{}"};
        }
        INFO(status);
        const auto found = service.survey();
        CHECK(std::none_of(found.begin(), found.end(),
                           [](const auto& one) { return one.verdict == AddressVerdict::list; }));
    }
    config::Service service;
    service.base_url = "https://api.example.com";
    ServiceSurvey survey(service, {});
    std::size_t requests = 0;
    for (auto target = survey.next(); target; target = survey.next()) {
        survey.hear(Error(ErrorKind::network, "connection refused"));
        REQUIRE(++requests < 100);
    }
}

TEST_CASE("an object whose rows are in a member that is not read is no list, and the survey says where they are")
{
    FakeService service;
    service.configured = {"/api/v2/things/"};
    service.answers["/api/v2/things/"] = {200, R"({"data":[{"id":1},{"id":2}]})"};
    const auto found = service.survey();
    const auto* things = at(found, "/api/v2/things/");
    REQUIRE(things != nullptr);
    CHECK(things->verdict == AddressVerdict::unreadable);
    CHECK(things->why.find("rows are in `data`, which is not read") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::sync
