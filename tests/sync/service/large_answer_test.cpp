#include "sync/service/large_answer.hpp"

#include "support/catch.hpp"

#include <string>

using namespace shelfd;

TEST_CASE("the rows of an answer are found whatever stands around them")
{
    struct Row {
        const char* answer;
        const char* rows;  // "": not found
    };
    const Row table[] = {
        {R"([{"id":1}])", R"([{"id":1}])"},
        {" [1, 2]\n", "[1, 2]"},
        {R"({"count":2,"next":null,"results":[{"results":[7]}]})", R"([{"results":[7]}])"},
        {R"({"results" : [1,"]"], "next":"https://x/?a=[b]"})", R"([1,"]"])"},
        {R"({"name":"results","other":[1],"results":[2]})", "[2]"},
        {R"({"meta":{"results":[1]},"results":[2]})", "[2]"},
        {R"({"a":"\"results\":[1]","results":[3]})", "[3]"},
        {R"({"results":[1],"results":[2]})", "[2]"},
        {R"({"results":{"id":1}})", ""},
        {R"({"results":[1,2})", ""},
        {R"({"results":[1,2)", ""},
        {R"({"results":[1])", ""},
        {R"([1] x)", ""},
        {R"("results")", ""},
        {"", ""},
    };
    for (const auto& row : table) {
        INFO(row.answer);
        CHECK(std::string(sync::find_rows(row.answer).value_or("")) == row.rows);
    }
}
