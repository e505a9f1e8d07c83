// The turn of a refresh among those of all libraries of a service.
#pragma once

#include "oauth/intake/keeper_parts.hpp"

namespace shelfd::oauth {

// Waits for it as soon as the set needs it: a calm refresh that waits until the set is late goes on as an urgent one.
// Returns false if a calm one waited too long.
asio::awaitable<bool> take_turn(const KeeperParts& parts);

}  // namespace shelfd::oauth
