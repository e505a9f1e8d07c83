#include "sync/library/walk_gate.hpp"

#include "support/catch.hpp"
#include "support/simulated_clock.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace shelfd::sync {
namespace {

using namespace std::chrono_literals;
using Claim = WalkGate::Claim;

constexpr Claim first_load{.is_first_load = true};
constexpr Claim wish{.is_wished = true};

// Walks that want a place, and the order in which they got one. The library of a walk is its name up to the digits.
class Yard {
public:
    explicit Yard(std::size_t most) : gate(clock, most) {}

    // Whoever waits for a place ends before the gate does.
    ~Yard()
    {
        for (auto& [name, signal] : signals_) {
            signal.emit(asio::cancellation_type::terminal);
        }
        clock.settle();
    }

    void ask(const std::string& name, Claim claim = first_load)
    {
        claims[name] = claim;
        asio::co_spawn(loop, walk(name), asio::bind_cancellation_slot(signals_[name].slot(), asio::detached));
        clock.settle();
    }
    void end(const std::string& name)
    {
        inside.erase(name);
        clock.settle();
    }
    void cancel(const std::string& name) { signals_[name].emit(asio::cancellation_type::terminal); }
    WalkGate::Place& place(const std::string& name) { return *inside.at(name); }
    WalkGate::Seat& seat_of(const std::string& name)
    {
        return seats_[name.substr(0, name.find_first_of("0123456789"))];
    }

    using Names = std::vector<std::string>;

    asio::io_context loop;
    SimulatedClock clock{loop};
    WalkGate gate;
    std::map<std::string, Claim> claims;
    Names order;

private:
    asio::awaitable<void> walk(std::string name)
    {
        auto look = [this, name] { return claims[name]; };
        auto got = co_await gate.enter(seat_of(name), look);
        inside[name] = std::make_unique<WalkGate::Place>(std::move(got));
        order.push_back(name);
    }

    std::map<std::string, asio::cancellation_signal> signals_;
    std::map<std::string, WalkGate::Seat> seats_;

public:
    std::map<std::string, std::unique_ptr<WalkGate::Place>> inside;  // ends before its seats
};

using Names = Yard::Names;

}  // namespace

TEST_CASE("so many walks of all libraries work at once, and the others in the order in which they came")
{
    Yard yard(2);
    for (const auto* name : {"a1", "b1", "c1", "d1"}) {
        yard.ask(name);
    }
    CHECK(yard.order == Names{"a1", "b1"});
    CHECK(yard.gate.working() == 2);
    CHECK(yard.gate.waiting() == 2);
    yard.end("b1");
    CHECK(yard.order == Names{"a1", "b1", "c1"});
    yard.end("a1");
    yard.end("c1");
    CHECK(yard.order.back() == "d1");
    yard.end("d1");
    CHECK(yard.gate.working() == 0);
}

TEST_CASE("what a person waits for goes first, then what keeps a table fresh")
{
    Yard yard(1);
    yard.ask("a1");
    yard.ask("b1");
    yard.ask("c1", Claim());
    yard.ask("d1", wish);
    for (const auto* name : {"a1", "d1", "c1"}) {
        yard.end(name);
    }
    CHECK(yard.order == Names{"a1", "d1", "c1", "b1"});
}

TEST_CASE("a person who comes while a walk waits brings it to the front")
{
    Yard yard(1);
    for (const auto* name : {"a1", "b1", "c1"}) {
        yard.ask(name);
    }
    yard.claims["c1"] = wish;
    yard.gate.reconsider(yard.seat_of("c1"));
    yard.end("a1");
    CHECK(yard.order.back() == "c1");
}

