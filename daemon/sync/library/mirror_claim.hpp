// Whose rows a mirror holds: another library's never join them, whatever token set is given later.
#pragma once

#include "sync/library/context.hpp"
#include "sync/library/identity_check.hpp"

namespace shelfd::sync {

enum class Claim {
    look,  // is this mirror ours, or nobody's yet?
    take,  // the same, and from now on it is ours
};

// Compares service and library with those noted at the first publication. Trouble wrong_library, with what to do, when
// they differ; what nothing names (a library without an identity) is not compared.
asio::awaitable<IdentityCheck::Answer> claim_mirror(LibraryContext& context, Claim claim);

}  // namespace shelfd::sync
