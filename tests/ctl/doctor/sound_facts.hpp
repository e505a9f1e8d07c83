// An installation without a fault, as facts; a test plants one.
#pragma once

#include "ctl/survey/facts.hpp"

namespace shelfd::ctl {

// One library, antwerp, with a mirror and a token set; user shelfd, readers alice (member) and bob (primary group).
Facts sound_facts();

PathFacts directory_facts(const std::string& path, mode_t mode, uid_t uid, gid_t gid);
PathFacts file_facts(const std::string& path, mode_t mode, uid_t uid, gid_t gid, std::uint64_t bytes = 4096);

}  // namespace shelfd::ctl
