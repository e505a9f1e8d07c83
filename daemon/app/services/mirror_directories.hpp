// The directories of all mirrors, watched for the -wal and -shm files that readers need.
#pragma once

#include "runtime/async/directory_watch.hpp"
#include "runtime/log/log.hpp"

#include <functional>
#include <string>

namespace shelfd::app {

// Loop only. A user who may only read a mirror needs its -wal and -shm. Any other program that closes the mirror as the
// last one removes both.
class MirrorDirectories {
public:
    MirrorDirectories(const asio::any_io_executor& executor, Log log) : watch_(executor), log_(std::move(log)) {}

    // Calls `gone` for each side file of `mirror` that is removed, until `forget`. Where the kernel does not watch the
    // directory, the first such library logs it.
    void watch(const std::string& mirror, const std::string& library, std::function<void()> gone);
    void forget(const std::string& mirror);
    // Listens until cancelled.
    asio::awaitable<void> run() { return watch_.run(); }

private:
    DirectoryWatch watch_;
    Log log_;
    bool has_logged_ = false;
};

}  // namespace shelfd::app
