#include "ctl/login/authorization.hpp"

#include "http/url.hpp"
#include "support/catch.hpp"

#include <algorithm>

namespace shelfd::ctl {
namespace {

Authorization sample(int seed = 0)
{
    auto random = [seed](std::span<std::byte> bytes) {
        int next = seed;
        std::generate(bytes.begin(), bytes.end(), [&next] { return static_cast<std::byte>(next++); });
    };
    return Authorization({"https://app.example.com/oauth/authorize/",
                          "a client",
                          "http://127.0.0.1:8123/back/",
                          {"accounts", "library"}},
                         random);
}

std::string state_of(const Authorization& authorization)
{
    const auto params = http::parse_query(http::query_of(authorization.url()));
    const auto found = std::find_if(params.begin(), params.end(), [](const auto& one) { return one.name == "state"; });
    return found->value;
}

TEST_CASE("the address of a login holds all that the service wants, its scopes joined by a plus")
{
    // The verifier is that of the bytes 0 to 31; the challenge was computed with openssl.
    const auto login = sample();
    CHECK(login.verifier().reveal() == "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8");
    CHECK(login.url() ==
          "https://app.example.com/oauth/authorize/?response_type=code&client_id=a%20client&redirect_uri=http%3A%2F%2F"
          "127.0.0.1%3A8123%2Fback%2F&scope=accounts+library&state=AAECAwQFBgcICQoLDA0ODw&code_challenge="
          "6oZqdX5MOLq_qBJ8vppAnT4fk6AP8UiP9zX8-Rev_9A&code_challenge_method=S256");
    CHECK(state_of(login) != state_of(sample(1)));
}

TEST_CASE("a redirect is taken for this login only")
{
    const auto login = sample();
    const auto ours = "&state=" + state_of(login);
    const auto code = login.read_redirect("code=abc%2Bdef" + ours);
    REQUIRE(code);
    CHECK(code->value().reveal() == "abc+def");
    for (const std::string query : {"", "code=abc", "code=abc&state=", "code=abc&state=other", "error=access_denied"}) {
        INFO(query);
        CHECK_FALSE(login.read_redirect(query));
    }
    CHECK_FALSE(login.read_redirect(ours));
    CHECK_FALSE(login.read_redirect("code=" + ours));
    const auto denied = login.read_redirect("error=access_denied" + ours);
    REQUIRE(denied);
    CHECK(denied->error().text().find("did not allow") != std::string::npos);
    const auto scope = login.read_redirect("error=invalid_scope" + ours);
    REQUIRE(scope);
    CHECK(scope->error().kind() == ErrorKind::config);
    CHECK(scope->error().text().find("accounts library") != std::string::npos);
    const auto odd = login.read_redirect("error=%3Cscript%3E" + ours);
    REQUIRE(odd);
    CHECK(odd->error().text().find("?script?") != std::string::npos);
}

TEST_CASE("a person may paste the code alone, the whole address or what stands behind its question mark")
{
    const auto login = sample();
    const auto state = state_of(login);
    for (const auto& text : {std::string("abc"), std::string("  abc\n"), std::string("https://x/auth-code/?code=abc"),
                             "https://x/auth-code/?code=abc&state=" + state, "code=abc&state=" + state,
                             "/auth-code/?state=" + state + "&code=abc#top"}) {
        INFO(text);
        const auto code = login.read_paste(text);
        REQUIRE(code);
        CHECK(code->reveal() == "abc");
    }
    for (const auto& text :
         {"", "   ", "two words", "https://x/auth-code/", "https://x/?code=", "https://x/?code=abc&state=other"}) {
        INFO(text);
        const auto code = login.read_paste(text);
        REQUIRE_FALSE(code);
        CHECK(code.error().kind() == ErrorKind::usage);
        CHECK(code.error().text().find("abc") == std::string::npos);
    }
    CHECK(login.read_paste("https://x/?error=access_denied").error().text().find("access_denied") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl
