#include "http/url.hpp"

#include "support/catch.hpp"

namespace shelfd::http {

TEST_CASE("an address is taken apart the way a browser would, or refused with the fault named")
{
    struct Row {
        const char* text;
        const char* origin;
        const char* path;
        const char* query;
    };
    const std::vector<Row> rows = {
        {"https://API.Example.com", "https://api.example.com", "/", ""},
        {"https://api.example.com:443/api/v2/x/?a=1&b=2#frag", "https://api.example.com", "/api/v2/x/", "a=1&b=2"},
        {"http://127.0.0.1:8080?x", "http://127.0.0.1:8080", "/", "x"},
        {"HTTP://[::1]:81/p", "http://[::1]:81", "/p", ""},
        {"https://[2001:DB8::1]/", "https://[2001:db8::1]", "/", ""},
    };
    for (const auto& row : rows) {
        CAPTURE(row.text);
        const auto url = parse_url(row.text);
        REQUIRE(url.has_value());
        CHECK(url->origin.text() == row.origin);
        CHECK(url->path == row.path);
        CHECK(url->query == row.query);
    }
    for (const auto* text : {"", "api.example.com", "ftp://a/", "https://", "https:///x", "https://u:p@a/",
                             "https://a:0/", "https://a:70000/", "https://a:/", "https://a:8x/", "https://[::1",
                             "https://a b/", "https://a/\n", "https://a\\b/", "file:///etc/passwd"}) {
        CAPTURE(text);
        const auto url = parse_url(text);
        REQUIRE(!url.has_value());
        CHECK(url.error().kind() == ErrorKind::usage);
    }
}

TEST_CASE("two addresses have the same origin only when scheme, host and port agree")
{
    const auto origin = parse_url("https://api.example.com/a")->origin;
    CHECK(origin == parse_url("https://API.example.com:443/b?c")->origin);
    CHECK(origin != parse_url("http://api.example.com/a")->origin);
    CHECK(origin != parse_url("https://api.example.com:8443/a")->origin);
    CHECK(origin != parse_url("https://api.example.com.evil.example/a")->origin);
}

TEST_CASE("loopback is what no network sees")
{
    CHECK(parse_url("http://localhost/")->origin.is_loopback());
    CHECK(parse_url("http://127.1.2.3:80/")->origin.is_loopback());
    CHECK(parse_url("http://[::1]/")->origin.is_loopback());
    CHECK(!parse_url("http://127.evil.example/")->origin.is_loopback());
    CHECK(!parse_url("http://10.0.0.1/")->origin.is_loopback());
}

TEST_CASE("a query survives the way there and back, with blanks, plus signs, percent signs and other alphabets")
{
    const Params params = {
        {"since", "2024-01-06T06:00:00+02:00"}, {"q", "a b&c=d%e"}, {"naam", "crème"}, {"empty", ""}};
    const auto text = format_query(params);
    CHECK(text == "since=2024-01-06T06%3A00%3A00%2B02%3A00&q=a%20b%26c%3Dd%25e&naam=cr%C3%A8me&empty=");
    CHECK(parse_query(text) == params);
    CHECK(parse_query("a=1+2&&b&c=%zz%4") == Params{{"a", "1 2"}, {"b", ""}, {"c", "%zz%4"}});
    CHECK(parse_query("").empty());
}

TEST_CASE("a segment of dots is found wherever it stands in a path, and nothing else is taken for one")
{
    for (const auto* path : {"/..", "/../", "/a/./b", "/a/b/..", "..", "/a/..?x=1"}) {
        CAPTURE(path);
        CHECK(has_dot_segment(path));
    }
    for (const auto* path : {"", "/", "/a.b/", "/.../", "/.a/", "/a/?x=/../", "/%2E%2E/"}) {
        CAPTURE(path);
        CHECK_FALSE(has_dot_segment(path));
    }
}

TEST_CASE("of a link only the query is taken")
{
    CHECK(query_of("http://elsewhere.example/api/?page=2&page_size=200") == "page=2&page_size=200");
    CHECK(query_of("/api/?cursor=a%3D%3D#x") == "cursor=a%3D%3D");
    CHECK(query_of("?page=3") == "page=3");
    CHECK(query_of("http://elsewhere.example/api/").empty());
}

TEST_CASE("joined addresses stay on their origin and never name a parameter twice")
{
    const auto plain = *parse_url("https://api.example.com");
    const auto prefixed = *parse_url("https://example.com/gateway/");
    const Params page = {{"page", "2"}, {"page_size", "200"}};
    CHECK(join(plain, "/api/v2/x/") == "https://api.example.com/api/v2/x/");
    CHECK(join(prefixed, "/api/v2/x/") == "https://example.com/gateway/api/v2/x/");
    CHECK(join(plain, "api/", page) == "https://api.example.com/api/?page=2&page_size=200");
    CHECK(join(plain, "/api/?page=1&kind=a&kind=b", page) ==
          "https://api.example.com/api/?kind=a&kind=b&page=2&page_size=200");
    CHECK(join(plain, "//evil.example/x") == "https://api.example.com//evil.example/x");
    CHECK(merge_params({{"a", "1"}, {"b", "2"}}, {{"a", "3"}, {"a", "4"}}) ==
          Params{{"b", "2"}, {"a", "3"}, {"a", "4"}});
}

}  // namespace shelfd::http
