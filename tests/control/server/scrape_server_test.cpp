#include "control/server/scrape_server.hpp"

#include "control/recording_operations.hpp"
#include "runtime/async/task_group.hpp"
#include "support/catch.hpp"
#include "support/simulated_clock.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <array>
#include <list>
#include <regex>

namespace shelfd::control {
namespace {

using Tcp = asio::ip::tcp;

// The test's thread is the server's loop; clients use sockets of the same loop that never block.
struct ScrapeBench {
    asio::io_context loop;
    SimulatedClock clock{loop};
    Journal asked;
    RecordingOperations operations{clock, asked};
    std::vector<std::string> logged;
    std::unique_ptr<ScrapeServer> server;
    std::optional<TaskGroup> tasks;

    explicit ScrapeBench(std::optional<Secret> token = std::nullopt, const std::string& address = "127.0.0.1:0")
    {
        auto opened = open({address, std::move(token)});
        REQUIRE(opened);
        server = std::move(*opened);
        tasks.emplace(loop.get_executor());
        tasks->spawn(server->run());
        clock.settle();
    }
    ~ScrapeBench() { stop(); }

    Result<std::unique_ptr<ScrapeServer>> open(ScrapeSettings settings)
    {
        const Log log([this](const LogRecord& record) { logged.emplace_back(record.message); });
        ScrapeSource source{[this] { return operations.status(); }, [this] { return operations.alerts(); }};
        return ScrapeServer::open(loop.get_executor(), clock, log, std::move(settings), std::move(source));
    }
    void stop()
    {
        if (tasks) {
            tasks->cancel();
            clock.run(tasks->join());
            tasks.reset();
        }
    }
    std::string address() const { return fmt::format("127.0.0.1:{}", server->port()); }
};

struct Client {
    Tcp::socket socket;

