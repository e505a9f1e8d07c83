// Lines on their way to a reader that may have stopped reading: whoever logs never waits for it.
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

// Lines go out at once, in the caller's thread, as long as they are taken: a crash loses none. While they are not, a
// thread of its own holds them back, in their order; when too many wait, later ones are lost, and counted in a line of
// their own. Any thread may push. Its end gives the reader another second.
class LogQueue {
public:
    enum class Sent {
        all,
        not_yet,  // `text` holds the rest
        never,    // what takes lines is gone
    };
    // Hands `text` over and takes away what went; waits at most `patience` for its reader. One call at a time.
    using Send = std::function<Sent(std::string& text, std::chrono::milliseconds patience)>;
    // The line that says how many were lost. Any thread, under a lock.
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
    bool delivering_ = false;  // the thread has a line in its hands
    bool ending_ = false;
    std::thread thread_;  // begins when a line has to wait for the first time
};

}  // namespace shelfd
