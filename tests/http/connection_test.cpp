#include "http/fixture.hpp"

#include "runtime/async/task_group.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdlib>
#include <thread>

namespace shelfd::http {
namespace {

using namespace std::chrono_literals;

asio::awaitable<int> get_after(Client& client, std::string url, std::chrono::milliseconds pause)
{
    asio::steady_timer timer(co_await asio::this_coro::executor, pause);
    co_await timer.async_wait(asio::use_awaitable);
    auto request = get(std::move(url));
    const auto result = co_await client.send(std::move(request));
    co_return result ? result->status : 0;
}

asio::awaitable<void> keep_result(Client& client, Request request, std::optional<Result<Response>>& into)
{
    into.emplace(co_await client.send(std::move(request)));
}

// An environment variable for the time of a test.
class Environment {
public:
    Environment(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment() { unsetenv(name_); }

private:
    const char* name_;
};

const Script keep_answering = {steps::read_request(), steps::ok("1"),        steps::read_request(),
                               steps::ok("2"),        steps::read_request(), steps::ok("3")};

}  // namespace

TEST_CASE_METHOD(Fixture, "a connection idle for some milliseconds is used again, one idle for over a second is not")
{
    ScriptedServer server(loop);
    server.play(keep_answering);
    CHECK(run(get_after(*client, server.origin(), 1ms)) == 200);
    CHECK(run(get_after(*client, server.origin(), 10ms)) == 200);
    CHECK(server.connections() == 1);
    CHECK(run(get_after(*client, server.origin(), 1500ms)) == 200);
    CHECK(server.connections() == 2);
}

TEST_CASE_METHOD(Fixture, "the connections of eight requests are used again, also after a single request")
{
    // On a busy machine a connection may have been idle for a second, and is not used again: then once more.
    std::size_t connections = 0;
    for (int attempt = 0; attempt < 5 && connections != 8; ++attempt) {
        ScriptedServer server(loop);
        const auto ask = [&](std::size_t requests) {
            TaskGroup tasks(loop.get_executor());
            std::vector<std::optional<Result<Response>>> answers(requests);
            for (auto& answer : answers) {
                tasks.spawn(keep_result(*client, get(server.origin()), answer));
            }
            run_until([&] { return tasks.size() == 0; });
        };
        server.play({steps::read_request(), steps::wait(20ms), steps::ok("1"), steps::read_request(), steps::wait(20ms),
                     steps::ok("2"), steps::read_request(), steps::ok("3")});
        ask(8);
        REQUIRE(server.connections() == 8);
        ask(1);
        ask(8);
        connections = server.connections();
    }
    CHECK(connections == 8);
}

// In a thread of its own, it answers before libcurl has returned from sending.
TEST_CASE_METHOD(Fixture, "each request is sent once, however fast the service answers on a connection in use")
{
    constexpr std::size_t rounds = 40;
    constexpr std::size_t at_once = 8;
    asio::io_context elsewhere;
    ScriptedServer server(elsewhere);
    Script script;
    for (std::size_t i = 0; i < rounds * at_once; ++i) {
        script.push_back(steps::read_request());
        script.push_back(steps::ok("{}"));
    }
    server.play(script);
    const auto work = asio::make_work_guard(elsewhere);
    std::thread serving([&elsewhere] { elsewhere.run(); });
    std::uint64_t sent = 0;
    for (std::size_t i = 0; i < rounds; ++i) {
        TaskGroup tasks(loop.get_executor());
        std::vector<std::optional<Result<Response>>> answers(at_once);
        for (auto& answer : answers) {
            tasks.spawn(keep_result(*client, get(server.origin()), answer));
        }
        run_until([&] { return tasks.size() == 0; });
        for (const auto& answer : answers) {
            sent += answer && *answer ? (*answer)->requests_sent : 0;
        }
    }
    elsewhere.stop();
    serving.join();
    CHECK(sent == rounds * at_once);
    CHECK(server.requests().size() == rounds * at_once);
}

TEST_CASE_METHOD(Fixture, "requests overlap: a slow answer holds no other one up")
{
    ScriptedServer slow(loop);
    ScriptedServer fast(loop);
    slow.play({steps::read_request(), steps::silence()});
    fast.play({steps::read_request(), steps::ok("{}")});
    TaskGroup tasks(loop.get_executor());
    std::optional<Result<Response>> never;
    std::vector<std::optional<Result<Response>>> answers(20);
    tasks.spawn(keep_result(*client, get(slow.origin()), never));
    for (auto& answer : answers) {
        tasks.spawn(keep_result(*client, get(fast.origin()), answer));
    }
    run_until([&] { return tasks.size() == 1; });
    for (const auto& answer : answers) {
        REQUIRE(answer.has_value());
        CHECK(answer->has_value());
    }
    CHECK(!never.has_value());
    tasks.cancel();
    run_until([&] { return tasks.size() == 0; });
}

TEST_CASE_METHOD(Fixture, "a cancelled request lets go of its connection at once")
{
    ScriptedServer server(loop);
    server.play({steps::read_request(), steps::silence()});
    TaskGroup tasks(loop.get_executor());
    std::optional<Result<Response>> result;
    tasks.spawn(keep_result(*client, get(server.origin()), result));
    run_until([&] { return server.requests().size() == 1; });
    CHECK(server.open_connections() == 1);
    tasks.cancel();
    run_until([&] { return server.open_connections() == 0; });
    CHECK(tasks.size() == 0);
    CHECK(!result.has_value());
}

TEST_CASE("a loop that dies with requests in flight takes them along")
{
    Fixture fixture;
    ScriptedServer server(fixture.loop);
    server.play({steps::read_request(), steps::silence()});
    std::optional<Result<Response>> result;
    auto ended = [](const std::exception_ptr&) {};
    asio::co_spawn(fixture.loop, keep_result(*fixture.client, get(server.origin()), result), ended);
    fixture.run_until([&] { return server.requests().size() == 1; });
    CHECK(!result.has_value());
}

TEST_CASE_METHOD(Fixture, "each deadline ends a request with its own sentence and what it proves")
{
    ScriptedServer silent(loop);
    silent.play({steps::read_request(), steps::silence()});
    ScriptedServer drip(loop);
    const auto head = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
    drip.play({steps::read_request(), steps::send(head), steps::wait(30ms), steps::send("a"), steps::wait(30ms),
               steps::send("b"), steps::wait(30ms), steps::send("c"), steps::silence()});

    auto idle = get(silent.origin());
    idle.timeouts.idle = 50ms;
    const auto idle_result = send(std::move(idle));
    REQUIRE(!idle_result.has_value());
    CHECK(idle_result.error().kind() == ErrorKind::timeout);
    CHECK(idle_result.error().delivery == Delivery::perhaps_sent);
    CHECK(idle_result.error().text().find("was silent for 50 ms") != std::string::npos);

    auto total = get(drip.origin());
    total.timeouts.idle = 60s;
    total.timeouts.total = 100ms;
    const auto total_result = send(std::move(total));
    REQUIRE(!total_result.has_value());
    CHECK(total_result.error().kind() == ErrorKind::timeout);
    CHECK(total_result.error().delivery == Delivery::answered);
    CHECK(total_result.error().text().find("not complete after 100 ms") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "a server that takes the connection and never speaks TLS leaves the request unsent")
{
    ScriptedServer mute(loop);
    mute.play({steps::silence()});
    auto request = get("https://127.0.0.1:" + std::to_string(mute.port()) + "/");
    request.timeouts.connect = 60ms;
    const auto result = send(std::move(request));
    REQUIRE(!result.has_value());
    CHECK(result.error().kind() == ErrorKind::timeout);
    CHECK(result.error().delivery == Delivery::not_sent);
    CHECK(result.error().text().find("no connection within 60 ms") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "the environment's proxies are ignored; the route's proxy is used, no_proxy or not")
{
    ScriptedServer proxy(loop);
    proxy.play({steps::read_request(), steps::ok("\"proxy\"")});
    ScriptedServer server(loop);
    server.play({steps::read_request(), steps::ok("\"server\"")});
    const Environment http("http_proxy", proxy.origin());
    const Environment all("ALL_PROXY", proxy.origin());
    const Environment none("no_proxy", "*");

    const auto direct = send(get(server.origin() + "/a"));
    REQUIRE(direct.has_value());
    CHECK(direct->body == "\"server\"");
    CHECK(proxy.connections() == 0);

    auto routed = get(server.origin() + "/b");
    routed.route.proxy = proxy.origin();
    const auto through = send(std::move(routed));
    REQUIRE(through.has_value());
    CHECK(through->body == "\"proxy\"");
    CHECK(proxy.requests().front().substr(0, 11) == "GET http://");
}

TEST_CASE_METHOD(Fixture, "a proxy that refuses the tunnel sees no token, and the request counts as not sent")
{
    ScriptedServer proxy(loop);
    proxy.play({steps::read_request(), steps::send("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"), steps::fin()});
    auto request = get("https://service.example/api/");
    request.bearer = Secret("t0ken");
    request.route.proxy = "http://user:pass-word@127.0.0.1:" + std::to_string(proxy.port());
    const auto result = send(std::move(request));
    REQUIRE(!result.has_value());
    CHECK(result.error().delivery == Delivery::not_sent);
    CHECK(result.error().text() == "the proxy refused a tunnel to service.example:443 with status 407: check the name "
                                   "and the password in proxy, then: shelfctl reload");
    for (const auto& seen : proxy.requests()) {
        CHECK(seen.find("t0ken") == std::string::npos);
        CHECK(seen.substr(0, 31) == "CONNECT service.example:443 HTT");
    }
}

}  // namespace shelfd::http
