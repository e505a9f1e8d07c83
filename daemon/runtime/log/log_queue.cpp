#include "runtime/log/log_queue.hpp"

#include <system_error>
#include <utility>

namespace shelfd {
namespace {

using namespace std::chrono_literals;

// A few thousand lines: a repeated fault must not fill the memory of a daemon whose log nobody reads.
constexpr std::size_t max_waiting_bytes = 256u << 10;
// Time between two checks whether the queue is being destroyed; after five without a line taken, the rest is dropped.
constexpr auto patience = 200ms;
constexpr int last_looks = 5;

}  // namespace

LogQueue::~LogQueue()
{
    {
        const std::scoped_lock lock(mutex_);
        ending_ = true;
    }
    wanted_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void LogQueue::push(std::string line)
{
    const std::scoped_lock lock(mutex_);
    const bool is_idle = waiting_.empty() && !delivering_;
    if (is_idle && went_at_once(line)) {
        return;
    }
    if (!waiting_.empty() && waiting_bytes_ + line.size() > max_waiting_bytes) {
        ++lost_;
        return;
    }
    report_loss();
    keep(std::move(line));
}

// Also true when no line will ever be taken.
bool LogQueue::went_at_once(std::string& line)
{
    if (lost_ > 0) {
        auto loss = lost_line_(lost_);
        const auto told = send_(loss, 0ms);
        lost_ = told == Sent::never ? lost_ + 1 : 0;
        if (told != Sent::all) {
            if (told == Sent::not_yet) {
                keep(std::move(loss));
            }
            return told == Sent::never;
        }
    }
    const auto outcome = send_(line, 0ms);
    lost_ += outcome == Sent::never ? 1 : 0;
    return outcome != Sent::not_yet;
}

void LogQueue::keep(std::string line)
{
    waiting_bytes_ += line.size();
    waiting_.push_back(std::move(line));
    if (!thread_.joinable()) {
        try {
            thread_ = std::thread([this] { deliver(); });
        } catch (const std::system_error&) {
            return;  // no thread available now: the next line tries again
        }
    }
    wanted_.notify_all();
}

void LogQueue::report_loss()
{
    if (lost_ > 0) {
        auto line = lost_line_(std::exchange(lost_, 0));
        waiting_bytes_ += line.size();
        waiting_.push_back(std::move(line));
    }
}

// Runs in the thread: sends without holding the lock, so that loggers are not blocked.
void LogQueue::deliver()
{
    std::unique_lock lock(mutex_);
    for (int looks = 0; looks < last_looks;) {
        wanted_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        if (waiting_.empty()) {
            return;
        }
        auto line = std::move(waiting_.front());
        waiting_.pop_front();
        waiting_bytes_ -= line.size();
        delivering_ = true;
        lock.unlock();
        const auto outcome = send_(line, patience);
        lock.lock();
        delivering_ = false;
        if (outcome == Sent::not_yet) {
            waiting_bytes_ += line.size();
            waiting_.push_front(std::move(line));
            looks += ending_ ? 1 : 0;
            continue;
        }
        looks = 0;
        if (outcome == Sent::never) {
            ++lost_;
        } else if (waiting_.empty()) {
            report_loss();
        }
    }
}

}  // namespace shelfd
