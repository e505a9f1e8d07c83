// An account of which only the name is known: nobody has it now, or the name service did not answer.
#pragma once

#include "base/accounts/accounts.hpp"

#include <string>
#include <utility>

namespace shelfd {

// No user and no group has this id: for chown(2) it means "unchanged".
inline constexpr std::uint32_t no_account_id = UINT32_MAX;

inline Account unknown_account(std::string name)
{
    return {Account::Kind::user, no_account_id, std::move(name)};
}

inline bool is_known(const Account& account)
{
    return account.id != no_account_id;
}

}  // namespace shelfd
