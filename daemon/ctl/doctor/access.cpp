#include "ctl/doctor/access.hpp"

#include <algorithm>

#include <sys/stat.h>

namespace shelfd::ctl {
namespace {

bool grants(unsigned permissions, Access access)
{
    return (permissions & (access == Access::read ? storage::may_read : storage::may_enter)) != 0;
}

// In the order of acl(5): the user's own entry; else all groups, of which one is enough; else the others.
bool may_by_list(const UserFacts& user, Access access, const PathFacts& path, const People& people)
{
    const auto& list = *path.access;
    bool is_in_group = people.is_in(user, path.gid);
    bool may_group = is_in_group && grants(list.group, access);
    for (const auto& right : list.named) {
        if (right.kind == Account::Kind::user && right.id == user.uid) {
            return grants(right.permissions, access);
        }
        if (right.kind == Account::Kind::group && people.is_in(user, right.id)) {
            is_in_group = true;
            may_group = may_group || grants(right.permissions, access);
        }
    }
    return is_in_group ? may_group : grants(list.others, access);
}

}  // namespace

bool may(const UserFacts& user, Access access, const PathFacts& path, const People& people)
{
    if (user.uid == 0) {
        return true;
    }
    if (path.access && path.uid != user.uid) {
        return may_by_list(user, access, path, people);
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
        MirrorReaders readers{mirror.library, facts.people.group_name(mirror.file.gid), {}, {}, false};
        for (const auto& account : facts.configuration()->find_library(mirror.library)->readers) {
            readers.configured.push_back(account.name);
        }
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
