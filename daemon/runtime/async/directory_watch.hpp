// Says when files go from a directory, as the kernel tells it (inotify).
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <functional>
#include <map>
#include <string>

namespace shelfd {

namespace asio = boost::asio;

// One for the process: the kernel gives a user few of these, and each as many watches as there are libraries. Loop
// only. Costs nothing while nothing goes.
class DirectoryWatch {
public:
    using Gone = std::function<void(const std::string& name)>;

    // Where the kernel gives none, every `watch` says so.
    explicit DirectoryWatch(const asio::any_io_executor& executor);

    // From now on `gone` hears the name of each file that is removed from the directory, or moved out of it; until
    // `forget`. One call for each directory. False: the kernel does not watch it, and nothing will be heard.
    [[nodiscard]] bool watch(const std::string& directory, Gone gone);
    void forget(const std::string& directory);

    // Hears, until cancelled.
    asio::awaitable<void> run();

private:
    struct Watched {
        std::string directory;
        Gone gone;
    };
    void hear(const char* events, std::size_t size);

    asio::posix::stream_descriptor events_;
    std::map<int, Watched> watches_;  // by the kernel's number
};

}  // namespace shelfd
