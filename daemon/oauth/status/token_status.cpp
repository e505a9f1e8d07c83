#include "oauth/status/token_status.hpp"

#include <cstdlib>

namespace shelfd::oauth {

const char* to_string(TokenState state)
{
    switch (state) {
    case TokenState::unreadable: return "unreadable";
    case TokenState::none: return "none";
    case TokenState::other_service: return "other_service";
    case TokenState::unstored: return "unstored";
    case TokenState::moved: return "moved";
    case TokenState::copied: return "copied";
    case TokenState::lost: return "lost";
    case TokenState::foreign: return "foreign";
    case TokenState::wrong_library: return "wrong_library";
    case TokenState::configuration: return "configuration";
    case TokenState::blocked: return "blocked";
    case TokenState::in_doubt: return "in_doubt";
    case TokenState::ended: return "ended";
    case TokenState::ends: return "ends";
    case TokenState::refreshing: return "refreshing";
    case TokenState::waiting: return "waiting";
    case TokenState::good: return "good";
    }
    std::abort();
}

bool needs_person(TokenState state)
{
    switch (state) {
    case TokenState::in_doubt:
    case TokenState::ends:
    case TokenState::refreshing:
    case TokenState::waiting:
    case TokenState::good: return false;
    default: return true;
    }
}

}  // namespace shelfd::oauth
