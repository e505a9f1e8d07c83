// A queue in front of a reader that may have stopped reading: loggers never wait for it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace shelfd {

// While the reader takes lines, they are sent immediately in the caller's thread, so that a crash loses none. While it
// does not, a separate thread keeps them in order; when too many wait, new lines are dropped and counted in a line of
// their own. Any thread may push. The destructor waits up to a second for the reader.
class LogQueue {
public:
    enum class Sent {
        all,
        not_yet,  // `text` holds the rest
        never,    // the reader is gone
    };
    // Sends `text` and removes from it what was sent; waits at most `patience` for the reader. One call at a time.
    using Send = std::function<Sent(std::string& text, std::chrono::milliseconds patience)>;
    // Makes the line that says how many lines were dropped. Any thread, under a lock.
    using LostLine = std::function<std::string(std::uint64_t count)>;

    LogQueue(Send send, LostLine lost_line) : send_(std::move(send)), lost_line_(std::move(lost_line)) {}
    LogQueue(const LogQueue&) = delete;
    LogQueue& operator=(const LogQueue&) = delete;
    ~LogQueue();

    void push(std::string line);

private:
    bool went_at_once(std::string& line);
    void keep(std::string line);
    void report_loss();
    void deliver();

    const Send send_;
    const LostLine lost_line_;
    std::mutex mutex_;
    std::condition_variable wanted_;
    std::deque<std::string> waiting_;
    std::size_t waiting_bytes_ = 0;
    std::uint64_t lost_ = 0;
    bool delivering_ = false;  // the thread is sending a line
    bool ending_ = false;
    std::thread thread_;  // starts when a line has to wait for the first time
};

}  // namespace shelfd
