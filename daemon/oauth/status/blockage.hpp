// Since when a refresh that is due cannot be sent. Logged at each change, not at each attempt.
#pragma once

#include "base/instant.hpp"
#include "runtime/log/log.hpp"

#include <optional>

namespace shelfd::oauth {

struct TokenFacts;

class Blockage {
public:
    // Call whenever the machine rests. `facts.blockage` must be this object.
    void record(const TokenFacts& facts, const Log& log);
    // True if a person has to correct something: waiting alone does not end it.
    bool holds(const TokenFacts& facts) const;
    // Start of a blockage that holds.
    Instant since(const TokenFacts& facts) const;

private:
    std::optional<Instant> reported_;  // start of the blockage that was logged last
    std::optional<BootTime> unreachable_since_;
};

}  // namespace shelfd::oauth
