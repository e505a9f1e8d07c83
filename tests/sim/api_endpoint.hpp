// The service's /api/v2/ paths, as Django REST Framework 3.14 answers them.
#pragma once

#include "sim/message.hpp"
#include "sim/world.hpp"

namespace shelfd::sim {

// Checks in DRF's order: path, slash, Accept, token, permission, throttle, method; then the view.
Reply api_answer(World& world, const Request& request);

// By the Authorization header (one only, "Bearer" in any case), else by ?access_token=. nothing: no token was sent.
std::optional<std::string> bearer_token(const Request& request);

}  // namespace shelfd::sim
