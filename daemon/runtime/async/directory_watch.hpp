// Reports files that are removed from a directory, by inotify(7).
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <functional>
#include <map>
#include <string>

namespace shelfd {

namespace asio = boost::asio;

// One for the process: the kernel limits inotify instances per user, and each can watch as many directories as there
// are libraries. Loop only. Uses no CPU while no file is removed.
class DirectoryWatch {
public:
    // `name`: "" = the kernel lost events (IN_Q_OVERFLOW), so any file may be gone.
    using Gone = std::function<void(const std::string& name)>;

    // If the kernel refuses an instance, every `watch` returns false.
    explicit DirectoryWatch(const asio::any_io_executor& executor);

    // From now until `forget`, calls `gone` with the name of each file that is removed from the directory or moved out
    // of it. One call for each directory. Returns false if the kernel does not watch it; `gone` is then never called.
    [[nodiscard]] bool watch(const std::string& directory, Gone gone);
    void forget(const std::string& directory);

    // Reads events until cancelled.
    asio::awaitable<void> run();

private:
    struct Watched {
        std::string directory;
        Gone gone;
    };
    void hear(const char* events, std::size_t size);
    void call_all();

    asio::posix::stream_descriptor events_;
    std::map<int, Watched> watches_;  // by inotify's watch descriptor
};

}  // namespace shelfd
