// The control server on a thread of its own, over a real socket, with operations that record what they were asked.
#pragma once

#include "control/recording_operations.hpp"
#include "control/server/server.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace shelfd::control {

class RunningServer {
public:
    using Change = std::function<void(RecordingOperations&)>;

    // Groups: readers = "users", admins = "games" (both are in every Debian).
    explicit RunningServer(Change change = {});
    ~RunningServer() { stop(); }

    std::string socket() const { return directory_ / "control.sock"; }
    // What was asked of the daemon, and what was logged.
    Journal asked;
    Journal logged;
    const std::vector<std::string>& warnings() const { return server_->warnings(); }

    // Cancels `run` and waits for its end.
    void stop();

private:
    TempDirectory directory_;
    asio::io_context loop_;
    SystemClock clock_;
    RecordingOperations operations_{clock_, asked};
    std::unique_ptr<Server> server_;
    struct Life;
    std::shared_ptr<Life> life_;
    std::thread thread_;
};

}  // namespace shelfd::control
