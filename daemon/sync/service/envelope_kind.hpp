// Which kinds of frames around the pages of a list go together.
#pragma once

#include "mirror/values/answers.hpp"

#include <optional>

namespace shelfd::sync {

using mirror::Envelope;

// What is known after an answer of kind `seen` where `known` was known before; nothing = they do not go together.
std::optional<Envelope> agree(std::optional<Envelope> known, Envelope seen);
// The same for a page behind the first one of a walk: some services count on that one only.
std::optional<Envelope> agree_behind_first(Envelope known, Envelope seen);

}  // namespace shelfd::sync
