// The control API: HTTP/1.1 on one unix socket, rights by who is at the other end.
#pragma once

#include "base/result.hpp"
#include "control/model/operations.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/log/log.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

namespace shelfd::control {

struct ServerSettings {
    std::string path;     // of the socket, at most 107 bytes; its directory exists
    std::string readers;  // group that may look, "" = none
    std::string admins;   // group that may look and act, "" = none
};

// Root and the daemon's own uid may do everything. Each connection is a task of its own, limited in time and size; no
// client can hold up the loop or another client.
// Loop only; `clock` and `operations` outlive it. Order: open, run, end of run, destruction.
class Server {
public:
    // Listens from now on; requests are answered once `run` runs. A socket file nobody answers on is replaced.
    // Errors: busy (another program listens there), config (path too long, its directory is missing, something else
    // has that name), permission, storage.
    static Result<std::unique_ptr<Server>> open(asio::any_io_executor executor, Clock& clock, Log log,
                                                ServerSettings settings, Operations& operations);
    ~Server();

    // What a person should know though it works: a group of the settings that does not exist.
    const std::vector<std::string>& warnings() const;

    // Answers until it is cancelled; then ends all connections, removes the socket file and returns.
    asio::awaitable<void> run();

private:
    struct Parts;
    explicit Server(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

}  // namespace shelfd::control
