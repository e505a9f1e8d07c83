// What a sentence about trouble says, without the names, numbers and values in it.
#pragma once

#include "control/model/cause.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::control {

// Pure. The words of `text` in lower case that are neither `library` nor one of `tables`; no numbers, no quoted text,
// and nothing in brackets. Two sentences of the same kind give the same words, whichever row or table they are about.
std::string words_in_common(std::string_view text, std::string_view library, const std::vector<std::string>& tables);

// The same for why a table does not advance: only the first clause, because what follows it tells details.
std::string reason_in_kind(std::string_view why, std::string_view library, const std::vector<std::string>& tables);

// Reasons of other kinds than those in the sentence of the first: what must be said where only that sentence is shown.
// 0 where sentences differ in what they count alone, as those of held rows.
std::size_t other_reasons(CauseKind kind, const std::vector<const Affected*>& affected);

// "; and 2 other reasons" after the sentence of the first; "" if there is none.
std::string describe_other_reasons(std::size_t count);

// In a cure for several tables, before the names of those that it does not spell out, and ")".
inline constexpr std::string_view same_for = " (and the same for ";

// Whether the deadline is when the first table becomes late: syncing continues as soon as the trouble ends by itself.
bool is_deadline_of_table(const Affected& affected);

}  // namespace shelfd::control
