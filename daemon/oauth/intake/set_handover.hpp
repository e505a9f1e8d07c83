// Sets that leave or return: moved to another machine, adopted, forgotten.
//
// Before a moved set is returned, the mark "moved out" is durable on both copies and all older records are wiped: from
// then on this daemon neither uses nor refreshes it, even after a crash. So no crash leaves two owners. The set is not
// lost either: the mark contains the whole set, and until it has arrived elsewhere `shelfctl auth adopt` takes it back.
// Only a person can know whether it has arrived.
#pragma once

#include "oauth/intake/set_change.hpp"

namespace shelfd::oauth {

class SetHandover {
public:
    SetHandover(const KeeperParts& parts, SetChange& change) : parts_(parts), change_(change) {}

    asio::awaitable<Result<Secret>> move_out(std::string where);
    // Errors also: needs_person, if the access token was refused before its time, since another machine has then
    // refreshed the set.
    asio::awaitable<Result<void>> adopt();
    asio::awaitable<Result<void>> forget();
    // Asks the service to revoke the tokens that are here (RFC 7009); the set stays as it is. Errors: usage without a
    // configured path, without a set, or for a set that another machine uses; what the service or the network reports.
    asio::awaitable<Result<void>> revoke();

private:
    Result<void> check_move_out() const;
    Result<void> check_adoption() const;
    asio::awaitable<Result<void>> check_use_elsewhere();
    Result<void> check_revocation() const;
    asio::awaitable<Result<void>> revoke_one(Secret token, std::string_view hint);
    asio::awaitable<std::string> wipe_older_records();

    const KeeperParts& parts_;
    SetChange& change_;
};

}  // namespace shelfd::oauth
