// How connections live and end, plain and under TLS.
#include "sim/self_signed.hpp"
#include "sim_wire/raw_client.hpp"
#include "support/catch.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <chrono>

namespace shelfd::sim {

namespace {

const std::string identity = "/api/v2/accounts/libraries/current/";

std::unique_ptr<Server> start(ServerOptions options = {}, std::size_t rows = 3)
{
    options.world.rows = rows;
    return Server::start(std::move(options)).value();
}

}  // namespace

TEST_CASE("one connection serves request after request")
{
    const auto server = start();
    const auto token = server->view_set("lib01").access_token;
    RawClient client(*server);
    for (int turn = 0; turn < 3; ++turn) {
        client.send(get(identity, {bearer(token)}));
        CHECK(client.receive().status() == 200);
    }
    client.send(get(identity, {bearer(token), "Connection: close"}));
    const auto last = client.receive_until_end();
    CHECK(last.find("\r\nConnection: close\r\n") != std::string::npos);
    CHECK(server->audit_report().connections == 1);
}

TEST_CASE("an idle connection is closed without a word")
{
    const auto server = start({.idle_close = std::chrono::milliseconds(50)});
    RawClient client(*server);
    client.send(get("/elsewhere"));
    CHECK(client.receive().status() == 404);
    CHECK(client.receive_until_end().empty());
    CHECK_FALSE(client.ended_by_reset());
}

TEST_CASE("HEAD has the headers of GET and no body")
{
    const auto server = start();
    const auto token = server->view_set("lib01").access_token;
    RawClient client(*server);
    client.send(request("HEAD", identity, {bearer(token)}, ""));
    const auto head = client.receive_head();
    client.send(get(identity, {bearer(token)}));
    CHECK(client.receive().head == head.head);
}

TEST_CASE("a client that waits for 100 Continue gets it")
{
    const auto server = start();
    RawClient client(*server);
    client.send("POST /oauth/token/ HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    CHECK(client.receive_head().head == "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("a=b");
    CHECK(client.receive().status() == 400);
}

TEST_CASE("what is no HTTP is answered by the proxy and ended")
{
    const auto server = start();
    RawClient client(*server);
    client.send("no such thing\r\n\r\n");
    const auto answer = client.receive_until_end();
    CHECK(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"));
    CHECK(answer.find("<center>nginx/1.22.1</center>") != std::string::npos);
}

TEST_CASE("under TLS the same answers come, to whom the certificate is known")
{
    // A TLS record holds 16 KiB.
    const auto [page_size, least, most] =
        GENERATE(table<int, std::size_t, std::size_t>({{1, 100, 16'000}, {200, 100'000, 1'000'000}}));
    CAPTURE(page_size);
    const auto certificate = self_signed_certificate().value();
    ServerOptions options;
    options.tls = certificate;
    const auto server = start(std::move(options), 201);
    const auto token = server->view_set("lib01").access_token;
    CHECK(server->url().starts_with("https://127.0.0.1:"));

    namespace asio = boost::asio;
    asio::io_context loop;
    asio::ssl::context context(asio::ssl::context::tls_client);
    context.add_certificate_authority(asio::buffer(certificate.chain));
    context.set_verify_mode(asio::ssl::verify_peer);
    asio::ssl::stream<asio::ip::tcp::socket> stream(loop, context);
    stream.lowest_layer().connect({asio::ip::make_address("127.0.0.1"), server->port()});
    stream.handshake(asio::ssl::stream_base::client);
    const auto query = "?page_size=" + std::to_string(page_size);
    asio::write(stream, asio::buffer(get("/api/v2/library/recipes/" + query, {bearer(token), "Connection: close"})));
    std::string answer;
    boost::system::error_code error;
    while (!error) {
        std::array<char, 4096> piece;
        const auto size = stream.read_some(asio::buffer(piece), error);
        answer.append(piece.data(), size);
    }
    CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(answer.size() > least);
    CHECK(answer.size() < most);
    CHECK(answer.ends_with("}"));
    CHECK(answer.find("\"next\":\"https://api.example.com/api/v2/library/recipes/?page=2&page_size=" +
                      std::to_string(page_size)) != std::string::npos);
}

TEST_CASE("a server ends at once, with connections open and requests under way")
{
    auto server = start();
    RawClient idle(*server);
    idle.send(get("/elsewhere"));
    idle.receive();
    Fault slow;
    slow.delay = std::chrono::hours(1);
    server->world()->faults.add(slow);
    RawClient waiting(*server);
    waiting.send(get("/elsewhere"));
    while (server->audit_report().in_flight == 0) {
        RawClient witness(*server);
        witness.send(get("/sim/audit"));
        witness.receive();
    }
    server.reset();
    CHECK(waiting.receive_until_end().empty());
}

TEST_CASE("a server runs on a loop of the caller's")
{
    boost::asio::io_context loop;
    {
        auto server = Server::start(loop, {}).value();
        RawClient client(*server);
        client.send(get("/elsewhere"));
        while (server->audit_report().requests.empty()) {
            loop.run_one();
        }
        CHECK(client.receive().status() == 404);
    }
    loop.run();  // returns: nothing of the server is left on the loop
    CHECK(loop.stopped());
}

}  // namespace shelfd::sim
