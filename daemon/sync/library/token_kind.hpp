// Whose token it is: a service account's, bound to one library, or a person's, which follows its user to another one.
#pragma once

#include "config/model/model.hpp"
#include "oauth/status/token_status.hpp"

namespace shelfd::sync {

// As configured; where `token_kind` is not, a set from a login is its user's own (the specification), and any other one
// a service account's.
bool is_personal(const config::Library& library, const oauth::TokenStatus& set);

}  // namespace shelfd::sync
