#include "ctl/context/interruption.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include <csignal>

namespace shelfd::ctl {

Interruption::Interruption() : signals_(loop_, SIGINT, SIGTERM)
{
    signals_.async_wait([this](const boost::system::error_code& failed, int) {
        interrupted_ = interrupted_ || !failed;
        loop_.stop();
    });
}

bool Interruption::wait(Clock& clock, Duration duration)
{
    loop_.restart();
    loop_.poll();
    if (interrupted_) {
        return false;
    }
    asio::cancellation_signal give_up;
    bool ended = false;
    auto on_end = [this, &ended](const std::exception_ptr&) {
        ended = true;
        loop_.stop();
    };
    asio::co_spawn(loop_, clock.sleep_for(duration), asio::bind_cancellation_slot(give_up.slot(), std::move(on_end)));
    loop_.restart();
    loop_.run();
    while (!ended) {  // after a signal: the sleep must not outlive what it refers to
        give_up.emit(asio::cancellation_type::all);
        loop_.restart();
        loop_.run();
    }
    return !interrupted_;
}

}  // namespace shelfd::ctl
