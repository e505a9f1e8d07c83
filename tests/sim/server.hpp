// The simulator on the network: a service behind a port, in a test's own process or as the program shelfsim.
#pragma once

#include "base/result.hpp"
#include "sim/service.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace boost::asio {
class io_context;
}

namespace shelfd::sim {

// PEM texts. `chain` alone is what a client must trust.
struct Certificate {
    std::string chain;
    std::string key;
};

struct ServerOptions {
    WorldOptions world = {};
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;  // 0: any free one
    std::optional<Certificate> tls = {};
    Duration idle_close = std::chrono::seconds(75);  // 2 s straight from gunicorn
};

// Listens from `start` on. Ended by its destructor: open connections are cut.
//   auto server = sim::Server::start({.world = {.libraries = 2}}).value();
//   server->world()->expire_access("lib01");
class Server {
public:
    // In a thread of its own.
    static Result<std::unique_ptr<Server>> start(ServerOptions options);
    // On a loop of the caller's, which must outlive this; then destroy it in the loop's thread, or while that stands.
    static Result<std::unique_ptr<Server>> start(boost::asio::io_context& loop, ServerOptions options);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // "http://127.0.0.1:40123", without a slash at the end.
    const std::string& url() const;
    std::uint16_t port() const;
    // Thread-safe; holds the lock while the returned object lives: not beyond one statement, and not during a request.
    LockedWorld world();
    // Thread-safe, and fit for the statement that makes a request.
    SetView view_set(std::string_view library, std::size_t number = 0);
    AuditReport audit_report();

private:
    struct Running;
    explicit Server(std::unique_ptr<Running> running);
    static Result<std::unique_ptr<Server>> listen(std::unique_ptr<Running> running, ServerOptions options);

    std::unique_ptr<Running> running_;
};

}  // namespace shelfd::sim