    explicit Client(ScrapeBench& bench) : socket(bench.loop)
    {
        socket.connect({asio::ip::address_v4::loopback(), bench.server->port()});
        socket.non_blocking(true);
        bench.clock.settle();
    }
    void send(ScrapeBench& bench, const std::string& bytes)
    {
        asio::write(socket, asio::buffer(bytes));
        bench.clock.settle();
    }
    // What has arrived; nothing more comes without time.
    std::string read(ScrapeBench& bench)
    {
        std::string all;
        std::array<char, 4096> piece{};
        for (int empty = 0; empty < 3;) {
            boost::system::error_code failed;
            const auto size = socket.read_some(asio::buffer(piece), failed);
            all.append(piece.data(), size);
            is_closed = is_closed || failed == asio::error::eof || failed == asio::error::connection_reset;
            empty = size > 0 ? 0 : empty + 1;
            bench.clock.settle();
        }
        return all;
    }
    bool is_closed = false;
};

std::string ask(ScrapeBench& bench, const std::string& method, const std::string& path, const std::string& headers = "")
{
    Client client(bench);
    client.send(bench, fmt::format("{} {} HTTP/1.1\r\nHost: x\r\n{}\r\n", method, path, headers));
    return client.read(bench);
}

int status_of(const std::string& answer)
{
    return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
}

TEST_CASE("control.listen answers with metrics and health, and with nothing else")
{
    ScrapeBench bench;
    const auto metrics = ask(bench, "GET", "/metrics");
    CHECK(status_of(metrics) == 200);
    CHECK(metrics.find("shelfd_library_state{library=\"antwerp\",state=\"fresh\"} 1\n") != std::string::npos);
    CHECK(metrics.find("text/plain; version=0.0.4") != std::string::npos);
    CHECK(ask(bench, "GET", "/metrics?detail=antwerp").find("shelfd_resource_rows{library=\"antwerp\"") !=
          std::string::npos);
    CHECK(status_of(ask(bench, "GET", "/metrics?what=ever")) == 400);
    CHECK(ask(bench, "GET", "/healthz").ends_with("ok\n"));
    for (const auto* path : {"/v1/status", "/v1/alerts", "/", "/metrics/", "/v1/auth/token", "/v1/reload"}) {
        INFO(path);
        CHECK(status_of(ask(bench, "GET", path)) == 404);
        CHECK(status_of(ask(bench, "POST", path)) == 404);
    }
    for (const auto* method : {"POST", "PUT", "DELETE", "HEAD", "OPTIONS"}) {
        INFO(method);
        CHECK(status_of(ask(bench, method, "/metrics")) == 405);
    }
    CHECK(bench.asked.all().empty());
}

TEST_CASE("with a token, metrics need it and health does not")
{
    ScrapeBench bench(Secret("s3cret"));
    struct Row {
        const char* header;
        int status;
    };
    for (const auto& row : {Row{"Authorization: Bearer s3cret\r\n", 200}, Row{"authorization: bearer s3cret\r\n", 200},
                            Row{"", 401}, Row{"Authorization: Bearer s3cre\r\n", 401},
                            Row{"Authorization: Bearer s3cret2\r\n", 401}, Row{"Authorization: Bearer\r\n", 401},
                            Row{"Authorization: Basic s3cret\r\n", 401}, Row{"Authorization: s3cret\r\n", 401}}) {
        INFO(row.header);
        const auto answer = ask(bench, "GET", "/metrics", row.header);
        CHECK(status_of(answer) == row.status);
        CHECK((answer.find("shelfd_build_info") != std::string::npos) == (row.status == 200));
        CHECK((answer.find("WWW-Authenticate: Bearer\r\n") != std::string::npos) == (row.status == 401));
        CHECK(answer.find("s3cret") == std::string::npos);
    }
    CHECK(status_of(ask(bench, "GET", "/healthz")) == 200);
    CHECK(bench.logged.empty());
}

TEST_CASE("a request with a body is refused, and one that is no HTTP ends the connection")
{
    ScrapeBench bench;
    CHECK(status_of(ask(bench, "GET", "/metrics", "Content-Length: 5\r\n")) == 413);
    Client client(bench);
    client.send(bench, "\x16\x03\x01 TLS\r\n\r\n");
    CHECK(status_of(client.read(bench)) == 400);
}

TEST_CASE("a connection without a whole request ends after ten seconds, one byte at a time or not")
{
    ScrapeBench bench;
    Client silent(bench);
    Client slow(bench);
    slow.send(bench, "GET /metrics HTTP/1.1\r\n");
    for (int i = 0; i < 9; ++i) {
        bench.clock.advance_by(std::chrono::seconds(1));
        slow.send(bench, "X");
    }
    CHECK(silent.read(bench).empty());
    CHECK_FALSE(silent.is_closed);
    bench.clock.advance_by(std::chrono::seconds(2));
    CHECK(silent.read(bench).empty());
    CHECK(silent.is_closed);
    CHECK(slow.read(bench).empty());
    CHECK(slow.is_closed);
}

TEST_CASE("connections that send nothing cannot keep a scraper out")
{
    ScrapeBench bench;
    std::list<Client> idle;
    for (std::size_t i = 0; i < 3 * ScrapeServer::max_connections; ++i) {
        idle.emplace_back(bench);
    }
    CHECK(status_of(ask(bench, "GET", "/metrics")) == 200);
    CHECK(idle.front().read(bench).empty());
    CHECK(idle.front().is_closed);
    std::size_t open = 0;
    for (auto& client : idle) {
        [[maybe_unused]] const auto nothing = client.read(bench);
        open += client.is_closed ? 0 : 1;
    }
    CHECK(open <= ScrapeServer::max_connections);
    CHECK(open > 0);
}

TEST_CASE("a scraper may keep its connection")
{
    ScrapeBench bench;
    Client client(bench);
    for (int i = 0; i < 3; ++i) {
        client.send(bench, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
        CHECK(status_of(client.read(bench)) == 200);
        CHECK_FALSE(client.is_closed);
    }
    bench.stop();
    CHECK(client.read(bench).empty());
    CHECK(client.is_closed);
}

TEST_CASE("a port that another program has is an error that names how to find it")
{
    ScrapeBench bench;
    const auto again = bench.open({bench.address(), std::nullopt});
    REQUIRE_FALSE(again);
    CHECK(again.error().kind() == ErrorKind::busy);
    CHECK(again.error().text().find("another program has that port") != std::string::npos);
    CHECK(again.error().text().find(fmt::format("sport = :{}", bench.server->port())) != std::string::npos);
    const auto elsewhere = bench.open({"192.0.2.1:9464", std::nullopt});
    REQUIRE_FALSE(elsewhere);
    CHECK(elsewhere.error().kind() == ErrorKind::config);
}

TEST_CASE("an address of IPv6 is listened on")
{
    boost::asio::io_context probe;
    boost::system::error_code missing;
    Tcp::acceptor(probe).open(Tcp::v6(), missing);
    if (missing) {
        WARN("needs IPv6");
        return;
    }
    const ScrapeBench bench(std::nullopt, "[::1]:0");
    CHECK(bench.server->port() != 0);
}

}  // namespace
}  // namespace shelfd::control
