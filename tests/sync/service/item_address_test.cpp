#include "sync/service/item_address.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace shelfd::sync;

namespace {

config::Library library()
{
    config::Library library;
    library.name = "antwerp";
    library.service.base_url = "https://api.test";
    return library;
}

config::Resource resource(config::Detail detail, std::vector<std::string> key = {"id"})
{
    config::Resource resource;
    resource.name = "recipes";
    resource.key = std::move(key);
    resource.detail = std::move(detail);
    return resource;
}

mirror::DetailItem item(std::string key, std::string address = "")
{
    mirror::DetailItem item;
    item.key = std::move(key);
    item.address = std::move(address);
    return item;
}

}  // namespace

TEST_CASE("of an item's own address only path and query are used, and only at our origin")
{
    struct Row {
        const char* address;
        const char* target;  // "" = refused
        const char* says;
    };
    const Row rows[] = {
        {"https://api.test/api/v2/recipes/7/", "/api/v2/recipes/7/", ""},
        {"https://API.test:443/api/v2/recipes/7/?full=1#top", "/api/v2/recipes/7/?full=1", ""},
        {"/api/v2/recipes/7/", "/api/v2/recipes/7/", ""},
        {"http://api.test/api/v2/recipes/7/", "", "is an address at http://api.test, where no token is sent"},
        {"https://api.test.evil.example/7/", "", "where no token is sent"},
        {"https://api.test@evil.example/7/", "", "is not an address"},
        {"https://api.test:8443/7/", "", "where no token is sent"},
        {"//evil.example/7/", "", "is not an address"},
        {"ftp://api.test/7/", "", "is not an address"},
        {"7", "", "is not an address"},
        {"", "", "has no address for it in \"url\""},
    };
    for (const auto& row : rows) {
        INFO(row.address);
        const auto target = detail_target(library(), resource({"url", ""}), item("7", row.address));
        CHECK(target.has_value() == (row.target[0] != '\0'));
        CHECK(target.value_or("") == row.target);
        CHECK((target || target.error().text().find(row.says) != std::string::npos));
    }
}

TEST_CASE("a missing row whose address names us without TLS is asked for at our origin, and only the row itself counts")
{
    const auto of = [](const std::string& address) {
        return witness_target(library(), resource({"url", ""}), "7", address);
    };
    const auto ours = of("https://api.test/api/v2/recipes/7/");
    REQUIRE(ours);
    CHECK(ours->target == "/api/v2/recipes/7/");
    CHECK(ours->shows_absence);
    for (const auto* address : {"http://api.test/api/v2/recipes/7/", "http://API.test:80/api/v2/recipes/7/",
                                "http://api.test:443/api/v2/recipes/7/"}) {
        INFO(address);
        const auto plain = of(address);
        REQUIRE(plain);
        CHECK(plain->target == "/api/v2/recipes/7/");
        CHECK_FALSE(plain->shows_absence);
    }
    for (const auto* address : {"http://api.test:8000/7/", "http://api.test.evil.example/7/", "http://a@api.test/7/",
                                "https://api.test:8443/7/", "ftp://api.test/7/", "7", ""}) {
        INFO(address);
        CHECK_FALSE(of(address));
    }
}

TEST_CASE("a path is filled with the members of the key, which cannot leave it")
{
    const auto of = [](const std::string& path, const std::string& key, std::vector<std::string> names) {
        return detail_target(library(), resource({"", path}, std::move(names)), item(key)).value_or("refused");
    };
    CHECK(of("/r/{id}/", "42", {"id"}) == "/r/42/");
    CHECK(of("/r/{id}/", R"("a/../b?c=d#é")", {"id"}) == "/r/a%2F..%2Fb%3Fc%3Dd%23%C3%A9/");
    CHECK(of("/o/{outlet}/s/{id}/{id}/", R"(["{id}",7])", {"outlet", "id"}) == "/o/%7Bid%7D/s/7/7/");
    CHECK(of("/r/{id}/", "[1,2]", {"id"}) == "refused");
    CHECK(of("/r/{id}/", R"("..")", {"id"}) == "refused");
    CHECK(of("/r/{id}", R"(".")", {"id"}) == "refused");
    CHECK(of("/r/{id}", R"("")", {"id"}) == "refused");
    CHECK(of("/o/{outlet}/s/{id}/", R"(["",7])", {"outlet", "id"}) == "refused");
    CHECK(of("/r/{id}.{lang}/", R"([".","nl"])", {"id", "lang"}) == "/r/..nl/");
}

TEST_CASE("an item is asked for where it says itself, and without an address where its details are")
{
    const auto of = [](const config::Detail& detail, const std::string& address) {
        return item_target(library(), resource(detail), "7", address).value_or("none");
    };
    CHECK(of({"", "/r/{id}/calculated/"}, "https://api.test/r/7/") == "/r/7/");
    CHECK(of({"", "/r/{id}/calculated/"}, "") == "/r/7/calculated/");
    CHECK(of({"", "/r/{id}/calculated/"}, "https://evil.example/7/") == "/r/7/calculated/");
    CHECK(of({"href", ""}, "") == "none");
    CHECK(of({"href", ""}, "https://evil.example/7/") == "none");
    CHECK(of({"href", ""}, "/r/7/") == "/r/7/");
    CHECK(of({"", "/r/{id}/calculated/"}, "/shop/a-page-for-people/") == "/r/7/calculated/");
    CHECK(address_members(resource({"href", ""})) == std::vector<std::string>{"href", "url"});
    CHECK(address_members(resource({"url", ""})) == std::vector<std::string>{"url"});
    auto with = library();
    with.service.params = {{"tenant", "7"}};
    CHECK(item_target(with, resource({"url", ""}), "7", "/r/7/").value_or("") == "/r/7/?tenant=7");
}

TEST_CASE("parameters of every request are those of details, too")
{
    auto with = library();
    with.service.params = {{"format", "json"}, {"lang", "nl"}};
    CHECK(detail_target(with, resource({"", "/r/{id}/"}), item("7")).value_or("") == "/r/7/?format=json&lang=nl");
    CHECK(detail_target(with, resource({"url", ""}), item("7", "/r/7/?lang=fr&a=1")).value_or("") ==
          "/r/7/?a=1&format=json&lang=nl");
}
