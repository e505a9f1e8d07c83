#include "ctl/survey/facts.hpp"

#include "base/words/log_command.hpp"
#include "base/words/shell_word.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace shelfd::ctl {
namespace {

template <typename List, typename Test>
auto* first_that(const List& list, Test&& test)
{
    const auto found = std::find_if(list.begin(), list.end(), test);
    return found == list.end() ? nullptr : &*found;
}

}  // namespace

const UserFacts* People::find_user(uid_t uid) const
{
    return first_that(users, [&](const auto& one) { return one.uid == uid; });
}

const UserFacts* People::find_user(const std::string& name) const
{
    return first_that(users, [&](const auto& one) { return one.name == name; });
}

const GroupFacts* People::find_group(gid_t gid) const
{
    return first_that(groups, [&](const auto& one) { return one.gid == gid; });
}

const GroupFacts* People::find_group(const std::string& name) const
{
    return first_that(groups, [&](const auto& one) { return one.name == name; });
}

std::string People::user_name(uid_t uid) const
{
    const auto* user = find_user(uid);
    return user != nullptr ? user->name : std::to_string(uid);
}

std::string People::group_name(gid_t gid) const
{
    const auto* group = find_group(gid);
    return group != nullptr ? group->name : std::to_string(gid);
}

bool People::is_in(const UserFacts& user, gid_t gid) const
{
    if (user.gid == gid) {
        return true;
    }
    return std::any_of(groups.begin(), groups.end(), [&](const GroupFacts& group) {
        return group.gid == gid &&
               std::find(group.members.begin(), group.members.end(), user.name) != group.members.end();
    });
}

std::vector<std::string> People::users_of(gid_t gid) const
{
    std::vector<std::string> names;
    for (const auto& group : groups) {
        if (group.gid == gid) {
            names.insert(names.end(), group.members.begin(), group.members.end());
        }
    }
    for (const auto& user : users) {
        if (user.gid == gid) {
            names.push_back(user.name);
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

std::uint64_t MirrorFacts::wal_bytes() const
{
    const auto* wal = first_that(others, [&](const auto& one) { return one.path == file.path + "-wal"; });
    return wal != nullptr ? wal->bytes : 0;
}

bool Facts::is_configured(const std::string& library) const
{
    const auto* model = configuration();
    return model == nullptr || model->find_library(library) != nullptr;
}

std::string Facts::restart_command() const
{
    if (!system.of_user) {
        return "sudo systemctl restart " + unit_of(socket);
    }
    return system.unit.empty() ? "end the daemon, and start it again: " + start_command()
                               : "systemctl --user restart shelfd";
}

std::string Facts::start_command() const
{
    if (!system.of_user) {
        return "sudo systemctl start " + unit_of(socket);
    }
    return system.unit.empty() ? "shelfd --config " + shell_word(config.file) : "systemctl --user start shelfd";
}

std::optional<uid_t> Facts::daemon_user() const
{
    if (daemon.uid) {
        return daemon.uid;
    }
    if (const auto* user = system.unit_user.empty() ? nullptr : people.find_user(system.unit_user)) {
        return user->uid;
    }
    const auto* tokens_place = place("tokens");
    return tokens_place != nullptr && tokens_place->is_there() ? std::optional(tokens_place->uid) : std::nullopt;
}

const PathFacts* Facts::place(std::string_view key) const
{
    const auto* model = configuration();
    if (model == nullptr) {
        return nullptr;
    }
    const auto& storage = model->storage;
    const auto& path = key == "mirrors" ? storage.mirrors : key == "tokens" ? storage.tokens : storage.tokens_copy;
    return first_that(places, [&](const auto& one) { return !path.empty() && one.path == path; });
}

std::string mode_text(mode_t mode)
{
    return fmt::format("{:04o}", mode);
}

std::string size_text(double bytes)
{
    static constexpr std::array units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < units.size()) {
        bytes /= 1024;
        ++unit;
    }
    return unit == 0 || bytes >= 10 ? fmt::format("{:.0f} {}", bytes, units[unit])
                                    : fmt::format("{:.1f} {}", bytes, units[unit]);
}

}  // namespace shelfd::ctl
