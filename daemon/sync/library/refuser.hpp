// An address that refused the token with 401, and may confirm in place of an unfit canary that the token is dead.
#pragma once

#include "oauth/endpoint/canary.hpp"
#include "sync/library/context.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::sync {

// `target` at the service's origin, if `resource` was published with requests of `generation`, the present set: an
// address that never accepted it may refuse every token. Otherwise empty.
asio::awaitable<std::optional<oauth::CanarySpec>> refuser_of(LibraryContext& context, const std::string& resource,
                                                             std::string target, std::uint64_t generation);
// The same for the address of one item, whose detail was fetched at `accepted_at`.
std::optional<oauth::CanarySpec> refuser_of(LibraryContext& context, std::string target, std::uint64_t generation,
                                            std::optional<Instant> accepted_at);

}  // namespace shelfd::sync
