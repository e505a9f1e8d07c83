// Decides what an answer for one item means for that item and for the whole queue.
#pragma once

#include "base/backoff.hpp"
#include "base/instant.hpp"
#include "sync/trouble/trouble.hpp"

#include <cstdint>
#include <set>
#include <string>

namespace shelfd::sync {

enum class DetailEvent {
    item,          // 200 with a body that may be an item
    gone,          // 404 with JSON of the service
    refused,       // 403
    unauthorized,  // 401
    throttled,     // 429, or 403 that names a limit: the limiter waits
    closed,        // 503, or another answer, that asks for a wait which may be about this address only
    passing,       // 5xx, 408, timeout, reset, truncated, too large, HTML: retried
    unusable,      // any other status: the address or the request is wrong
    no_address,    // the row has no address at the service's origin: nothing was sent
};

enum class DetailAction {
    keep,         // give the item to the mirror
    drop,         // the item has no detail, or no longer
    postpone,     // request it again after `wait`; the others continue
    leave,        // it keeps its place in the queue, and this turn sends no more requests
    renew_token,  // report the 401 to the keeper, then repeat the request
};

struct DetailVerdict {
    DetailAction action = DetailAction::keep;
    Duration wait{};  // for postpone; for keep, if the item turns out to be unreadable
};

// The history of one item.
struct DetailTry {
    std::uint32_t failures = 0;  // in a row, in earlier turns
    bool renewed = false;        // the token was renewed in this turn, or the canary accepted it after a 401
    bool has_detail = false;     // from an earlier turn
    std::string key = {};
    Duration told{};  // the wait that the answer asks for; 0 = none
};

// No I/O, clock or log. One object for each resource with details, for the life of the daemon. A bad item never delays
// the others: it is postponed, with growing waits. The queue waits only after many failures of one kind in a row; then
// a single item is tried, from the middle of those that never failed. Once an item was read, only first failures count:
// a few bad items that are tried again together show nothing about the others. If such a try ends a wait, the bad items
// were neighbours, and there may be more: twice as many in a row are then allowed, up to 64 times as many, and half as
// many after each batch of good items only.
//
//   event          action                             so many in a row without a readable item: state of queue
//   item           keep                               -
//   gone           drop (see below: as refused)       20, nothing ever fetched: needs_person
//   gone, but had a detail                            10: forbidden
//   refused        postpone (15 min, doubling)      5: forbidden
//   unauthorized   renew_token (renewed, or it works: as refused)
//   throttled      leave (then one item alone is tried)  20: passing
//   throttled, and had been left before: postpone (1 min, doubling)
//   closed         postpone (1 min, doubling)       3: passing
//   passing        postpone (1 min, doubling)       3: passing
//   unusable       postpone (1 min, doubling)       10: needs_person
//   no_address     postpone (1 day)                 20, nothing ever fetched: needs_person
//   (unreadable: see items_read)                      10: needs_person
//   An item is postponed at least as long as its answer asks for.
//   Many items with details that are gone in a row, while the list shows them, were not deleted: a permission shrank.
//   From the tenth on none is dropped, and the driver keeps those that it was about to drop.
//   The queue waits 15 s … 15 min for passing trouble, 15 min … 1 h if somebody has to act (from half of a doubling
//   delay to all of it, at random: see Backoff).
class DetailMachine {
public:
    DetailVerdict heard(DetailEvent event, const DetailTry& item, double random);
    // Counts of the items given to the mirror: accepted, rejected, and rejected on their first try.
    void items_read(std::uint64_t good, std::uint64_t unreadable, std::uint64_t for_the_first_time);
    // The token of the latest answers was replaced, perhaps because it was dead: they show nothing.
    void token_replaced();
    // The mirror has details already: addresses without an item concern only these items.
    void something_is_there() { fetched_ever_ = true; }

    // The trouble for which the queue waits; none while it continues.
    Trouble trouble() const;
    // Returns how long the queue waits now for trouble of this kind (also the keeper's or the disk's); grows with each
    // call.
    Duration pause(Trouble trouble, double random);
    // Many items that had a detail are gone, one after the other: none of these answers is believed.
    bool has_lost_many() const;
    // After trouble, and after the service asked for a pause, one item is tried first.
    bool tries_one() const { return trouble() != Trouble::none || in_a_row_[throttled] > 0; }

private:
    enum Kind { gone, lost, refused, passing, unusable, unreadable, no_address, throttled, kinds };
    static DetailVerdict postpone(Duration first, const DetailTry& item, double random);
    DetailVerdict fail(Kind kind, Duration first, const DetailTry& item, double random);
    DetailVerdict throttle(const DetailTry& item, double random);
    bool is_news(std::uint32_t failures) const { return failures == 0 || !read_any_; }
    void heard_otherwise();
    void forget();

    std::uint32_t in_a_row_[kinds] = {};
    std::set<std::string> left_;  // keys of items that were throttled, and not answered otherwise since
    std::uint32_t patience_ = 1;  // factor for the numbers of the table
    bool has_waited_ = false;     // and no item was accepted since
    bool fetched_ever_ = false;
    bool read_any_ = false;  // since this object was made
    Backoff quick_{std::chrono::seconds(30), std::chrono::minutes(15)};
    Backoff slow_{std::chrono::minutes(30), std::chrono::hours(1)};
};

}  // namespace shelfd::sync
