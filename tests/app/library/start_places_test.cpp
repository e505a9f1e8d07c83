#include "app/library/start_places.hpp"

#include "support/catch.hpp"
#include "support/simulated_clock.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <deque>

namespace shelfd::app {
namespace {

using namespace std::chrono_literals;

struct Library {
    bool has_begun = false;
    bool is_over = false;
    AsyncEvent changed;
    asio::cancellation_signal stop;
};

// More of them than there are places.
class Start {
public:
    Start()
    {
        for (std::size_t i = 0; i < 2 * StartPlaces::max_at_once; ++i) {
            auto& library = libraries.emplace_back();
            auto begin = [&library] { library.has_begun = true; };
            auto is_over = [&library] { return library.is_over; };
            asio::co_spawn(loop, places.run(begin, is_over, library.changed),
                           asio::bind_cancellation_slot(library.stop.slot(), asio::detached));
        }
        clock.settle();
    }
    // Whoever waits for a place ends before the places do.
    ~Start()
    {
        for (auto& library : libraries) {
            library.stop.emit(asio::cancellation_type::terminal);
        }
        clock.settle();
    }
    long begun() const
    {
        return std::count_if(libraries.begin(), libraries.end(), [](const auto& one) { return one.has_begun; });
    }

    asio::io_context loop;
    SimulatedClock clock{loop};
    StartPlaces places{clock};
    std::deque<Library> libraries;
};

constexpr auto most = static_cast<long>(StartPlaces::max_at_once);

}  // namespace

TEST_CASE("libraries begin as soon as others have made their first passes, not by the clock")
{
    Start start;
    CHECK(start.begun() == most);
    for (std::size_t i = 0; i < 10; ++i) {
        start.libraries[i].is_over = true;
        start.libraries[i].changed.notify_all();
    }
    start.clock.settle();
    CHECK(start.begun() == most + 10);
    CHECK(start.places.taken() == StartPlaces::max_at_once);
}

TEST_CASE("a library whose first passes take long holds up the others for a second")
{
    Start start;
    start.clock.advance_by(999ms);
    CHECK(start.begun() == most);
    start.clock.advance_by(1ms);
    CHECK(start.begun() == 2 * most);
    start.clock.advance_by(1s);
    CHECK(start.places.taken() == 0);
}

TEST_CASE("a library that is stopped while it begins, or waits to begin, leaves no place taken")
{
    Start start;
    start.libraries.front().stop.emit(asio::cancellation_type::terminal);
    start.libraries.back().stop.emit(asio::cancellation_type::terminal);
    start.clock.settle();
    CHECK(start.begun() == most + 1);
    CHECK_FALSE(start.libraries.back().has_begun);
    start.clock.advance_by(2s);
    CHECK(start.begun() == 2 * most - 1);
    CHECK(start.places.taken() == 0);
}

}  // namespace shelfd::app
