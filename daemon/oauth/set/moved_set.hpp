// The document in which a token set moves from one machine to another.
#pragma once

#include "oauth/set/pasted_set.hpp"
#include "oauth/set/token_set.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace shelfd::oauth {

// Origin of the set, as the document states it.
struct Provenance {
    std::string library;
    std::string service;
    std::string client_id;
    std::uint64_t generation = 0;
    std::string library_id;   // as the service reports it; "" = unknown
    bool from_login = false;  // see TokenSet
};

struct MovedSet {
    ImportedSet set;
    Provenance from;
};

// Returns one line of JSON with the members of a token response, which `auth import` can read as well. `expires_in` is
// the lifetime left at `now`.
Secret write_moved_set(const TokenSet& set, const std::string& library, Instant now);

// Fails with kind usage if `move-out` of this version did not write the text. The error never quotes the text.
Result<MovedSet> read_moved_set(std::string_view text);

}  // namespace shelfd::oauth
