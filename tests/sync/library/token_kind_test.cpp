// Whose token a set holds.
#include "sync/library/token_kind.hpp"

#include "support/catch.hpp"

using namespace shelfd;

TEST_CASE("a set from a login is its user's own and any other one a service account's, unless the configuration says")
{
    config::Library library;
    oauth::TokenStatus imported;
    oauth::TokenStatus login;
    login.from_login = true;
    CHECK(sync::is_personal(library, login));
    CHECK_FALSE(sync::is_personal(library, imported));
    library.application.token_kind = config::TokenKind::service_account;
    CHECK_FALSE(sync::is_personal(library, login));
    CHECK_FALSE(sync::is_personal(library, imported));
    library.application.token_kind = config::TokenKind::personal;
    CHECK(sync::is_personal(library, login));
    CHECK(sync::is_personal(library, imported));
}
