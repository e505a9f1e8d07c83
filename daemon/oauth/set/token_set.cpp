#include "oauth/set/token_set.hpp"

#include "base/sha256.hpp"

namespace shelfd::oauth {

TokenSet TokenSet::clone() const
{
    TokenSet copy;
    static_cast<SetFacts&>(copy) = *this;
    copy.access = access.clone();
    copy.refresh = refresh.clone();
    return copy;
}

std::string fingerprint(const Secret& token)
{
    const auto digest = sha256(token.reveal());
    return to_hex(std::span(digest).first(8));
}

}  // namespace shelfd::oauth
