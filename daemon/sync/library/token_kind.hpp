// The kind of a token set: a service account's, bound to one library, or personal, which follows its user to another.
#pragma once

#include "config/model/model.hpp"
#include "oauth/status/token_status.hpp"

namespace shelfd::sync {

// As configured. Without `token_kind`, a set from a login is personal (by the specification), others are not.
bool is_personal(const config::Library& library, const oauth::TokenStatus& set);

}  // namespace shelfd::sync
