#include "sync/discovery/foreign_frame.hpp"

#include "support/catch.hpp"

namespace shelfd::sync {
namespace {

TEST_CASE("an object whose rows are in a member that is not read says in which")
{
    struct Row {
        const char* name;
        const char* object;
        const char* member;
    };
    const Row rows[] = {
        {"JSON API", R"({"data":[{"id":1}],"meta":{"total":3}})", "`data`"},
        {"OData", R"({"@odata.context":"x","value":[{"id":1}]})", "`value`"},
        {"one level down", R"({"status":"ok","data":{"items":[{"id":1}],"total":1}})", "`data.items`"},
        {"any name beside a count", R"({"count":2,"recipes":[{"id":1},{"id":2}]})", "`recipes`"},
        {"any name beside links of pages", R"({"next":null,"previous":null,"lines":[]})", "`lines`"},
        {"no row yet", R"({"items":[],"total":0})", "`items`"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const auto said = foreign_frame("[" + std::string(row.object) + "]");
        CHECK(said.find(std::string("whose rows are in ") + row.member) != std::string::npos);
    }
    for (const auto* object :
         {R"({"id":7,"items":[{"id":1}]})", R"({"name":"x","list":["a"]})", R"({"data":{"id":1}})",
          R"({"recipes":[{"id":1}]})", R"({"number":7,"total":2,"lines":[{"id":1}]})",
          R"({"count":2,"recipes":[{"id":1}],"lines":[]})", R"({"count":2,"names":["a"]})", "{}", "[]", "", "{",
          R"({"data":null})", R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"items":[]})"}) {
        INFO(object);
        CHECK(foreign_frame("[" + std::string(object) + "]").empty());
    }
}

}  // namespace
}  // namespace shelfd::sync
