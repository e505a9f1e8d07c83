#include "sync/trouble/scope.hpp"

#include "support/catch.hpp"

using namespace shelfd;

TEST_CASE("a set lacks a scope only when it says what it covers and the name is not among that")
{
    struct Row {
        const char* name;
        const char* granted;
        const char* needed;
        bool lacks;
    };
    const auto row = GENERATE(Catch::Generators::values<Row>({
        {"the only one", "library", "library", false},
        {"the last of two", "accounts library", "library", false},
        {"the first of two", "library accounts", "library", false},
        {"pasted with a plus", "accounts+library", "library", false},
        {"another one", "accounts", "library", true},
        {"a longer name", "library_read accounts", "library", true},
        {"a shorter name", "lib accounts", "library", true},
        {"nothing is known of the set", "", "library", false},
        {"blanks alone are nothing", "  ", "library", false},
        {"nothing is needed", "accounts", "", false},
    }));
    CAPTURE(row.name);
    CHECK(sync::lacks_scope(row.granted, row.needed) == row.lacks);
}

TEST_CASE("why a scope is missing names both scopes")
{
    const auto why = sync::describe_missing_scope("accounts library", "payroll");
    CHECK(why == "the token set lacks the scope payroll, so no request was sent; it has: accounts library");
}
