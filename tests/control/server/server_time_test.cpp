#include "control/metrics/metrics.hpp"
#include "control/recording_operations.hpp"
#include "control/server/server.hpp"
#include "control/socket_client.hpp"
#include "runtime/async/task_group.hpp"
#include "support/catch.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

namespace shelfd::control {
namespace {

// A server whose half minutes pass at once; the test's thread is its loop.
struct TimedServer {
    TempDirectory directory;
    asio::io_context loop;
    SimulatedClock clock{loop};
    Journal asked;
    RecordingOperations operations{clock, asked};
    std::unique_ptr<Server> server;
    TaskGroup tasks{loop.get_executor()};

    TimedServer()
    {
        operations.instead_of_sync = [this](SyncRequest, ProgressSink) -> asio::awaitable<Result<void>> {
            auto working = clock.sleep_for(std::chrono::seconds(25));
            co_await std::move(working);
            co_return Result<void>();
        };
        const ServerSettings settings{socket(), "", ""};
        auto opened = Server::open(loop.get_executor(), clock, Log([](const LogRecord&) {}), settings, operations);
        REQUIRE(opened);
        server = std::move(*opened);
        tasks.spawn(server->run());
        clock.settle();
    }
    ~TimedServer()
    {
        tasks.cancel();
        clock.settle();
    }

    std::string socket() const { return directory / "s"; }
};

TEST_CASE("a client that does not finish its request is let go after half a minute")
{
    for (const auto* begun :
         {"", "GET /healthz HTTP/1.1\r\nHost:", "POST /v1/sync HTTP/1.1\r\nContent-Length: 9\r\n\r\n{"}) {
        INFO(begun);
        TimedServer timed;
        OpenClient client(timed.socket());
        client.send(begun);
        timed.clock.settle();
        timed.clock.advance_by(std::chrono::seconds(29));
        CHECK(client.is_open());
        timed.clock.advance_by(std::chrono::seconds(2));
        CHECK(client.read_to_end().empty());
    }
}

TEST_CASE("a stream that has nothing to say says every ten seconds that it is alive")
{
    TimedServer timed;
    OpenClient client(timed.socket());
    client.send(post("/v1/sync", R"({"library":"antwerp"})"));
    timed.clock.settle();
    timed.clock.advance_by(std::chrono::seconds(26));
    const auto answer = client.read_to_end();
    std::size_t alive = 0;
    for (auto at = answer.find("alive"); at != std::string::npos; at = answer.find("alive", at + 1)) {
        ++alive;
    }
    CHECK(alive == 2);
    CHECK(answer.find(R"({"event":"done","ok":true})") != std::string::npos);
    CHECK(answer.ends_with("0\r\n\r\n"));
}

TEST_CASE("a client that reads nothing is let go")
{
    TimedServer timed;
    OpenClient client(timed.socket());
    // Nobody takes the answers: the socket's buffers fill, and the write has half a minute.
    std::string many;
    for (int i = 0; i < 2'000; ++i) {
        many += "GET /v1/metrics?detail=all HTTP/1.1\r\nHost: x\r\n\r\n";
    }
    client.send_without_waiting(many);
    timed.clock.settle();
    timed.clock.advance_by(std::chrono::seconds(31));
    const auto answers = client.read_to_end();
    CHECK(answers.size() > 1'000);
    CHECK(answers.size() < 2'000 * to_metrics(fresh_status(), {}, MetricsScope::everything()).size());
}

}  // namespace
}  // namespace shelfd::control
