#include "support/catch.hpp"
#include "sync/discovery/api_root.hpp"

#include <fmt/format.h>

namespace shelfd::sync {
namespace {

std::vector<std::string> entries_of(const std::string& body)
{
    std::vector<std::string> found;
    for (const auto& entry : read_api_root(body, "/api/v2/", "https://api.example.com")) {
        found.push_back(entry.name + " " + entry.path);
    }
    return found;
}

using Entries = std::vector<std::string>;

TEST_CASE("a root of Django REST Framework names its lists")
{
    CHECK(
        entries_of(
            R"({"recipes":"https://api.example.com/api/v2/recipes/","units":"https://api.example.com/units/?format=json"})") ==
        Entries{"recipes /api/v2/recipes/", "units /units/"});
    CHECK(entries_of(R"({"library":{"recipes":"/api/v2/library/recipes/"},"self":"/api/v2/"})") ==
          Entries{"library.recipes /api/v2/library/recipes/"});
    CHECK(entries_of(R"({"_links":{"orders":{"href":"https://api.example.com/api/v2/orders"}}})") ==
          Entries{"orders /api/v2/orders"});
}

TEST_CASE("of an address at another host only a path below the root counts")
{
    // A proxy that does not pass on the host.
    CHECK(entries_of(R"({"recipes":"http://10.0.0.7:8000/api/v2/recipes/"})") == Entries{"recipes /api/v2/recipes/"});
    CHECK(entries_of(R"({"docs":"https://docs.example.org/start/","other":"//evil.example.org/api/v2/x/"})").empty());
    CHECK(entries_of(R"({"up":"https://api.example.com/api/v2/../../etc/","p":"/api/v2/{id}/"})").empty());
}

TEST_CASE("what is no root has no entries")
{
    for (const std::string body :
         {"", "null", "[]", "{}", "<!doctype html>", R"({"detail":"Not found."})", R"({"count":1,"results":[]})",
          R"({"id":1,"url":"https://api.example.com/api/v2/recipes/1/"})", R"({"recipes":7,"a":null,"b":["/c/"]})"}) {
        INFO(body);
        CHECK(entries_of(body).empty());
    }
}

TEST_CASE("a root of any length gives at most 300 entries, each path once")
{
    std::string body = R"({"again":"/api/v2/list7/")";
    for (int i = 0; i < 1000; ++i) {
        body += fmt::format(R"(,"list{0}":"/api/v2/list{0}/")", i);
    }
    CHECK(entries_of(body + "}").size() == 300);
}

}  // namespace
}  // namespace shelfd::sync
