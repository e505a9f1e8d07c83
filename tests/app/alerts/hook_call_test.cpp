#include "app/alerts/hook_call.hpp"

#include "app/alerts/hook_program.hpp"
#include "control/hooks/notification.hpp"
#include "http/curl/curl_client.hpp"
#include "support/catch.hpp"
#include "support/scripted_client.hpp"
#include "support/scripted_server.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

#include <exception>
#include <fstream>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::app {
namespace {

using namespace std::chrono_literals;
using Kind = CallOutcome::Kind;

struct Bench {
    asio::io_context loop;
    SimulatedClock clock{loop};
    http::ScriptedClient client{clock};
    TempDirectory directory;
    config::Hook hook;
    std::string body = notification_body(control::test_announcement("mail", clock.now()), {"mirror1", clock.now()});

    Bench() { hook.name = "mail"; }

    std::string file(const std::string& name, const std::string& text, mode_t mode) const
    {
        auto path = directory / name;
        std::ofstream(path) << text;
        ::chmod(path.c_str(), mode);
        return path;
    }
    void script(const std::string& text) { hook.command = {file("hook", "#!/bin/sh\n" + text, 0700)}; }
    config::SecretReference secret(const std::string& name, const std::string& text) const
    {
        config::SecretReference reference;
        reference.path_or_name = file(name, text, 0600);
        return reference;
    }
    CallOutcome call()
    {
        auto shared = std::make_shared<const config::Hook>(hook);
        if (hook.command.empty()) {
            HookServices services{clock, client, Lane(), ""};
            return clock.run(call_hook(std::move(services), std::move(shared), body));
        }
        // A program takes real time.
        SystemClock system;
        HookServices services{system, client, Lane(), ""};
        std::optional<CallOutcome> outcome;
        auto keep = [&outcome](const std::exception_ptr&, CallOutcome value) { outcome = std::move(value); };
        auto calling = call_hook(std::move(services), std::move(shared), body);
        asio::co_spawn(loop, std::move(calling), std::move(keep));
        loop.restart();
        loop.run();
        REQUIRE(outcome);
        return *outcome;
    }
};

// Of a post to a server of this machine, over a real connection.
CallOutcome post_to(Bench& bench, const Certificate& shown, const Certificate* trusted)
{
    ScriptedServer server(bench.loop, shown);
    server.play({steps::read_request(), steps::ok("{}")});
    bench.hook.post = server.origin();
    bench.hook.ca_file = trusted != nullptr ? bench.file("ca.pem", trusted->certificate_pem, 0644) : "";
    auto client = http::CurlClient::open(bench.loop.get_executor(), "shelfd-test");
    REQUIRE(client);
    SystemClock system;
    std::optional<CallOutcome> outcome;
    auto keep = [&](const std::exception_ptr&, CallOutcome value) {
        outcome = std::move(value);
        bench.loop.stop();
    };
    auto calling = call_hook({system, **client, Lane(), ""}, std::make_shared<const config::Hook>(bench.hook), "{}");
    asio::co_spawn(bench.loop, std::move(calling), std::move(keep));
    bench.loop.run();
    REQUIRE(outcome);
    return *outcome;
}

TEST_CASE("a post to an address of a private authority is accepted if the hook names its certificates")
{
    const bool is_named = GENERATE(true, false);
    Bench bench;
    const auto certificate = Certificate::for_name("IP:127.0.0.1");
    const auto outcome = post_to(bench, certificate, is_named ? &certificate : nullptr);
    CHECK(outcome.kind == (is_named ? Kind::accepted : Kind::failed));
    CHECK((outcome.why.find("ca_file") != std::string::npos) != is_named);
}

TEST_CASE("what is wrong with the certificate of a hook's address names keys of the hook, not of a service")
{
    Bench bench;
    const auto other = Certificate::for_name("DNS:other.example");
    const auto outcome = post_to(bench, other, &other);
    CHECK(outcome.kind == Kind::failed);
    CHECK_THAT(outcome.why, Catch::Matchers::EndsWith("it belongs to another host: check the host in `post`"));
}

TEST_CASE("a redirection is not followed, and the reason names it")
{
    Bench bench;
    bench.hook.post = "https://chat.example.com/hook";
    bench.client.expect("POST", http::Answer::of(301, ""));
    const auto outcome = bench.call();
    CHECK(outcome.kind == Kind::refused);
    CHECK(outcome.why == "it answers with a redirection (301), which is not followed: correct `post`");
}

TEST_CASE("a program gets the body on its input and its texts in the environment, and nothing else of ours")
{
    Bench bench;
    const auto seen = bench.directory / "seen";
    bench.script("cat > " + seen + "\nenv >> " + seen + "\nls /proc/self/fd >> " + seen + "\n");
    CHECK(bench.call().kind == Kind::accepted);
    const auto text = read_file(seen);
    CHECK(text.starts_with(bench.body));
    CHECK(text.find("SHELFD_EVENT=test\n") != std::string::npos);
    CHECK(text.find("SHELFD_HOOK=mail\n") != std::string::npos);
    CHECK(text.find("LANG=C\n") != std::string::npos);
    CHECK(text.find("\n4\n") == std::string::npos);  // 0 to 2, and the directory itself
}

TEST_CASE("a program gets its arguments as they are, without a shell")
{
    Bench bench;
    const auto seen = bench.directory / "seen";
    bench.script("printf '%s' \"$1\" > " + seen + "\n");
    bench.hook.command.emplace_back("$(id) `id` \"x\" *");
    CHECK(bench.call().kind == Kind::accepted);
    CHECK(read_file(seen) == "$(id) `id` \"x\" *");
}

TEST_CASE("a program that fails says why, on one line")
{
    Bench bench;
    bench.script("echo 'no such host' >&2\necho more >&2\nexit 3\n");
    const auto outcome = bench.call();
    CHECK(outcome.kind == Kind::failed);
    CHECK(outcome.why == bench.hook.command.front() + " exited with 3: no such host");
    bench.script("kill -9 $$\n");
    CHECK(bench.call().why.find("was ended by signal 9") != std::string::npos);
    bench.hook.command = {bench.directory / "nowhere"};
    CHECK(bench.call().why.find("cannot be started: No such file or directory") != std::string::npos);
}

TEST_CASE("a program that does not read, or writes much, is no trouble")
{
    Bench bench;
    bench.body += std::string(1U << 20U, ' ');
    bench.script("head -c 1000000 /dev/zero >&2\nexit 0\n");
    CHECK(bench.call().kind == Kind::accepted);
}

TEST_CASE("a program that takes too long is killed, with its children")
{
    Bench bench;
    const auto seen = bench.directory / "seen";
    bench.hook.timeout = 1s;
    bench.script("sleep 1000 &\necho $! > " + seen + "\nsleep 1000\n");
    const auto outcome = bench.call();
    CHECK(outcome.kind == Kind::failed);
    CHECK(outcome.why.find("took longer than 1 s") != std::string::npos);
    const auto child = static_cast<pid_t>(std::stoi(read_file(seen)));
    // Killed with its group, and perhaps not reaped yet by whoever took it over.
    const auto is_gone = [child] {
        const auto state = read_file("/proc/" + std::to_string(child) + "/stat");
        return state.empty() || state.find(") Z ") != std::string::npos;
    };
    for (int look = 0; look < 100'000 && !is_gone(); ++look) {
    }
    CHECK(is_gone());
}

TEST_CASE("a program that leaves somebody behind with its output is over when it ends itself")
{
    Bench bench;
    bench.hook.timeout = 60s;
    bench.script("sleep 3 >&2 &\necho gone >&2\nexit 1\n");
    CHECK(bench.call().why.find("exited with 1: gone") != std::string::npos);
}

TEST_CASE("a body is posted once for each call, as JSON, with plain and secret headers")
{
    Bench bench;
    bench.hook.post = "https://chat.example.com/hook";
    bench.hook.headers = {{"X-Kind", "plain", std::nullopt},
                          {"Authorization", "", bench.secret("header", "Bearer hush\n")}};
    bench.client.expect("POST https://chat.example.com/hook", http::Answer::of(202, "ok"));
    CHECK(bench.call().kind == Kind::accepted);
    REQUIRE(bench.client.seen().size() == 1);
    const auto& request = bench.client.seen().front();
    CHECK(request.body == bench.body);
    CHECK(request.connection == http::Connection::one_shot);
    CHECK(http::value_of(request.headers, "content-type") == "application/json");
    CHECK(http::value_of(request.headers, "x-kind") == "plain");
    CHECK(http::value_of(request.headers, "authorization") == "Bearer hush");
}

TEST_CASE("a configured content type stands in place of ours")
{
    Bench bench;
    bench.hook.post = "https://chat.example.com/hook";
    bench.hook.headers = {{"content-type", "text/plain", std::nullopt}};
    bench.client.expect("POST", http::Answer::of(200, ""));
    CHECK(bench.call().kind == Kind::accepted);
    CHECK(http::value_of(bench.client.seen().front().headers, "Content-Type") == "text/plain");
}

TEST_CASE("an address may be a secret, and is in no sentence")
{
    Bench bench;
    bench.hook.post_secret = bench.secret("url", "https://chat.example.com/services/hush\n");
    bench.client.expect("POST https://chat.example.com/services/hush", http::Answer::of(404, "no hush here"));
    const auto outcome = bench.call();
    CHECK(outcome.kind == Kind::refused);
    CHECK(outcome.why == "it refuses the call (404)");
    CHECK(target_of(bench.hook) == "an address by reference");
    bench.hook.post_secret = bench.secret("url", "hush\n");
    CHECK(bench.call().why == "the secret of `post` is not an address: write https://… into it");
    bench.hook.post_secret = bench.secret("url", "http://chat.example.com/hush\n");
    CHECK(bench.call().why == "the address of `post` must begin with https://");
    bench.hook.post_secret->path_or_name = "/nowhere/url";
    CHECK(bench.call().kind == Kind::failed);  // somebody may mend it
}

TEST_CASE("what an answer means for a call")
{
    struct Row {
        int status;
        Kind kind;
    };
    const Row rows[] = {{200, Kind::accepted}, {201, Kind::accepted}, {204, Kind::accepted}, {301, Kind::refused},
                        {400, Kind::refused},  {403, Kind::refused},  {408, Kind::failed},   {425, Kind::failed},
                        {429, Kind::failed},   {500, Kind::failed},   {503, Kind::failed}};
    for (const auto& row : rows) {
        INFO(row.status);
        Bench bench;
        bench.hook.post = "https://chat.example.com/hook";
        bench.client.expect("POST", http::Answer::of(row.status, ""));
        CHECK(bench.call().kind == row.kind);
    }
    Bench bench;
    bench.hook.post = "https://chat.example.com/hook";
    bench.client.expect("POST", http::Answer::of(429, "", {{"Retry-After", "120"}}));
    CHECK(bench.call().wait == Duration(120s));
    bench.client.expect("POST", http::Answer::failed(ErrorKind::network, Delivery::not_sent));
    CHECK(bench.call().kind == Kind::failed);
    bench.client.expect("POST", http::Answer::never());
    CHECK(bench.call().kind == Kind::failed);
    CHECK(target_of(bench.hook) == "chat.example.com");
}

}  // namespace
}  // namespace shelfd::app
