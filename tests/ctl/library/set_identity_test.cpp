#include "ctl/library/set_identity.hpp"

#include "support/catch.hpp"
#include "support/identity_pages.hpp"

namespace shelfd::ctl {
namespace {

TEST_CASE("a library is known by the member that identity names, and by what the service calls it")
{
    struct Row {
        const char* name;
        const char* body;
        const char* id;
        const char* title;
    };
    const Row rows[] = {
        {"a number", R"({"id": 42, "name": "Brasserie Antwerp"})", "42", "Brasserie Antwerp"},
        {"a text", R"({"id": "b-7", "title": "Bruges"})", "b-7", "Bruges"},
        {"without a name", R"({"id": 42})", "42", ""},
        {"a name that is none", R"({"id": 42, "name": null, "label": "x"})", "42", "x"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const auto found = read_identity(row.body, "id");
        REQUIRE(found);
        CHECK(found->id == row.id);
        CHECK(found->name == row.title);
    }
    for (const auto* body : {"", "[]", "{}", R"({"id": null})", R"({"id": {}})", "<html>"}) {
        INFO(body);
        CHECK_FALSE(read_identity(body, "id"));
    }
}

TEST_CASE("a member that identity names with dots is read as the daemon reads it, and the title beside it")
{
    for (const auto& row : identity_pages) {
        INFO(row.name);
        const auto found = read_identity(row.body, row.field);
        CHECK((found ? found->id : "") == row.id);
        CHECK((found ? found->name : "") == row.title);
    }
    const auto longest = std::string(200, 'x');
    CHECK(read_identity(R"({"id":")" + longest + "\"}", "id")->id == longest);
    const auto longer = read_identity(R"({"id":")" + longest + "x\"}", "id");
    REQUIRE_FALSE(longer);
    CHECK(longer.error().text() ==
          "the service's answer about the library has no usable member id: check identity.field");
}

TEST_CASE("a page that plainly names the user is found, and no other member is taken for one")
{
    const std::pair<const char*, const char*> rows[] = {
        {R"({"id": 42, "user": {"id": 7, "name": "x"}})", "user.id"},
        {R"({"id": 42, "owner": {"uuid": "b-7"}})", "owner.uuid"},
        {R"({"id": 42, "user_id": 7})", "user_id"},
        {R"({"id": 42, "user": "erik"})", "user"},
        {R"({"id": 42, "user": {"name": "x"}, "user_id": null})", ""},
        {R"({"id": 42, "user": true})", ""},
        {R"({"id": 42, "users": [7], "created_by": 7})", ""},
        {"[]", ""},
    };
    for (const auto& [body, field] : rows) {
        INFO(body);
        CHECK(find_user_field(body) == field);
    }
    CHECK(read_identity(rows[0].first, "id")->user_field == "user.id");
}

}  // namespace
}  // namespace shelfd::ctl
