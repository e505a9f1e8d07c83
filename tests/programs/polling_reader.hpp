// A person's report that looks at a mirror again and again, from outside the daemon.
#pragma once

#include "storage/sqlite.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace shelfd {

// Looks in a thread of its own until it is stopped or has something to complain of. Every few looks it comes as a new
// reader, with a new connection.
class PollingReader {
public:
    // `look` returns "" when all is well. The file is there.
    PollingReader(std::string path, std::function<std::string(storage::Database&)> look);
    ~PollingReader() { stop(); }
    PollingReader(const PollingReader&) = delete;
    PollingReader& operator=(const PollingReader&) = delete;

    void stop();
    // The first one; "" as long as there is none.
    std::string complaint() const;
    std::uint64_t looks() const { return looks_; }

private:
    void run(const std::string& path, const std::function<std::string(storage::Database&)>& look);

    mutable std::mutex mutex_;
    std::string complaint_;
    std::atomic<bool> stopping_ = false;
    std::atomic<std::uint64_t> looks_ = 0;
    std::thread thread_;  // the last member: it uses the others
};

// A reader puts up with a lock that another holds for a moment, and with nothing else.
std::string complaint_about(const Error& error);

}  // namespace shelfd
