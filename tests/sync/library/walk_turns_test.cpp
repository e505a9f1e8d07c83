#include "sync/library/walk_turns.hpp"

#include "support/catch.hpp"
#include "support/simulated_clock.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {
namespace {

using Kind = WalkTurns::Kind;
using Claim = WalkTurns::Claim;

// Walks that ask for turns, and the order in which they got them.
class Hall {
public:
    explicit Hall(std::size_t most = 2) : turns(most) {}

    // Whoever waits for a turn ends before the turns do.
    ~Hall()
    {
        for (auto& [name, signal] : signals_) {
            signal.emit(asio::cancellation_type::terminal);
        }
        settle();
    }

    void ask(const std::string& name, Claim claim)
    {
        claims[name] = claim;
        asio::co_spawn(loop, walk(name), asio::bind_cancellation_slot(signals_[name].slot(), asio::detached));
        settle();
    }
    void end(const std::string& name)
    {
        held.erase(name);
        settle();
    }
    void cancel(const std::string& name)
    {
        signals_[name].emit(asio::cancellation_type::terminal);
        settle();
    }
    // Like a pass does behind each page.
    void grow(const std::string& name, std::uint64_t pages)
    {
        if (!held.at(name)->may_go_on(pages)) {
            asio::co_spawn(loop, queue(name), asio::bind_cancellation_slot(signals_[name].slot(), asio::detached));
        }
        settle();
    }
    void settle()
    {
        loop.restart();
        loop.poll();
    }

    asio::io_context loop;
    WalkTurns turns;
    std::map<std::string, Claim> claims;
    std::map<std::string, std::unique_ptr<WalkTurns::Turn>> held;
    std::vector<std::string> order;

private:
    asio::awaitable<void> walk(std::string name)
    {
        auto look = [this, name] { return claims[name]; };
        auto turn = co_await turns.take(look);
        held[name] = std::make_unique<WalkTurns::Turn>(std::move(turn));
        order.push_back(name);
    }
    asio::awaitable<void> queue(std::string name)
    {
        auto turn = std::move(held.at(name));
        held.erase(name);
        co_await turn->wait_until_free();
        held[name] = std::move(turn);
        order.push_back(name + " again");
    }

    std::map<std::string, asio::cancellation_signal> signals_;
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("few lists are walked at once: the others follow as these end, short ones and filled tables first")
{
    Hall hall;
    for (const auto* name : {"a", "b", "c"}) {
        hall.ask(name, {});
    }
    hall.ask("unknown", {.is_first_load = true});
    hall.ask("long", {.pages = 30});
    hall.ask("short", {.pages = 3});
    CHECK(hall.order == Names{"a", "b", "c"});
    CHECK(hall.turns.under_way() == 3);
    CHECK(hall.turns.waiting() == 3);
    hall.end("b");
    CHECK(hall.order.back() == "short");
    hall.end("a");
    CHECK(hall.order.back() == "long");
    hall.end("c");
    CHECK(hall.order.back() == "unknown");
    hall.end("short");
    hall.end("long");
    hall.end("unknown");
    CHECK(hall.turns.under_way() == 0);
}

TEST_CASE("what keeps a table fresh waits for no whole list, and whole lists of a few pages for no long one")
{
    Hall hall;
    for (const auto* name : {"a", "b", "c"}) {
        hall.ask(name, {.kind = Kind::lengthy, .pages = 5000});
    }
    CHECK(hall.order == Names{"a", "b"});
    hall.ask("poll", {.kind = Kind::changes, .pages = 1});
    hall.ask("units", {.pages = 1});
    CHECK(hall.order == Names{"a", "b", "poll", "units"});
}

TEST_CASE("where two turns are free at once, two that wait get them")
{
    Hall hall;
    for (const auto* name : {"a", "b", "c", "d", "e"}) {
        hall.ask(name, {});
    }
    hall.held.erase("a");
    hall.held.erase("b");
    hall.settle();
    CHECK(hall.order == Names{"a", "b", "c", "d", "e"});
}

TEST_CASE("a list that a person wishes waits for no long walk, one that comes to be wished neither")
{
    Hall hall;
    for (const auto* name : {"a", "b", "c", "d"}) {
        hall.ask(name, {.kind = Kind::lengthy, .pages = 5000});
    }
    hall.ask("wished", {.kind = Kind::lengthy, .is_wished = true, .pages = 9000});
    CHECK(hall.order == Names{"a", "b", "wished"});
    hall.claims["d"].is_wished = true;
    hall.turns.reconsider();
    hall.settle();
    CHECK(hall.order.back() == "d");
    // These have their limit, too.
    hall.ask("third", {.kind = Kind::lengthy, .is_wished = true, .pages = 1});
    CHECK(hall.order.size() == 4);
    hall.end("a");
    CHECK(hall.order.back() == "third");
    hall.end("b");
    CHECK(hall.order.back() == "c");
}

TEST_CASE("a list that turns out to be long makes room for short ones, and waits while others as long are walked")
{
    Hall hall(1);
    hall.ask("a", {});
    hall.ask("b", {});
    hall.grow("a", WalkTurns::max_of_brief);
    CHECK(hall.turns.under_way() == 2);
    hall.grow("a", 5000);
    hall.grow("b", 4000);
    CHECK(hall.held.contains("a"));
    CHECK_FALSE(hall.held.contains("b"));
    CHECK(hall.turns.waiting() == 1);
    // The three turns of short lists are free again.
    for (const auto* name : {"c", "d", "e"}) {
        hall.ask(name, {});
    }
    CHECK(hall.order == Names{"a", "b", "c", "d", "e"});
    hall.end("a");
    CHECK(hall.order.back() == "b again");
    hall.grow("b", 4001);
    CHECK(hall.held.contains("b"));
    hall.end("b");
    for (const auto* name : {"c", "d", "e"}) {
        hall.end(name);
    }
    CHECK(hall.turns.under_way() == 0);
}

TEST_CASE("who is cancelled while it waits leaves its place in line, and no turn is lost")
{
    Hall hall;
    for (const auto* name : {"a", "b", "c", "d", "e"}) {
        hall.ask(name, {});
    }
    hall.cancel("d");
    CHECK(hall.turns.waiting() == 1);
    hall.end("a");
    CHECK(hall.order.back() == "e");
    CHECK(hall.turns.under_way() == 3);
}

}  // namespace shelfd::sync
