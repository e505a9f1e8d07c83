// What people are told about a token set.
#pragma once

#include "control/status.hpp"
#include "oauth/token_keeper.hpp"

namespace shelfd::app {

control::TokenStatus report_token(const oauth::TokenKeeper& keeper);

}  // namespace shelfd::app
