#include "ctl/survey/people.hpp"

#include <grp.h>
#include <pwd.h>

namespace shelfd::ctl {
namespace {

// A directory service may list the users of a whole company.
constexpr std::size_t max_entries = 100'000;

GroupFacts group_from(const group& entry)
{
    GroupFacts facts{entry.gr_name, entry.gr_gid, {}};
    for (char** member = entry.gr_mem; member != nullptr && *member != nullptr; ++member) {
        facts.members.emplace_back(*member);
    }
    return facts;
}

void add_user(People& people, const passwd* entry)
{
    if (entry != nullptr && people.find_user(entry->pw_uid) == nullptr) {
        people.users.push_back({entry->pw_name, entry->pw_uid, entry->pw_gid});
    }
}

}  // namespace

People read_people(const std::vector<std::string>& wanted)
{
    People people;
    ::setpwent();
    for (const passwd* entry = ::getpwent(); entry != nullptr && people.users.size() < max_entries;
         entry = ::getpwent()) {
        people.users.push_back({entry->pw_name, entry->pw_uid, entry->pw_gid});
    }
    ::endpwent();
    ::setgrent();
    for (const group* entry = ::getgrent(); entry != nullptr && people.groups.size() < max_entries;
         entry = ::getgrent()) {
        people.groups.push_back(group_from(*entry));
    }
    ::endgrent();
    for (const auto& name : wanted) {
        const group* entry = people.find_group(name) == nullptr ? ::getgrnam(name.c_str()) : nullptr;
        if (entry == nullptr) {
            continue;
        }
        people.groups.push_back(group_from(*entry));
        for (const auto& member : people.groups.back().members) {
            add_user(people, ::getpwnam(member.c_str()));
        }
    }
    return people;
}

}  // namespace shelfd::ctl
