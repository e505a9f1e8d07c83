// The control server on a thread of its own, over a real socket, with operations that record what they were asked.
#pragma once

#include "control/server/server.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace shelfd::control {

// Remembers from the loop, asked from the test.
class Journal {
public:
    void note(std::string text);
    std::vector<std::string> all() const;
    bool contains(const std::string& part) const;

private:
    mutable std::mutex mutex_;
    std::vector<std::string> entries_;
};

class RunningServer {
public:
    using Change = std::function<void(Operations&)>;

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
    Operations recording_operations();

    TempDirectory directory_;
    asio::io_context loop_;
    SystemClock clock_;
    std::unique_ptr<Server> server_;
    struct Life;
    std::shared_ptr<Life> life_;
    std::thread thread_;
};

}  // namespace shelfd::control
