// The control API: HTTP/1.1 on one unix socket, with rights by the user at the other end.
#pragma once

#include "base/accounts/accounts.hpp"
#include "base/result.hpp"
#include "control/model/operations.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/async/worker_pool.hpp"
#include "runtime/log/log.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::control {

struct ServerSettings {
    std::string path;     // of the socket, at most 107 bytes; its directory must exist
    std::string readers;  // group that may look, "" = none
    std::string admins;   // group that may look and act, "" = none
    Lane names = {};      // where names of users and groups are looked up while it runs
    std::function<Result<std::optional<gid_t>>(const std::string&)> find_group = shelfd::find_group;
};

// Root and the daemon's own uid may do everything. Each connection is a task of its own, limited in time and size; no
// client can delay the loop or another client.
// Loop only; `clock` and `operations` must outlive the server. Order: open, run, end of run, destruction.
class Server {
public:
    // Listens from now on; requests are answered once `run` runs. Replaces a socket file on which no program answers.
    // Errors: busy (another program listens there), config (the path is too long, its directory is missing, another
    // kind of file has that name), permission, storage.
    static Result<std::unique_ptr<Server>> open(asio::any_io_executor executor, Clock& clock, Log log,
                                                ServerSettings settings, Operations& operations);
    ~Server();

    // What a person should know although the server works: a configured group that does not exist.
    const std::vector<std::string>& warnings() const;
    // Looks both groups up again: also for connections that are open, rights are those of the groups as they are now.
    // While the name service does not answer, they stay. Returns a line for each change.
    asio::awaitable<std::vector<std::string>> renew_rights();

    // Answers until it is cancelled; then ends all connections, removes the socket file and returns.
    asio::awaitable<void> run();

private:
    struct Clients;
    explicit Server(std::unique_ptr<Clients> clients);
    std::unique_ptr<Clients> clients_;
};

}  // namespace shelfd::control
