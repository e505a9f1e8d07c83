#include "http/fixture.hpp"

#include "runtime/async/task_group.hpp"

#include <netdb.h>

#include <atomic>
#include <chrono>

namespace {

std::atomic<int> lookups{0};
std::atomic<bool> gate_is_open{true};

}  // namespace

// Stands in for the system's resolver in this program: a name server that answers only when a test lets it.
extern "C" int getaddrinfo(const char*, const char*, const addrinfo*, addrinfo**)
{
    ++lookups;
    gate_is_open.wait(false);
    return EAI_NONAME;
}

namespace shelfd::http {
namespace {

// A name server that keeps everybody waiting for the time of a test.
class ClosedGate {
public:
    ClosedGate() { gate_is_open = false; }
    ClosedGate(const ClosedGate&) = delete;
    ClosedGate& operator=(const ClosedGate&) = delete;
    ~ClosedGate()
    {
        gate_is_open = true;
        gate_is_open.notify_all();
    }
};

using namespace std::chrono_literals;

asio::awaitable<void> keep_result(Client& client, Request request, std::optional<Result<Response>>& into)
{
    into.emplace(co_await client.send(std::move(request)));
}

}  // namespace

TEST_CASE_METHOD(Fixture, "a numeric address and localhost are never looked up, so no thread starts for them")
{
    lookups = 0;
    ScriptedServer server(loop);
    server.play({steps::read_request(), steps::ok("{}")});
    CHECK(send(get(server.origin())).has_value());
    CHECK(send(get("http://localhost:" + std::to_string(server.port()))).has_value());
    CHECK(lookups == 0);
}

TEST_CASE_METHOD(Fixture, "a name that does not resolve is an error before anything was sent")
{
    const auto result = send(get("http://service.example/?secret=q"));
    REQUIRE(!result.has_value());
    CHECK(result.error().kind() == ErrorKind::network);
    CHECK(result.error().delivery == Delivery::not_sent);
    CHECK(result.error().text() == "cannot resolve the host name of service.example:80: check base_url and this "
                                   "machine's name servers (getent hosts NAME)");
}

TEST_CASE_METHOD(Fixture, "a name server that never answers holds up neither the loop nor a cancellation")
{
    lookups = 0;
    const ClosedGate gate;
    auto slow = get("http://slow.example/");
    slow.timeouts.connect = 50ms;
    const auto late = send(std::move(slow));
    REQUIRE(!late.has_value());
    CHECK(late.error().kind() == ErrorKind::timeout);
    CHECK(late.error().delivery == Delivery::not_sent);
    CHECK(lookups == 1);

    TaskGroup tasks(loop.get_executor());
    std::optional<Result<Response>> result;
    tasks.spawn(keep_result(*client, get("http://slower.example/"), result));
    run_until([] { return lookups == 2; });
    tasks.cancel();
    run_until([&] { return tasks.size() == 0; });
    CHECK(!result.has_value());
}

}  // namespace shelfd::http
