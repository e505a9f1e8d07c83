#include "ctl/library/set_identity.hpp"

#include "support/catch.hpp"

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

}  // namespace
}  // namespace shelfd::ctl
