#include "oauth/keeper/refresh_turn.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <variant>

namespace shelfd::oauth {

asio::awaitable<bool> take_turn(const KeeperParts& parts)
{
    using namespace asio::experimental::awaitable_operators;
    auto& clock = parts.services.clock;
    const auto& machine = parts.machine;
    if (machine.haste(clock.boot_now()) == Haste::calm) {
        auto turn = parts.exchange.take_turn(Haste::calm);
        auto late = clock.sleep_until(machine.urgent_from());
        const auto first = co_await (std::move(turn) || std::move(late));
        if (const auto* const has_turn = std::get_if<0>(&first)) {
            co_return *has_turn;
        }
    }
    co_return co_await parts.exchange.take_turn(machine.haste(clock.boot_now()));
}

}  // namespace shelfd::oauth
