#include "ctl/bugreport/redaction.hpp"
#include "ctl/bugreport/sentence_reader.hpp"
#include "ctl/bugreport/text_forms.hpp"
#include "support/catch.hpp"

#include <vector>

namespace shelfd::ctl {
namespace {

TEST_CASE("of a sentence our own words, names, instants and short numbers stay, and nothing else")
{
    Redactor redactor(Hosts::numbered);
    redactor.keep("antwerp");
    redactor.keep("recipes");
    redactor.add_host("https://api.bakery.example:8443/x");
    struct Row {
        const char* text;
        const char* left;
    };
    const std::vector<Row> rows = {
        {"no pass was published since 2026-11-26T13:00:00Z", "no pass was published since 2026-11-26T13:00:00Z"},
        {"antwerp recipes: HTTP 403, needs_person", "antwerp recipes: HTTP 403, needs_person"},
        {"the service said \"Jan Peeters may not\" again", "the service said … again"},
        {"the service said \"Jan Peeters", "the service said …"},
        {"the row of Jan Peeters failed", "the row of … failed"},
        {"request /api/v2/recipes/?email=jan@home.be&x=1 failed", "request /api/v2/recipes/… failed"},
        {"cannot connect to api.bakery.example: Connection refused", "cannot connect to host-1: Connection refused"},
        {"cannot connect to pc-of-jan.lan", "cannot connect to host"},
        {"cannot connect to 2001:db8:85a3::8a2e:370:7334 or 192.168.12.34", "cannot connect to … or …"},
        {"call +32 470 12 34 56, or 0470/12.34.56", "call …, or …"},
        {"born 1980-05-12", "… …"},
        {"token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0", "token …"},
        {"Zo\xc3\xab \xe2\x80\xae answered", "… answered"},
        {"storage.tokens and storage.tokens_copy", "storage.tokens and storage.tokens_copy"},
        {"SSL certificate problem: certificate has expired", "SSL certificate problem: certificate has expired"},
        {"No space left on device", "No space left on device"},
    };
    for (const auto& row : rows) {
        INFO(row.text);
        auto wanted = std::string(row.left);
        CHECK(redactor.sentence(row.text) == without_repeated_ellipses(wanted));
    }
}

TEST_CASE("what is private is removed in each of its forms, and in each part of eight characters")
{
    Redactor redactor(Hosts::numbered);
    const std::string secret = "s3cr3t-of/the=bakery+42";
    redactor.remove(secret);
    for (const auto& form : forms_of(secret)) {
        for (std::size_t at = 0; at + 8 <= form.size(); ++at) {
            const auto part = form.substr(at, 8);
            INFO(part);
            CHECK(redactor.without_removed("before " + part + " after") == "before [redacted] after");
        }
    }
    CHECK(redactor.without_removed("before " + secret + " after") == "before [redacted] after");
    CHECK(redactor.without_removed("nothing private here") == "nothing private here");
}

TEST_CASE("a short value is removed whole, unless it is a word that says nothing")
{
    Redactor redactor(Hosts::numbered);
    redactor.remove("zq7x");
    redactor.remove("table");
    redactor.remove("ab");
    CHECK(redactor.without_removed("table zq7x ab") == "table [redacted] ab");
}

TEST_CASE("of a word that begins with a private value nothing is left")
{
    Redactor redactor(Hosts::numbered);
    redactor.remove("zq7x");
    redactor.remove("s3cr3t-of/the=bakery+42");
    CHECK(redactor.without_removed("zq7x30 s3cr3t-o30, zq7x") == "[redacted] [redacted], [redacted]");
}

TEST_CASE("a value is found in base64 whatever stands before it")
{
    const auto forms = forms_of("planted-secret");
    // echo -n "planted-secret", "xplanted-secret", "xxplanted-secret" | base64
    for (const std::string text : {"cGxhbnRlZC1zZWNyZXQ=", "eHBsYW50ZWQtc2VjcmV0", "eHhwbGFudGVkLXNlY3JldA=="}) {
        bool found = false;
        for (const auto& form : forms) {
            found = found || text.find(form) != std::string::npos;
        }
        INFO(text);
        CHECK(found);
    }
}

TEST_CASE("hosts are numbered, or kept on request, without users, ports, paths and queries")
{
    Redactor numbered(Hosts::numbered);
    numbered.add_host("https://api.bakery.example");
    numbered.add_host("https://jan:pass@auth.bakery.example:444/token?x=1");
    CHECK(numbered.origin("https://auth.bakery.example/token?x=1") == "https://host-2");
    CHECK(numbered.origin("http://unknown.example/") == "http://host");
    Redactor kept(Hosts::kept);
    kept.add_host("https://api.bakery.example");
    CHECK(kept.origin("https://jan:pass@api.bakery.example:444/x?y") == "https://api.bakery.example");
    CHECK(kept.sentence("cannot connect to api.bakery.example") == "cannot connect to api.bakery.example");
    CHECK(Redactor::path("/api/recipes/?token=x") == "/api/recipes/?…");
}

TEST_CASE("a column whose name is data is not named")
{
    const Redactor redactor(Hosts::numbered);
    CHECK(redactor.identifier("created_by_id") == "created_by_id");
    CHECK(redactor.identifier("jan@home.be") == ellipsis);
    CHECK(redactor.identifier("32470123456") == ellipsis);
    CHECK(redactor.identifier("Jan Peeters") == ellipsis);
}

}  // namespace
}  // namespace shelfd::ctl
