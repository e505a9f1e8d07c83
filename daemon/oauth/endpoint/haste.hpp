// How soon an exchange with the token endpoint must be sent.
#pragma once

namespace shelfd::oauth {

enum class Haste {
    calm,      // the access token lives for long: another hour will do
    urgent,    // the access token does not work, or not for long, or a person waits
    in_doubt,  // an answer may be lost, and the time in which it can be asked for again is short
};

}  // namespace shelfd::oauth
