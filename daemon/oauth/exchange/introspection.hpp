// Asks the service about an access token (RFC 7662), only at the configured path: the token and the client secret are
// sent nowhere else.
#pragma once

#include "oauth/exchange/exchange.hpp"

namespace shelfd::oauth {

// nullopt without a path, or if the service refuses or does not answer: introspection is optional.
asio::awaitable<std::optional<Introspection>>
introspect(const TokenKeeperSettings& settings, const TokenKeeperServices& services, Exchange& exchange, Secret access);

}  // namespace shelfd::oauth
