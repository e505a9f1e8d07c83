// What is wrong with a token set.
#pragma once

#include "control/model/cause.hpp"
#include "control/model/status.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::control {

// Empty for a set in order.
std::optional<CauseKind> kind_of_set(const TokenStatus& token);
// True for a set that works, of which a person must know how it came into force: it is not the one that was imported
// last, or an old one.
bool is_unexpected_set(const TokenStatus& token);

// Whether the set waits for the service, and nobody here can shorten that.
bool waits_alone(const TokenStatus& token);

// Whether the service's token endpoint fails, so that the set waits for it. Only the service can end that; after a
// while a person is asked to act.
bool is_failing_endpoint(const TokenStatus& token, CauseKind kind);

// Libraries share a cause if they share its origin, the service or the disk of the journals, and what ends it.
std::string scope_of_set(const LibraryStatus& library, CauseKind kind);

// What the daemon does until somebody acts, after "the daemon".
std::string next_of_set(const TokenStatus& token);
// When syncing stops unless somebody acts; of a set that no longer works, when it stopped.
std::optional<Instant> deadline_of_set(const TokenStatus& token, Severity severity, Instant now);
// Of a set without an access token that works, and that waits for the service alone.
Severity severity_of_wait(const LibraryStatus& library, Instant now);
Severity severity_of_set(const TokenStatus& token, CauseKind kind, Instant now);

}  // namespace shelfd::control
