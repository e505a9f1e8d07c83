// Since when a refresh that is due cannot be sent; reported at each change, not at each try.
#pragma once

#include "base/instant.hpp"
#include "runtime/log/log.hpp"

#include <optional>

namespace shelfd::oauth {

struct TokenFacts;

class Blockage {
public:
    // Once the machine rests; `facts` refer to this one.
    void record(const TokenFacts& facts, const Log& log);
    // Whether a person has to mend something: waiting alone does not.
    bool holds(const TokenFacts& facts) const;
    // Of a blockage that holds.
    Instant since(const TokenFacts& facts) const;

private:
    std::optional<Instant> reported_;  // the blockage that was reported last: since when
    std::optional<BootTime> unreachable_since_;
};

}  // namespace shelfd::oauth
