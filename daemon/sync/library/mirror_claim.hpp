// Keeps the rows of another library out of a mirror, whatever token set is given later.
#pragma once

#include "sync/library/context.hpp"
#include "sync/library/identity_check.hpp"

namespace shelfd::sync {

enum class Claim {
    look,  // check that the mirror is ours or unclaimed
    take,  // the same, and claim it
};

// Compares service and library with those stored at the first publication. Returns trouble wrong_library, with the
// cure, if they differ. A library without an identity is not compared.
asio::awaitable<IdentityCheck::Answer> claim_mirror(LibraryContext& context, Claim claim);

}  // namespace shelfd::sync