TEST_CASE("a library that is inside goes on before others begin, and not for ever")
{
    Yard yard(2);
    yard.ask("a1");
    yard.ask("a2");
    yard.ask("b1");
    yard.ask("a3");
    yard.end("a1");
    CHECK(yard.order.back() == "a3");
    yard.ask("a4");
    yard.clock.advance_by(WalkGate::stay - 1ms);
    yard.place("a2").progressed();
    yard.place("a3").progressed();
    yard.clock.advance_by(1ms);
    CHECK(yard.gate.waiting() == 2);
    yard.end("a3");
    CHECK(yard.order.back() == "b1");
}

TEST_CASE("a walk that gets no page holds up nobody for longer than two seconds")
{
    Yard yard(1);
    for (const auto* name : {"hanging1", "b1", "c1"}) {
        yard.ask(name);
    }
    yard.clock.advance_by(1s);
    yard.place("hanging1").progressed();
    yard.clock.advance_by(1999ms);
    CHECK(yard.order == Names{"hanging1"});
    yard.clock.advance_by(1ms);
    CHECK(yard.order == Names{"hanging1", "b1"});
    yard.place("hanging1").progressed();  // it goes on at once, and counts again
    yard.end("b1");
    CHECK(yard.order.size() == 2);
    yard.end("hanging1");
    CHECK(yard.order.back() == "c1");
}

TEST_CASE("a walk that waits for its limit gives its place back, and goes on at once")
{
    Yard yard(1);
    yard.ask("a1");
    yard.ask("b1");
    yard.ask("c1");
    yard.place("a1").pause();
    yard.clock.settle();
    CHECK(yard.order == Names{"a1", "b1"});
    CHECK(yard.gate.working() == 1);
    yard.place("a1").go_on();
    CHECK(yard.gate.working() == 2);
    yard.end("b1");
    CHECK(yard.order.size() == 2);
    yard.end("a1");
    CHECK(yard.order.back() == "c1");
}

TEST_CASE("a walk that is cancelled while it waits, or when its place just came, leaves none taken")
{
    Yard yard(1);
    for (const auto* name : {"a1", "b1", "c1"}) {
        yard.ask(name);
    }
    yard.ask("d1", wish);
    yard.cancel("c1");
    yard.clock.settle();
    CHECK(yard.gate.waiting() == 2);
    asio::post(yard.loop, [&yard] {
        yard.inside.erase("a1");
        CHECK(yard.gate.waiting() == 1);  // the place is that of d1 now, which does not know yet
        yard.cancel("d1");
    });
    yard.clock.settle();
    CHECK(yard.order == Names{"a1", "b1"});
    yard.end("b1");
    CHECK(yard.gate.working() == 0);
    CHECK(yard.gate.waiting() == 0);
}

TEST_CASE("where the one that waited longest gives up, the others still see that a walk hangs")
{
    Yard yard(1);
    for (const auto* name : {"hanging1", "b1", "c1"}) {
        yard.ask(name);
    }
    yard.cancel("b1");
    yard.clock.advance_by(2s);
    CHECK(yard.order == Names{"hanging1", "c1"});
}

TEST_CASE("a library knows how many requests its walks inside have still to send")
{
    Yard yard(2);
    yard.ask("a1");
    yard.ask("a2");
    yard.place("a1").expect(8);
    yard.place("a2").expect(5);
    CHECK(yard.seat_of("a1").expected() == 13);
    yard.place("a1").sent(3);
    yard.place("a2").sent(7);
    CHECK(yard.seat_of("a1").expected() == 5);
    yard.end("a1");
    yard.end("a2");
    CHECK(yard.seat_of("a1").expected() == 0);
}

TEST_CASE("more walks than may work at once are a crowd, those included that wait for their limit")
{
    Yard yard(2);
    yard.ask("a1");
    yard.place("a1").pause();
    const WalkGate::LinedUp first(yard.gate);
    CHECK_FALSE(yard.gate.is_oversubscribed());
    const WalkGate::LinedUp second(yard.gate);
    CHECK(yard.gate.is_oversubscribed());
    yard.end("a1");
    CHECK_FALSE(yard.gate.is_oversubscribed());
}

}  // namespace shelfd::sync
