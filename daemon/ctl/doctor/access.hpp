// Which user may read which file, by modes, owners, groups and access lists (ACLs). Pure. Capabilities are not
// considered.
#pragma once

#include "ctl/survey/facts.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

enum class Access { read, enter };

bool may(const UserFacts& user, Access access, const PathFacts& path, const People& people);
// Also through the directories above it.
bool may_read_below(const UserFacts& user, const std::vector<PathFacts>& parents, const PathFacts& file,
                    const People& people);

// Users who may read a mirror, besides root and the daemon's user.
struct MirrorReaders {
    std::string library;
    std::string group;                    // of the file
    std::vector<std::string> configured;  // `readers` of the library; none: the group
    std::vector<std::string> users;
    bool everybody = false;
};

// For the configured libraries whose mirror is there and may be looked at.
std::vector<MirrorReaders> find_readers(const Facts& facts);

}  // namespace shelfd::ctl
