// Looks at the directories of mirrors and of token sets.
#pragma once

#include "ctl/survey/facts.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

// A WAL of this size stays after a checkpoint; a larger one is pinned, or belongs to a large publication.
inline constexpr std::uint64_t large_wal = 32U << 20;

// One for each directory below `mirrors`, and for each configured library. If the directory cannot be read, it becomes
// `hidden`.
std::vector<MirrorFacts> look_at_mirrors(PathFacts& mirrors, const std::vector<std::string>& configured,
                                         std::int64_t daemon_pid);
// The same for token sets; `copy`: nullptr = no second directory. Names, owners and modes only.
std::vector<TokenFacts> look_at_tokens(PathFacts& tokens, PathFacts* copy, const std::vector<std::string>& configured);

}  // namespace shelfd::ctl
