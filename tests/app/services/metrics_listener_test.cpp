#include "app/services/metrics_listener.hpp"

#include "runtime/async/task_group.hpp"
#include "support/catch.hpp"
#include "support/plain_get.hpp"
#include "support/scripted_client.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>

#include <atomic>
#include <thread>

namespace shelfd::app {
namespace {

struct Bench {
    TempDirectory files;
    asio::io_context loop;
    SimulatedClock clock{loop};
    http::ScriptedClient client{clock};
    WorkerPool workers{0};
    std::vector<std::string> logged;
    int changes = 0;
    DaemonServices services{
        .executor = loop.get_executor(),
        .clock = clock,
        .client = client,
        .workers = {workers, workers, workers},
        .log = Log([this](const LogRecord& record) { logged.emplace_back(record.message); }),
        .random = [] { return 0.5; },
        .storage = storage(),
        .host = {.machine_id = "m", .boot_id = "11111111-2222-3333-4444-555555555555"},
        .changed = [this] { ++changes; },
        .other_holder = {},
    };
    std::optional<MetricsListener> listener;
    TaskGroup tasks{loop.get_executor()};

    ~Bench()
    {
        tasks.cancel();
        clock.run(tasks.join());
    }
    void start(const config::Control& control)
    {
        control::ScrapeSource source{[] { return control::Status(); }, [] { return control::AlertReport(); }};
        listener.emplace(services, std::move(source), control);
        tasks.spawn(listener->run(), "control.listen");
        clock.settle();
    }
    config::Storage storage() const
    {
        config::Storage here;
        here.mirrors = files / "mirrors";
        here.tokens = files / "tokens";
        return here;
    }
    // From another thread, as the loop is this one.
    std::string get(int port)
    {
        std::string answer;
        std::atomic<bool> done = false;
        std::thread client_thread([&] {
            answer = plain_get(fmt::format("http://127.0.0.1:{}/metrics", port));
            done = true;
        });
        while (!done) {
            clock.settle();
            std::this_thread::yield();
        }
        client_thread.join();
        return answer;
    }
};

config::Control on(int port)
{
    config::Control control;
    control.listen = fmt::format("127.0.0.1:{}", port);
    return control;
}

TEST_CASE("metrics are served where the configuration says, and a reload moves them")
{
    Bench bench;
    const auto first = free_port();
    bench.start(on(first));
    CHECK(bench.get(first).starts_with("HTTP/1.1 200"));
    const auto second = free_port();
    CHECK(bench.listener->replace(on(second)) == std::vector{fmt::format("metrics are on 127.0.0.1:{}", second)});
    bench.clock.settle();
    CHECK(bench.get(second).starts_with("HTTP/1.1 200"));
    CHECK(bench.get(first).empty());
    CHECK(bench.listener->replace(on(second)).empty());
    CHECK(bench.listener->replace({}) == std::vector{fmt::format("metrics are no longer on 127.0.0.1:{}", second)});
    bench.clock.settle();
    CHECK(bench.get(second).empty());
    CHECK(bench.listener->notices().empty());
}

TEST_CASE("a taken port is a notice, and is listened on once it is free")
{
    Bench bench;
    std::optional<asio::ip::tcp::acceptor> other(std::in_place, bench.loop,
                                                 asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    const auto port = other->local_endpoint().port();
    bench.start(on(port));
    const auto notices = bench.listener->notices();
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].text.find("another program has that port") != std::string::npos);
    CHECK(notices[0].do_this.find("shelfctl reload") != std::string::npos);
    CHECK(notices[0].since == bench.clock.now());
    CHECK(bench.changes == 1);
    bench.clock.advance_by(std::chrono::minutes(5));
    CHECK(bench.logged.size() == 1);
    other.reset();
    bench.clock.advance_by(MetricsListener::between_tries);
    CHECK(bench.listener->notices().empty());
    CHECK(bench.get(port).starts_with("HTTP/1.1 200"));
    CHECK(bench.changes == 2);
}

TEST_CASE("a token that cannot be read keeps the port closed, and a reload reads it again")
{
    Bench bench;
    const auto port = free_port();
    auto control = on(port);
    control.listen_token.emplace();
    control.listen_token->path_or_name = bench.files / "token";
    bench.start(control);
    REQUIRE(bench.listener->notices().size() == 1);
    CHECK(bench.listener->notices()[0].text.find("No such file") != std::string::npos);
    CHECK(bench.get(port).empty());
    write_file(bench.files / "token", "s3cret\n");
    CHECK(bench.listener->replace(control).empty());
    bench.clock.settle();
    CHECK(bench.listener->notices().empty());
    CHECK(bench.get(port).starts_with("HTTP/1.1 401"));
    for (const auto& line : bench.logged) {
        CHECK(line.find("s3cret") == std::string::npos);
    }
}

}  // namespace
}  // namespace shelfd::app
