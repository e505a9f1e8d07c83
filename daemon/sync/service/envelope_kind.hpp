// Decides which kinds of frames around the pages of a list are compatible.
#pragma once

#include "mirror/values/answers.hpp"

#include <optional>

namespace shelfd::sync {

using mirror::Envelope;

// The kind that is known after an answer of kind `seen`, if `known` was known before; empty if they are incompatible.
std::optional<Envelope> agree(std::optional<Envelope> known, Envelope seen);
// The same for a later page of a walk: some services send a count only on the first page.
std::optional<Envelope> agree_behind_first(Envelope known, Envelope seen);

}  // namespace shelfd::sync
