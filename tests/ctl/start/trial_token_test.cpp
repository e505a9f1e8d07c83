#include "ctl/start/trial_token.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {
namespace {

TEST_CASE("a token of any form that RFC 6750 allows is taken as one, and a token response as it is")
{
    struct Row {
        std::string given, pasted;
    };
    const std::vector<Row> rows = {
        {"mF_9.B5f-4.1JqM", "access_token=mF_9.B5f-4.1JqM"},
        {"YWJjZA==", "access_token=YWJjZA=="},
        {"a+b/c~d=", "access_token=a+b/c~d="},
        {" YWJjZA==\r\n", "access_token=YWJjZA=="},
        {"Bearer YWJjZA==", "access_token=YWJjZA=="},
        {"bearer  YWJjZA", "access_token=YWJjZA"},
        {"access_token=YWJjZA==", "access_token=YWJjZA=="},
        {"access_token=", "access_token="},
        {"access_token=a\nexpires_in=60", "access_token=a\nexpires_in=60"},
        {R"({"access_token":"YWJjZA=="})", R"({"access_token":"YWJjZA=="})"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.given);
        CHECK(token_paste(Secret(std::string(row.given))).reveal() == row.pasted);
    }
}

}  // namespace
}  // namespace shelfd::ctl
