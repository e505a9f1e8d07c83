#include "app/stores/search_rights.hpp"

#include "base/accounts/unknown_account.hpp"
#include "mirror/access/mirror_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

namespace shelfd::app {
namespace {

namespace fs = std::filesystem;
using storage::NamedRight;

bool is_same_account(const NamedRight& a, const NamedRight& b)
{
    return a.kind == b.kind && a.id == b.id;
}

std::set<NamedRight> wanted_by(const config::Libraries& libraries)
{
    std::set<NamedRight> wanted;
    const auto add = [&wanted](const Account& account) {
        if (is_known(account)) {
            wanted.insert({account.kind, account.id, storage::may_enter});
        }
    };
    for (const auto& library : libraries) {
        std::for_each(library->readers.begin(), library->readers.end(), add);
        if (library->admins) {
            add(*library->admins);
        }
    }
    return wanted;
}

std::set<NamedRight> given_before(const std::string& mirrors)
{
    std::set<NamedRight> given;
    std::error_code trouble;
    for (fs::directory_iterator entry(mirrors, trouble), end; !trouble && entry != end; entry.increment(trouble)) {
        std::error_code unknown;
        if (entry->symlink_status(unknown).type() == fs::file_type::directory) {
            for (const auto& account : mirror::find_mirror_access(entry->path().string())) {
                given.insert({account.kind, account.id, storage::may_enter});
            }
        }
    }
    return given;
}

}  // namespace

SearchRights plan_search_rights(const std::string& mirrors, const config::Libraries& libraries)
{
    const auto wanted = wanted_by(libraries);
    SearchRights rights{{wanted.begin(), wanted.end()}, {}};
    for (const auto& right : given_before(mirrors)) {
        if (!wanted.contains(right)) {
            rights.obsolete.push_back(right);
        }
    }
    return rights;
}

Result<void> grant_search_rights(const std::string& mirrors, const SearchRights& rights)
{
    if (rights.wanted.empty()) {
        return {};
    }
    SHELFD_TRY_ASSIGN(list, storage::read_access(mirrors));
    const auto before = list;
    for (const auto& right : rights.wanted) {
        const auto known = std::find_if(list.named.begin(), list.named.end(),
                                        [&](const NamedRight& one) { return is_same_account(one, right); });
        if (known == list.named.end()) {
            list.named.push_back(right);
        } else {
            known->permissions |= storage::may_enter;
        }
    }
    std::sort(list.named.begin(), list.named.end());
    return list == before ? Result<void>() : storage::write_access(mirrors, list);
}

void withdraw_search_rights(const std::string& mirrors, const SearchRights& rights)
{
    if (rights.obsolete.empty()) {
        return;
    }
    auto list = storage::read_access(mirrors);
    if (!list) {
        return;
    }
    // A right that somebody has widened is not ours.
    const auto withdrawn = std::erase_if(list->named, [&](const NamedRight& one) {
        return std::find(rights.obsolete.begin(), rights.obsolete.end(), one) != rights.obsolete.end();
    });
    if (withdrawn > 0) {
        (void)storage::write_access(mirrors, *list);
    }
}

control::Notice describe_closed(const std::string& library, const std::string& path, const Error& error)
{
    const auto what = library.empty() ? fmt::format("the readers of single libraries cannot pass through {}", path)
                                      : fmt::format("the readers of {} cannot read its mirror", library);
    const std::string until = library.empty() ? "" : "; until that is corrected, only the daemon's user can";
    if (storage::lacks_access_lists(error)) {
        return {fmt::format("{}: the file system mounted at {} keeps no access lists (ACLs){}", what,
                            storage::mount_of(path), until),
                "move storage.mirrors to ext4, XFS or Btrfs, mounted without noacl, or remove readers; then: shelfctl "
                "reload",
                std::nullopt};
    }
    return {fmt::format("{}: {}{}", what, error.text(), until), "correct that, then: shelfctl reload", std::nullopt};
}

}  // namespace shelfd::app
