#include "ctl/login/redirect_listener.hpp"
#include "ctl/served_verb.hpp"
#include "ctl/verb/verbs.hpp"
#include "support/catch.hpp"
#include "support/plain_get.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

namespace shelfd::ctl {
namespace {

// 16 and 32 bytes 0x5a, as the bench's randomness gives them.
const std::string state = "WlpaWlpaWlpaWlpaWlpaWg";
const std::string verifier = "WlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlo";

std::string place(const std::string& redirect_uri, const std::string& scopes = R"("library")", bool identity = true)
{
    return http_answer(200, fmt::format(R"({{"ok":true,"authorize_url":"https://app.example.com/oauth/authorize/",)"
                                        R"("client_id":"client","redirect_uri":"{}","scopes":[{}],"identity":{}}})",
                                        redirect_uri, scopes, identity));
}

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

struct LoginBench : ServedVerb {
    LoginBench() { command.library = "antwerp"; }

    ExitCode run(std::deque<std::string> answers) { return ServedVerb::run(run_auth_login, std::move(answers)); }
};

const auto done = http_answer(200, R"({"ok":true,"text":"the set is in force"})");

TEST_CASE("a login by hand shows the address, takes what is pasted and hands the code to the daemon")
{
    LoginBench bench;
    bench.input = "https://app.example.com/auth-code/?code=abc&state=" + state;
    bench.command.auth.open_browser = true;
    CHECK(bench.run({place("https://app.example.com/auth-code/"), done}) == ExitCode::done);
    CHECK(holds(bench.captured.out, "https://app.example.com/oauth/authorize/?response_type=code&client_id=client"));
    CHECK(holds(bench.captured.out, "the set is in force\n"));
    CHECK(holds(bench.prompt, "one minute"));
    REQUIRE(bench.requests.size() == 2);
    CHECK(holds(bench.requests[0], R"({"library":"antwerp"})"));
    CHECK(holds(bench.requests[1], "POST /v1/auth/code?library=antwerp HTTP/1.1\r\n"));
    CHECK(holds(bench.requests[1],
                "\r\n\r\ncode=abc\ncode_verifier=" + verifier + "\nredirect_uri=https://app.example.com/auth-code/"));
    CHECK_FALSE(holds(bench.captured.out + bench.captured.err, "abc"));
    CHECK_FALSE(holds(bench.captured.out + bench.captured.err, verifier));
    CHECK(bench.browsed.empty());  // there is no terminal, so nobody sits before it
}

TEST_CASE("a redirect to this machine is taken by shelfctl itself, from this login and no other")
{
    const auto address = fmt::format("http://127.0.0.1:{}/back/", free_port());
    LoginBench bench;
    std::vector<std::string> pages;
    std::thread browser([&] {
        while (pages.empty() || pages.back().empty()) {
            pages.assign(1, plain_get(address + "?code=abc&state=other"));
        }
        pages.push_back(plain_get(address.substr(0, address.size() - 5) + "favicon.ico"));
        pages.push_back(plain_get(address + "?code=abc&state=" + state));
    });
    CHECK(bench.run({place(address), done}) == ExitCode::done);
    browser.join();
    REQUIRE(pages.size() == 3);
    CHECK(pages[0].starts_with("HTTP/1.1 400 "));
    CHECK(holds(pages[0], "where the other login asks for it (shelfctl auth login --paste)"));
    CHECK(pages[1].starts_with("HTTP/1.1 404 "));
    CHECK(pages[2].starts_with("HTTP/1.1 200 "));
    CHECK(holds(pages[2], "may close this page"));
    CHECK(holds(bench.requests[1], "code=abc\n"));
    CHECK_FALSE(holds(bench.captured.out, "code=abc"));
}

TEST_CASE("what the owner or the service refuses is said in words, and no code is sent")
{
    LoginBench bench;
    bench.input = "https://app.example.com/auth-code/?error=access_denied&state=" + state;
    CHECK(bench.run({place("https://app.example.com/auth-code/")}) == ExitCode::failed);
    CHECK(holds(bench.captured.err, "did not allow the access"));
}

TEST_CASE("at a terminal a paste of another login is asked for again, five times at most")
{
    const std::size_t wrong = GENERATE(1u, 5u);
    LoginBench bench;
    CapturedTerminal asking({.can_ask = true});
    std::vector<std::string> pastes(wrong, "https://app.example.com/auth-code/?code=abc&state=other");
    pastes.emplace_back("https://app.example.com/auth-code/?code=abc&state=" + state);
    std::size_t asked = 0;
    auto given = bench.context();
    given.read_line = [&](const std::string&, std::optional<Duration>) {
        return Result<Secret>(Secret(std::string(pastes.at(asked++))));
    };
    const Context context{given.command,    given.environment, asking.terminal, given.clock,
                          given.read_input, given.read_line,   given.random,    given.browse};
    const bool is_taken = wrong < 5;
    const auto code =
        is_taken ? bench.ServedVerb::run(run_auth_login, context, {place("https://app.example.com/auth-code/"), done})
                 : bench.ServedVerb::run(run_auth_login, context, {place("https://app.example.com/auth-code/")});
    INFO(asking.err);
    CHECK((code == ExitCode::done) == is_taken);
    CHECK(asked == std::min<std::size_t>(wrong + 1, 5));
    CHECK(holds(asking.err, "this address belongs to another login"));
    CHECK(bench.requests.size() == (is_taken ? 2 : 1));
}

TEST_CASE("nobody comes back in time: the exit is that of trying later, and --paste is named")
{
    LoginBench bench;
    bench.command.timeout = std::chrono::milliseconds(1);
    CHECK(bench.run({place(fmt::format("http://127.0.0.1:{}/", free_port()))}) == ExitCode::busy);
    CHECK(holds(bench.captured.err, "--paste"));
}

TEST_CASE("no code is pasted in time: the exit is the same, with --paste and where the port is taken")
{
    const auto address = fmt::format("http://127.0.0.1:{}/", free_port());
    const bool is_taken = GENERATE(true, false);
    SystemClock clock;
    auto other = RedirectListener::open(*http::parse_url(address), clock);
    REQUIRE(other);
    LoginBench bench;
    bench.command.auth.paste = !is_taken;
    bench.command.timeout = Duration(0);
    CHECK(bench.run({place(address)}) == ExitCode::busy);
    CHECK(holds(bench.captured.err, "the browser did not return within"));
    LoginBench patient;
    patient.command.auth.paste = true;
    patient.command.timeout = std::chrono::minutes(3);
    patient.input = "abc";
    CHECK(patient.run({place(address), done}) == ExitCode::done);
    REQUIRE(patient.patience);
    CHECK(*patient.patience <= std::chrono::minutes(3));
    CHECK(*patient.patience > std::chrono::minutes(1));
}

TEST_CASE("with --paste, and where the port is taken, the code is pasted")
{
    const auto address = fmt::format("http://127.0.0.1:{}/", free_port());
    const bool is_taken = GENERATE(true, false);
    SystemClock clock;
    auto other = RedirectListener::open(*http::parse_url(address), clock);
    REQUIRE(other);
    LoginBench bench;
    bench.command.auth.paste = !is_taken;
    bench.input = "abc";
    CHECK(bench.run({place(address), done}) == ExitCode::done);
    CHECK(holds(bench.captured.err, "cannot listen on port") == is_taken);
    CHECK(holds(bench.requests[1], "code=abc\n"));
}

TEST_CASE("a login without a scope is not begun, one without an identity is warned of")
{
    LoginBench bench;
    CHECK(bench.run({place("https://app.example.com/auth-code/", "")}) == ExitCode::config);
    CHECK(holds(bench.captured.err, "no scope is configured for antwerp"));
    CHECK(bench.captured.out.empty());
    LoginBench unverified;
    unverified.input = "abc";
    CHECK(unverified.run({place("https://app.example.com/auth-code/", R"("library")", false), done}) == ExitCode::done);
    CHECK(holds(unverified.captured.err, "without `identity`"));
}

}  // namespace
}  // namespace shelfd::ctl
