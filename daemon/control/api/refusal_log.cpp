#include "control/api/refusal_log.hpp"

#include "base/scope_exit.hpp"

#include <fmt/format.h>

namespace shelfd::control {
namespace {

// More are "others".
constexpr std::size_t most_users = 1'000;

}  // namespace

bool RefusalLog::admits(uid_t uid, const std::string& verb)
{
    begin_window();
    if (lines_of_all_ < most_of_all && lines_[{uid, verb}] < most_of_verb) {
        ++lines_[{uid, verb}];
        ++lines_of_all_;
        return true;
    }
    count(uid);
    return false;
}

void RefusalLog::count(uid_t uid)
{
    begin_window();
    ++left_out_;
    if (users_left_out_.size() < most_users) {
        users_left_out_.insert(uid);
    }
    counted_.notify_all();
}

void RefusalLog::begin_window()
{
    if (const auto now = clock_.boot_now(); now >= ends_) {
        tell();
        ends_ = now + window;
        lines_.clear();
        lines_of_all_ = 0;
    }
}

void RefusalLog::tell()
{
    if (left_out_ == 0) {
        return;
    }
    const auto others = users_left_out_.size() - 1;
    log_.warning(
        fmt::format("control: refused: {} more {} within a minute, of uid {}{}; they were not logged one by one",
                    left_out_, left_out_ == 1 ? "call" : "calls", *users_left_out_.begin(),
                    others == 0   ? ""
                    : others == 1 ? " and another user"
                                  : fmt::format(" and {} other users", others)));
    left_out_ = 0;
    users_left_out_.clear();
}

asio::awaitable<void> RefusalLog::tell_left_out()
{
    const ScopeExit rest([this] { tell(); });
    for (;;) {
        while (left_out_ == 0) {
            co_await counted_.wait();
        }
        co_await clock_.sleep_until(ends_);
        begin_window();
    }
}

}  // namespace shelfd::control
