// A wait that a person can end with Ctrl-C, after which the program still reports where it stopped.
#pragma once

#include "base/instant.hpp"
#include "runtime/async/clock.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

namespace shelfd::ctl {

// While this object exists, SIGINT and SIGTERM end the wait, not the program. Single-threaded.
class Interruption {
public:
    Interruption();

    // False if a signal arrived, before this wait or during it.
    bool wait(Clock& clock, Duration duration);

private:
    asio::io_context loop_{1};
    asio::signal_set signals_;
    bool interrupted_ = false;
};

}  // namespace shelfd::ctl
