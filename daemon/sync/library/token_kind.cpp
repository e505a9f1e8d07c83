#include "sync/library/token_kind.hpp"

namespace shelfd::sync {

bool is_personal(const config::Library& library, const oauth::TokenStatus& set)
{
    const auto& configured = library.application.token_kind;
    return configured ? *configured == config::TokenKind::personal : set.from_login;
}

}  // namespace shelfd::sync
