// Kinds of frames around the pages of a list: which are compatible, and what is said of an answer that has none.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"
#include "mirror/values/answers.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::sync {

using mirror::Envelope;

// The kind that is known after an answer of kind `seen`, if `known` was known before; empty if they are incompatible.
std::optional<Envelope> agree(std::optional<Envelope> known, Envelope seen);
// The same for a later page of a walk: some services send a count only on the first page.
std::optional<Envelope> agree_behind_first(Envelope known, Envelope seen);

// An answer that is no page of a list. It is no JSON, or broken: protocol.
Error unreadable(std::string_view what);
// It cannot be read as it is configured; `cure` says what to check: config.
Error misfit(std::string why, std::string cure);
// It is JSON of another shape than `answers` says; `seen` says which: config.
Error other_shape(std::string_view seen, config::Answers answers);
// It is one object without the rows of a list; if members hold arrays, says which, with the cure
// CureKind::check_path_or_object: config.
Error no_rows(std::string_view object);
// A member has another type than it has at any list, so what stands at that address is none: config.
Error other_type(std::string_view member, std::string_view wanted);

}  // namespace shelfd::sync
