// Sets that leave, or come back: moved to another machine, adopted, forgotten.
//
// A set moves to another machine. The mark "moved away" is durable on both copies, and every older record is wiped,
// before anybody gets the set: from then on this daemon neither uses nor refreshes it, whatever crashes. So no crash
// leaves two owners. Nor is the set lost: a mark holds the whole set, and until it has arrived elsewhere
// `shelfctl auth adopt` takes it back. Only a person can know whether it has.
#pragma once

#include "oauth/intake/set_change.hpp"

namespace shelfd::oauth {

class SetHandover {
public:
    SetHandover(const KeeperParts& parts, SetChange& change) : parts_(parts), change_(change) {}

    asio::awaitable<Result<Secret>> move_out(std::string where);
    asio::awaitable<Result<void>> adopt();
    asio::awaitable<Result<void>> forget();

private:
    Result<void> check_move_out() const;
    Result<void> check_adoption() const;
    asio::awaitable<std::string> wipe_older_records();

    const KeeperParts& parts_;
    SetChange& change_;
};

}  // namespace shelfd::oauth
