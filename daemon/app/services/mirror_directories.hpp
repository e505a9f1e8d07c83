// Watches the directories of all mirrors for the -wal and -shm files that readers need.
#pragma once

#include "runtime/async/directory_watch.hpp"
#include "runtime/log/log.hpp"

#include <functional>
#include <string>

namespace shelfd::app {

// Loop only. A user who may only read a mirror needs its -wal and -shm. Other programs remove both when they are the
// last to close the mirror.
class MirrorDirectories {
public:
    MirrorDirectories(const asio::any_io_executor& executor, Log log) : watch_(executor), log_(std::move(log)) {}

    // Calls `gone` for each side file of `mirror` that is removed, until `forget`. If the kernel cannot watch the
    // directory, that is logged for the first such library.
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
