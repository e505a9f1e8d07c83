// How soon an exchange with the token endpoint must be sent.
#pragma once

namespace shelfd::oauth {

enum class Haste {
    calm,      // the access token is valid for long; an hour later is early enough
    urgent,    // the access token does not work, or not for long, or a person waits
    in_doubt,  // an answer may be lost, and can be repeated only within a short time
};

}  // namespace shelfd::oauth
