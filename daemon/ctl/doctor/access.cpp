#include "ctl/doctor/access.hpp"

#include <algorithm>

#include <sys/stat.h>

namespace shelfd::ctl {

bool may(const UserFacts& user, Access access, const PathFacts& path, const People& people)
{
    if (user.uid == 0) {
        return true;
    }
    const mode_t bit = access == Access::read ? S_IROTH : S_IXOTH;
    constexpr unsigned owner_shift = 6;
    constexpr unsigned group_shift = 3;
    const unsigned shift = path.uid == user.uid ? owner_shift : people.is_in(user, path.gid) ? group_shift : 0;
    return (path.mode >> shift & bit) != 0;
}

bool may_read_below(const UserFacts& user, const std::vector<PathFacts>& parents, const PathFacts& file,
                    const People& people)
{
    return std::all_of(parents.begin(), parents.end(),
                       [&](const auto& parent) {
                           return parent.kind != PathFacts::Kind::directory || may(user, Access::enter, parent, people);
                       }) &&
           may(user, Access::read, file, people);
}

std::vector<MirrorReaders> find_readers(const Facts& facts)
{
    std::vector<MirrorReaders> all;
    const auto* mirrors = facts.place("mirrors");
    if (mirrors == nullptr) {
        return all;
    }
    const auto daemon = facts.daemon_user();
    for (const auto& mirror : facts.mirrors) {
        if (mirror.file.kind != PathFacts::Kind::file || !facts.is_configured(mirror.library)) {
            continue;
        }
        auto parents = facts.parents_of_mirrors;
        parents.push_back(*mirrors);
        parents.push_back(mirror.directory);
        MirrorReaders readers{mirror.library, facts.people.group_name(mirror.file.gid), {}, false};
        // No owner, and in no group.
        const UserFacts stranger{"", static_cast<uid_t>(-1), static_cast<gid_t>(-1)};
        readers.everybody = may_read_below(stranger, parents, mirror.file, facts.people);
        for (const auto& user : facts.people.users) {
            const bool always = user.uid == 0 || user.uid == daemon;
            if (!always && !readers.everybody && may_read_below(user, parents, mirror.file, facts.people)) {
                readers.users.push_back(user.name);
            }
        }
        std::sort(readers.users.begin(), readers.users.end());
        all.push_back(std::move(readers));
    }
    return all;
}

}  // namespace shelfd::ctl
