#include "oauth/exchange/introspection.hpp"

namespace shelfd::oauth {

asio::awaitable<std::optional<Introspection>>
introspect(const TokenKeeperSettings& settings, const TokenKeeperServices& services, Exchange& exchange, Secret access)
{
    if (settings.endpoint.introspection_path.empty()) {
        co_return std::nullopt;
    }
    const auto secret = co_await exchange.read_secret();
    if (!secret) {
        co_return std::nullopt;
    }
    auto request = make_introspection_request(settings.endpoint, access, *secret);
    request.timeouts = settings.canary_timeouts;
    const auto outcome = co_await services.client.send(std::move(request));
    co_return read_introspection(outcome);
}

}  // namespace shelfd::oauth
