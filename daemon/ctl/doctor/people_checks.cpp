#include "ctl/doctor/people_checks.hpp"

#include "base/words/shell_word.hpp"
#include "ctl/doctor/access.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <vector>

namespace shelfd::ctl {

Findings check_groups(const Facts& facts)
{
    Findings findings;
    const auto* model = facts.configuration();
    if (model == nullptr) {
        return findings;
    }
    for (const auto& [key, name, use] :
         {std::tuple("control.readers", model->control.readers, "read mirrors and status"),
          std::tuple("control.admins", model->control.admins, "use all commands")}) {
        if (name.empty()) {
            continue;
        }
        const auto* group = facts.people.find_group(name);
        if (group == nullptr) {
            findings.push_back(
                {"groups", Verdict::warning,
                 fmt::format("there is no group {} ({}), so only root and the daemon's user may {}", name, key, use),
                 fmt::format("sudo addgroup --system {}, then sudo systemctl restart shelfd", shell_word(name)),
                 false});
            continue;
        }
        const auto users = facts.people.users_of(group->gid);
        findings.push_back({"groups", Verdict::ok,
                            fmt::format("{} may {}: {}", name, use,
                                        users.empty() ? "nobody" : fmt::format("{}", fmt::join(users, ", "))),
                            "", false});
    }
    return findings;
}

Findings check_readers(const Facts& facts)
{
    Findings findings;
    const auto all = find_readers(facts);
    // Mirrors with the same readers are one line.
    std::map<std::string, std::vector<std::string>> libraries;
    bool anybody = false;
    for (const auto& one : all) {
        anybody = anybody || one.everybody || !one.users.empty();
        const auto who = one.everybody       ? std::string("every user of this machine")
                         : one.users.empty() ? std::string("nobody")
                                             : fmt::format("{} (group {})", fmt::join(one.users, ", "), one.group);
        libraries[who].push_back(one.library);
        if (one.everybody) {
            findings.push_back({"readers", Verdict::warning,
                                fmt::format("every user of this machine may read the mirror of {}", one.library),
                                "sudo shelfctl doctor --fix", false});
        }
    }
    for (const auto& [who, names] : libraries) {
        findings.push_back(
            {"readers", Verdict::ok,
             fmt::format("besides root and the daemon's user, {} may read {}", who, fmt::join(names, ", ")), "",
             false});
    }
    const auto* group = all.empty() ? nullptr : facts.people.find_group(facts.configuration()->control.readers);
    const auto daemon = facts.daemon_user();
    auto users = group != nullptr ? facts.people.users_of(group->gid) : std::vector<std::string>();
    std::erase_if(users, [&](const auto& name) {
        const auto* user = facts.people.find_user(name);
        return user != nullptr && (user->uid == 0 || user->uid == daemon);
    });
    if (group != nullptr && users.empty() && !anybody) {
        findings.push_back(
            {"readers", Verdict::advice,
             fmt::format("nobody but root and the daemon's user may read the mirrors: {} has no members", group->name),
             "sudo adduser NAME " + group->name, false});
    }
    return findings;
}

}  // namespace shelfd::ctl
