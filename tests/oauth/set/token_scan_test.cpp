#include "oauth/set/token_scan.hpp"

#include "oauth/endpoint/answer_class.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

namespace shelfd::oauth {
namespace {

const std::string access = "AcSoiYpw7qTf3bZ0-_.~+/x=";
const std::string refresh = "rEf0iYpw7qTf3bZ0k2m";

TEST_CASE("a set that has arrived in a form nobody expects is found in it")
{
    struct Row {
        const char* name;
        std::string body;
    };
    const std::vector<Row> rows = {
        {"objects of values", R"({"access_token":{"token":")" + access + R"("},"refresh_token":{"value":")" + refresh +
                                  R"(","expires":9}})"},
        {"a list of names and values", R"([{"name":"access_token","value":")" + access +
                                           R"("},{"name": "refresh_token", "value": ")" + refresh + R"("}])"},
        {"a guard before it", ")]}',\n{\"access_token\":\"" + access + "\",\"refresh_token\":\"" + refresh + "\"}"},
        {"a call around it", "callback({\"accessToken\": \"" + access + "\", \"refreshToken\": \"" + refresh + "\"});"},
        {"lines", "access_token: " + access + "\nrefresh_token: " + refresh + "\n"},
        {"XML", "<?xml version=\"1.0\"?><OAuth><access_token>" + access + "</access_token><refresh_token><![CDATA[" +
                    refresh + "]]></refresh_token></OAuth>"},
        {"twice the same", "access_token=" + access + "\nrefresh_token=" + refresh + "\naccess-token=" + access + "\n"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const auto landed = classify({200, true, row.body, Duration(0)});
        CHECK(landed.answer == AnswerClass::salvaged);
        CHECK(landed.tokens.access.reveal() == access);
        CHECK(landed.tokens.refresh.reveal() == refresh);
        CHECK(landed.reason.find(refresh) == std::string::npos);
        CHECK_FALSE(landed.is_doubtful);
        CHECK(scan_tokens(row.body).refresh.reveal() == refresh);
        // A refusal is searched, too: it may have come from a gateway. What it repeats of the request is no set.
        for (const int status : {302, 400, 403, 408, 429, 500, 502}) {
            const auto refused = classify({status, true, row.body, Duration(0)});
            CHECK(refused.answer == AnswerClass::salvaged);
            CHECK(refused.is_doubtful);
            CHECK(refused.tokens.refresh.reveal() == refresh);
            CHECK(classify({status, true, row.body, Duration(0), refresh}).answer != AnswerClass::salvaged);
        }
    }
}

TEST_CASE("what is not clear is no set, but the answer is known to hold one")
{
    for (const auto& body : std::vector<std::string>{
             R"({"access_token":{"id":7},"refresh_token":{"id":8}})",
             R"({"fields":["access_token","refresh_token","scope"]})",
             "<answer><access_token>" + access + "</access_token></answer>",
             "access_token: " + access + "\nrefresh_token: short\n",
             "refresh_token: " + refresh + "\nrefresh_token: other" + refresh + "\naccess_token: " + access + "\n",
             "refresh_token: " + access + "\naccess_token: " + access + "\n",
             "access_token: " + access + "\nrefresh_token: " + refresh,  // cut, perhaps
             "access_token: " + access + "\nrefresh_token: \"" + refresh + "\\u00e9\"",
         }) {
        INFO(body);
        CHECK(scan_tokens(body).refresh.empty());
        CHECK(scan_tokens(body).access.empty());
        CHECK(names_tokens(body));
        const auto landed = classify({200, true, body, Duration(0)});
        CHECK(landed.answer == AnswerClass::unclear);
        CHECK(landed.ambiguity == Ambiguity::unread_set);
    }
    for (const auto* body :
         {R"({"access_token":null,"refresh_token":null})", R"({"access_token":"","refresh_token":""})",
          "<access_token/><refresh_token/>", "access_token=none&refresh_token="}) {
        INFO(body);
        CHECK_FALSE(names_tokens(body));
    }
    CHECK_FALSE(names_tokens("<html>Sign in to go on</html>"));
    CHECK_FALSE(names_tokens(R"({"rt":"x"})"));
}

}  // namespace
}  // namespace shelfd::oauth
