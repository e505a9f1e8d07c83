// What a person gives as access token for a trial.
#pragma once

#include "base/secret.hpp"

namespace shelfd::ctl {

// As `auth import` accepts it. A token alone, with or without "Bearer " before it, becomes access_token=TOKEN: it may
// end in "=" (RFC 6750 section 2.1, b64token). A token response stays one.
Secret token_paste(const Secret& given);

}  // namespace shelfd::ctl
