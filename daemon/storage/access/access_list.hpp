// POSIX access lists (ACLs) of files and directories: rights of single users and groups besides owner, group and mode.
#pragma once

#include "base/accounts/accounts.hpp"
#include "base/result.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace shelfd::storage {

// Sums of these, as in modes.
enum Permission : unsigned { may_enter = 1, may_write = 2, may_read = 4 };

// The right of one user or group.
struct NamedRight {
    Account::Kind kind = Account::Kind::group;
    std::uint32_t id = 0;
    unsigned permissions = 0;

    auto operator<=>(const NamedRight&) const = default;
};

// Rights in effect: what the list's mask forbids is not among them.
struct AccessList {
    unsigned owner = 0;
    unsigned group = 0;  // the owning group
    unsigned others = 0;
    std::vector<NamedRight> named = {};  // ascending, each account once

    friend bool operator==(const AccessList&, const AccessList&) = default;
};

enum class ListKind {
    access,   // of the file or directory itself
    default_  // of a directory: what is created in it begins with these rights
};

// All functions follow links, open no file, and block. Errors: as errno_error, with ENOTSUP if the file system keeps no
// access lists (see `lacks_access_lists`).

// Without an access list, the rights of the mode. A directory without a default list has an empty one: nobody named,
// and no rights.
Result<AccessList> read_access(const std::string& path, ListKind kind = ListKind::access);
// Replaces the list; its mask forbids nothing. Without named rights, only the mode remains.
Result<void> write_access(const std::string& path, const AccessList& list, ListKind kind = ListKind::access);
Result<void> remove_default_access(const std::string& directory);

bool lacks_access_lists(const Error& error);

// The directory at which the file system of `path` is mounted, as far as that can be seen.
std::string mount_of(const std::string& path);

}  // namespace shelfd::storage
