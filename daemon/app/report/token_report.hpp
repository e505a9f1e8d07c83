// Makes the status of a token set from its keeper.
#pragma once

#include "control/model/status.hpp"
#include "oauth/keeper/token_keeper.hpp"

namespace shelfd::app {

control::TokenStatus report_token(const oauth::TokenKeeper& keeper);

}  // namespace shelfd::app
