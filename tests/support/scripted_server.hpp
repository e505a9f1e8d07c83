// A server on loopback that treats each connection as a script says, lies and cuts included.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace shelfd {

namespace asio = boost::asio;

// One thing done with a connection.
struct Step {
    enum class Kind {
        read_request,  // up to the end of its body
        send,
        wait,     // `pause`, by the loop's timer
        fin,      // orderly end of what we send
        reset,    // RST
        silence,  // until the client goes
    };

    Kind kind;
    std::string bytes = {};
    std::chrono::milliseconds pause{0};
};

using Script = std::vector<Step>;

namespace steps {
inline Step read_request()
{
    return {Step::Kind::read_request};
}
inline Step send(std::string bytes)
{
    return {Step::Kind::send, std::move(bytes)};
}
inline Step wait(std::chrono::milliseconds pause)
{
    return {Step::Kind::wait, {}, pause};
}
inline Step fin()
{
    return {Step::Kind::fin};
}
inline Step reset()
{
    return {Step::Kind::reset};
}
inline Step silence()
{
    return {Step::Kind::silence};
}
// A complete 200 with Content-Length.
Step ok(const std::string& body, const std::string& more_headers = "");
}  // namespace steps

// A key pair and a self-signed certificate, made on the spot, for one name or address ("DNS:localhost",
// "IP:127.0.0.1").
struct Certificate {
    // Valid from an hour before now to an hour after, both moved by `moved`.
    static Certificate for_name(const std::string& subject, std::chrono::hours moved = {});
    std::string key_pem;
    std::string certificate_pem;
};

// Connections play the scripts in the order they were given, the last one over and over. Runs on the test's loop, which
// must not run any more once the server is gone.
class ScriptedServer {
public:
    explicit ScriptedServer(asio::io_context& loop);
    ScriptedServer(asio::io_context& loop, const Certificate& certificate);
    ScriptedServer(const ScriptedServer&) = delete;
    ScriptedServer& operator=(const ScriptedServer&) = delete;
    ~ScriptedServer();

    void play(Script script);

    std::uint16_t port() const;
    // "http://127.0.0.1:40001"
    std::string origin() const;

    std::size_t connections() const;
    // Whole requests as they came: head, empty line, body.
    const std::vector<std::string>& requests() const;
    std::size_t open_connections() const;

    struct State;

private:
    ScriptedServer(asio::io_context& loop, const Certificate* certificate);
    std::shared_ptr<State> state_;
};

}  // namespace shelfd
