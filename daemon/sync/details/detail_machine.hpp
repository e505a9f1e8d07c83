// Decides what an answer for one item means for that item, and for the queue of all of them.
#pragma once

#include "base/backoff.hpp"
#include "base/instant.hpp"
#include "sync/trouble/trouble.hpp"

#include <cstdint>
#include <optional>

namespace shelfd::sync {

enum class DetailEvent {
    item,          // 200 with something to read
    gone,          // 404 in the service's own JSON
    refused,       // 403
    unauthorized,  // 401
    throttled,     // 429, 503 with Retry-After: the limiter waits
    passing,       // 5xx, 408, time-out, reset, cut, too large, HTML: worth another try
    unusable,      // any other status: the address, or what was sent along, is wrong
    no_address,    // the row names no address of ours: nothing was sent
};

enum class DetailAction {
    keep,         // hand the item to the mirror
    drop,         // the item has no detail (any more)
    postpone,     // ask for it again after `wait`; the others go on
    leave,        // it stays where it is in the queue, and nothing more is asked in this turn
    renew_token,  // report the 401 to the keeper, then ask again
};

struct DetailVerdict {
    DetailAction action = DetailAction::keep;
    Duration wait{};  // of postpone; of keep, should the item prove not to be readable
};

// What happened to one item so far.
struct DetailTry {
    std::uint32_t failures = 0;  // in a row, in earlier turns
    bool renewed = false;        // the token, in this turn
    bool has_detail = false;     // from an earlier turn
};

// No I/O, no clock, no log. One object for each resource with details, as long as the daemon runs. One bad item never
// holds up the others: it is postponed, with growing waits. Only when nothing but trouble of one kind was heard for a
// while does the queue wait, and after the wait one item alone is tried, out of the middle of those that never failed.
// Once an item was read, only those count that fail for the first time: the same few bad ones, tried again together,
// say nothing of all others. Where such a try ends a wait, the bad ones stood together, and there may be more of them:
// twice as many in a row are borne from then on, up to 64 times as many, and half as many after each batch of good ones
// alone.
//
//   event          action                             in a row, without an item read between, and what the queue does
//   item           keep                               -
//   gone           drop (see below: as refused)       20, nothing ever fetched: needs_person
//   gone, though it had a detail                      10: forbidden
//   refused        postpone (15 min, doubling)      5: forbidden
//   unauthorized   renew_token (renewed: as refused)
//   throttled      leave (then one item alone is tried)  20: passing
//   passing        postpone (1 min, doubling)       3: passing
//   unusable       postpone (1 min, doubling)       10: needs_person
//   no_address     postpone (1 day)                 20, nothing ever fetched: needs_person
//   (unreadable: see items_read)                      10: needs_person
//   So many that were there and all are gone, while the list still shows them, were not deleted: a permission shrank.
//   From the tenth on nothing is dropped, and whoever drives this gives up what he was about to drop.
//   The queue waits 15 s … 15 min for what passes, 15 min … 1 h for what somebody has to act on (half of a doubling
//   delay, and up to all of it by chance: see Backoff).
class DetailMachine {
public:
    DetailVerdict heard(DetailEvent event, const DetailTry& item, double random);
    // Of the items handed to the mirror so many were such as it takes, and so many not; of these so many were tried for
    // the first time.
    void items_read(std::uint64_t good, std::uint64_t unreadable, std::uint64_t for_the_first_time);
    // Details are in the mirror already: addresses that lead nowhere are a matter of these items.
    void something_is_there() { fetched_ever_ = true; }

    // The trouble that makes the queue wait; none while it goes on.
    Trouble trouble() const;
    // How long it waits now for trouble of this kind, the keeper's and the disk's included; a longer time with each
    // call.
    Duration pause(Trouble trouble, double random);
    // Items that had a detail are gone, one after the other: no single one of them is believed.
    bool has_lost_many() const;
    // In trouble, and where the service asked for a pause, one item is tried first.
    bool tries_one() const { return trouble() != Trouble::none || in_a_row_[throttled] > 0; }

private:
    enum Kind { gone, lost, refused, passing, unusable, unreadable, no_address, throttled, kinds };
    static DetailVerdict postpone(Duration first, std::uint32_t failures, double random);
    DetailVerdict fail(Kind kind, Duration first, std::uint32_t failures, double random);
    bool is_news(std::uint32_t failures) const { return failures == 0 || !read_any_; }
    void heard_otherwise();
    void forget();

    std::uint32_t in_a_row_[kinds] = {};
    std::uint32_t patience_ = 1;  // times the numbers of the table
    bool has_waited_ = false;     // and heard of no good item since
    bool fetched_ever_ = false;
    bool read_any_ = false;  // since this object is there
    Backoff quick_{std::chrono::seconds(30), std::chrono::minutes(15)};
    Backoff slow_{std::chrono::minutes(30), std::chrono::hours(1)};
};

}  // namespace shelfd::sync
