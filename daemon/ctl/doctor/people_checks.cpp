#include "ctl/doctor/people_checks.hpp"

#include "base/accounts/unknown_account.hpp"
#include "base/words/shell_word.hpp"
#include "ctl/doctor/access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace shelfd::ctl {
namespace {

std::string by_what(const MirrorReaders& readers)
{
    return readers.configured.empty() ? "group " + readers.group
                                      : fmt::format("readers = {}", fmt::join(readers.configured, ", "));
}

// Users whom `readers` or the group of admins names, besides root and the daemon's user.
std::set<std::string> entitled_users(const Facts& facts, const config::Library& library)
{
    std::set<std::string> names;
    auto accounts = library.readers;
    if (library.admins) {
        accounts.push_back(*library.admins);
    }
    for (const auto& account : accounts) {
        if (account.kind == Account::Kind::group) {
            const auto users = facts.people.users_of(account.id);
            names.insert(users.begin(), users.end());
        } else if (const auto* user = facts.people.find_user(account.id)) {
            names.insert(user->name);
        }
    }
    std::erase_if(names, [&](const std::string& name) {
        const auto* user = facts.people.find_user(name);
        return user != nullptr && (user->uid == 0 || user->uid == facts.daemon_user());
    });
    return names;
}

// Compares who may read a mirror with who is to read it.
std::optional<Finding> check_configured_readers(const Facts& facts, const MirrorReaders& found)
{
    const auto* library = facts.configuration()->find_library(found.library);
    if (library->readers.empty() || found.everybody) {
        return std::nullopt;
    }
    const auto entitled = entitled_users(facts, *library);
    const std::set<std::string> actual(found.users.begin(), found.users.end());
    std::vector<std::string> missing;
    std::vector<std::string> surplus;
    std::set_difference(entitled.begin(), entitled.end(), actual.begin(), actual.end(), std::back_inserter(missing));
    std::set_difference(actual.begin(), actual.end(), entitled.begin(), entitled.end(), std::back_inserter(surplus));
    if (!missing.empty()) {
        return Finding{
            "readers", Verdict::warning,
            fmt::format("{} may not read the mirror of {}, although its readers name them: a directory above "
                        "is closed to them, or the daemon could not set the access lists",
                        fmt::join(missing, ", "), found.library),
            "shelfctl reload, then: shelfctl status", false};
    }
    if (!surplus.empty()) {
        return Finding{"readers", Verdict::warning,
                       fmt::format("{} may read the mirror of {}, although its readers do not name them",
                                   fmt::join(surplus, ", "), found.library),
                       "shelfctl reload", false};
    }
    return std::nullopt;
}

// Whom `readers` names in vain.
Findings find_unknown_readers(const config::Configuration& configuration)
{
    Findings findings;
    for (const auto& library : configuration.libraries) {
        for (const auto& reader : library.readers) {
            if (!is_known(reader)) {
                findings.push_back({"readers", Verdict::warning,
                                    fmt::format("`readers` of {} names {}, who is not known on this machine and is "
                                                "granted nothing",
                                                library.name, reader.name),
                                    fmt::format("sudo groupadd {}; or remove the name, then: shelfctl reload",
                                                shell_word(reader.name)),
                                    false});
            }
        }
    }
    return findings;
}

}  // namespace

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
                 facts.system.of_user
                     ? fmt::format("write {} = \"\" or a group of yours in {}, then: {}", key, facts.config.file,
                                   facts.restart_command())
                     : fmt::format("sudo addgroup --system {}, then {}", shell_word(name), facts.restart_command()),
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
    auto findings = facts.configuration() != nullptr ? find_unknown_readers(*facts.configuration()) : Findings();
    const auto all = find_readers(facts);
    // Mirrors with the same readers are one line.
    std::map<std::string, std::vector<std::string>> libraries;
    bool anybody = false;
    for (const auto& one : all) {
        anybody = anybody || one.everybody || !one.users.empty();
        const auto who = one.everybody       ? std::string("every user of this machine")
                         : one.users.empty() ? std::string("nobody")
                                             : fmt::format("{} ({})", fmt::join(one.users, ", "), by_what(one));
        libraries[who].push_back(one.library);
        if (one.everybody) {
            findings.push_back({"readers", Verdict::warning,
                                fmt::format("every user of this machine may read the mirror of {}", one.library),
                                facts.system.of_user ? "shelfctl doctor --fix" : "sudo shelfctl doctor --fix", false});
        }
        if (auto finding = check_configured_readers(facts, one)) {
            findings.push_back(std::move(*finding));
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
    // A user's own daemon has no other readers, unless that is wanted.
    if (group != nullptr && users.empty() && !anybody && !facts.system.of_user) {
        findings.push_back(
            {"readers", Verdict::advice,
             fmt::format("nobody but root and the daemon's user may read the mirrors: {} has no members", group->name),
             "sudo adduser NAME " + shell_word(group->name), false});
    }
    return findings;
}

}  // namespace shelfd::ctl
