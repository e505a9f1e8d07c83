#include "sync/library/token_kind.hpp"

namespace shelfd::sync {

bool is_personal(const config::Library& library, const oauth::TokenStatus& set)
{
    const auto& configured = library.application.token_kind;
    return configured ? *configured == config::TokenKind::personal : set.from_login;
}

bool is_personal(const LibraryContext& context)
{
    return is_personal(context.library, context.keeper.status());
}

}  // namespace shelfd::sync
