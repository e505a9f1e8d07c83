// Users and groups of this machine, by its name service.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace shelfd {

struct Account {
    enum class Kind { group, user };

    Kind kind = Kind::group;
    std::uint32_t id = 0;
    std::string name;

    friend bool operator==(const Account&, const Account&) = default;
};

// These functions block: they ask the name service. Any thread. Errors: storage, if the name service fails.

// Empty if no group has that name.
Result<std::optional<gid_t>> find_group(const std::string& name);
Result<std::optional<uid_t>> find_user(const std::string& name);
// The group of that name or, if there is none, the user.
Result<std::optional<Account>> find_account(const std::string& name);

// "erik"; "uid 1007" for a user whose name is not known.
std::string name_of_user(uid_t uid);

}  // namespace shelfd
