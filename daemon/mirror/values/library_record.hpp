// What a mirror says about its library besides rows: token set, request limit, consumers.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

// A hook that is called after rounds.
struct ConsumerRecord {
    std::string hook;
    std::string position;       // of the change feed, up to which its calls were accepted; "" = not known
    std::uint64_t waiting = 0;  // calls that it has not accepted yet
    std::optional<Instant> waiting_since;
    std::string why;  // the last call was not accepted; "" = it was

    friend bool operator==(const ConsumerRecord&, const ConsumerRecord&) = default;
};

// The state of the token set, as it was recorded last.
struct RecordedTokenState {
    std::string state;  // the keeper's word
    std::optional<Instant> since;
};

// No secret is in it.
struct LibraryRecord {
    std::string token_state;  // the keeper's word
    bool token_needs_person = false;
    std::optional<Instant> token_since;
    std::string token_why;
    std::optional<Instant> token_expires_at;
    std::optional<Instant> token_next_refresh;
    std::optional<Instant> token_deadline;  // when syncing ends unless somebody acts
    std::string do_this;                    // what to type; "" = nothing
    std::string limit_group;
    std::optional<std::uint32_t> request_limit;  // a minute, in force; empty = none
    std::uint32_t requests_used = 0;             // of it
    std::optional<Instant> paused_until;
    // Empty: those in the mirror stay.
    std::optional<std::vector<ConsumerRecord>> consumers;

    friend bool operator==(const LibraryRecord&, const LibraryRecord&) = default;
};

}  // namespace shelfd::mirror
