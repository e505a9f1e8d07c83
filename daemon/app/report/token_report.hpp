// From the keeper of a token set to its status.
#pragma once

#include "control/model/status.hpp"
#include "oauth/keeper/token_keeper.hpp"

namespace shelfd::app {

control::TokenStatus report_token(const oauth::TokenKeeper& keeper);

}  // namespace shelfd::app
