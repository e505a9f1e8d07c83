#include "base/accounts/accounts.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include <grp.h>
#include <pwd.h>

namespace shelfd {
namespace {

// Calls `ask(entry, buffer, size, found)` with a buffer that is large enough: a group may have many members. Returns
// an error number for which no entry was found, else 0.
template <typename Entry, typename Ask>
int ask_with_room(Entry& entry, std::vector<char>& buffer, Entry*& found, const Ask& ask)
{
    constexpr std::size_t most = 16U << 20U;
    buffer.resize(4096);
    for (;;) {
        const int failed = ask(&entry, buffer.data(), buffer.size(), &found);
        if (failed == ERANGE && buffer.size() < most) {
            buffer.resize(buffer.size() * 2);
            continue;
        }
        // POSIX allows each of these for "no such entry", depending on the name service.
        const bool is_none = failed == ENOENT || failed == ESRCH || failed == EBADF || failed == EPERM;
        return is_none ? 0 : failed;
    }
}

Error unanswered(const char* kind, const std::string& name, int number)
{
    return Error(ErrorKind::storage, fmt::format("cannot look up the {} {}: {}", kind, name, std::strerror(number)))
        .with_errno(number);
}

}  // namespace

Result<std::optional<gid_t>> find_group(const std::string& name)
{
    group entry{};
    group* found = nullptr;
    std::vector<char> buffer;
    const auto ask = [&name](group* into, char* room, std::size_t size, group** there) {
        return ::getgrnam_r(name.c_str(), into, room, size, there);
    };
    if (const int failed = ask_with_room(entry, buffer, found, ask); failed != 0) {
        return unanswered("group", name, failed);
    }
    return found != nullptr ? std::optional(found->gr_gid) : std::nullopt;
}

Result<std::optional<uid_t>> find_user(const std::string& name)
{
    passwd entry{};
    passwd* found = nullptr;
    std::vector<char> buffer;
    const auto ask = [&name](passwd* into, char* room, std::size_t size, passwd** there) {
        return ::getpwnam_r(name.c_str(), into, room, size, there);
    };
    if (const int failed = ask_with_room(entry, buffer, found, ask); failed != 0) {
        return unanswered("user", name, failed);
    }
    return found != nullptr ? std::optional(found->pw_uid) : std::nullopt;
}

Result<std::optional<Account>> find_account(const std::string& name)
{
    SHELFD_TRY_ASSIGN(group_id, find_group(name));
    if (group_id) {
        return std::optional(Account{Account::Kind::group, *group_id, name});
    }
    SHELFD_TRY_ASSIGN(user_id, find_user(name));
    return user_id ? std::optional(Account{Account::Kind::user, *user_id, name}) : std::nullopt;
}

std::string name_of_user(uid_t uid)
{
    passwd entry{};
    passwd* found = nullptr;
    std::vector<char> buffer;
    const auto ask = [uid](passwd* into, char* room, std::size_t size, passwd** there) {
        return ::getpwuid_r(uid, into, room, size, there);
    };
    const int failed = ask_with_room(entry, buffer, found, ask);
    return failed == 0 && found != nullptr ? std::string(found->pw_name) : fmt::format("uid {}", uid);
}

}  // namespace shelfd
