// A token set on its way to another machine: the document that leaves the one and enters the other.
#pragma once

#include "oauth/set/pasted_set.hpp"
#include "oauth/set/token_set.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace shelfd::oauth {

// What the document says about the set beside the set itself.
struct Provenance {
    std::string library;
    std::string service;
    std::string client_id;
    std::uint64_t generation = 0;
    std::string library_id;   // as the service says it; "" = not known
    bool from_login = false;  // see TokenSet
};

struct MovedSet {
    ImportedSet set;
    Provenance from;
};

// One line of JSON. A token response by its members, so that `auth import` can read it as well; its lifetime is what is
// left of it at `now`.
Secret write_moved_set(const TokenSet& set, const std::string& library, Instant now);

// Errors: usage, for what no move-out wrote; never quotes it.
Result<MovedSet> read_moved_set(std::string_view text);

}  // namespace shelfd::oauth
