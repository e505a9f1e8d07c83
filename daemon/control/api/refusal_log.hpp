// Which refused calls are in the log: each one, but not so many that somebody without rights fills a disk.
#pragma once

#include "runtime/async/clock.hpp"
#include "runtime/log/log.hpp"

#include <boost/asio/awaitable.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>

#include <sys/types.h>

namespace shelfd::control {

namespace asio = boost::asio;

// Loop only. `clock` must outlive it.
class RefusalLog {
public:
    // Within a minute: lines about one verb of one user, so that many calls hide no other one; and all lines.
    static constexpr unsigned most_of_verb = 5;
    static constexpr unsigned most_of_all = 60;
    static constexpr Duration window = std::chrono::minutes(1);

    RefusalLog(Clock& clock, Log log) : clock_(clock), log_(std::move(log)) {}

    // Whether this refused call gets a line; otherwise it is counted.
    bool admits(uid_t uid, const std::string& verb);
    // Counts a call that was refused unread.
    void count(uid_t uid);
    // Logs, when a minute ends, how many calls are not in the log. Runs until it is cancelled, and logs the rest then.
    asio::awaitable<void> tell_left_out();

private:
    void begin_window();
    void tell();

    Clock& clock_;
    Log log_;
    AsyncEvent counted_;
    BootTime ends_ = BootTime();
    std::map<std::pair<uid_t, std::string>, unsigned> lines_;
    unsigned lines_of_all_ = 0;
    std::size_t left_out_ = 0;
    std::set<uid_t> users_left_out_;
};

}  // namespace shelfd::control
