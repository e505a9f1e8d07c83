#include "oauth/set/token_set.hpp"

#include "base/sha256.hpp"

namespace shelfd::oauth {

TokenSet TokenSet::clone() const
{
    TokenSet copy;
    copy.generation = generation;
    copy.access = access.clone();
    copy.refresh = refresh.clone();
    copy.token_type = token_type;
    copy.scope = scope;
    copy.issued = issued;
    copy.lifetime = lifetime;
    copy.origin = origin;
    copy.moved_at = moved_at;
    copy.moved_to = moved_to;
    copy.keep = keep;
    copy.service = service;
    copy.client_id = client_id;
    copy.library_id = library_id;
    copy.from_login = from_login;
    copy.learned = learned;
    copy.pace = pace;
    return copy;
}

std::string fingerprint(const Secret& token)
{
    const auto digest = sha256(token.reveal());
    return to_hex(std::span(digest).first(8));
}

}  // namespace shelfd::oauth
