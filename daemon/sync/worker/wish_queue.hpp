// What people want of one table.
#pragma once

#include "sync/rounds/window_rounds.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace shelfd::sync {

enum class Wanted {
    ordinary,        // what keeps the table fresh
    full,            // the whole list, for its schedule or to check it again
    full_by_person,  // the same, asked for: whatever kind of answer comes is taken
    backfill,        // what is worth its requests while nothing is due: older windows of a ledger, lists of new parents
};

// What somebody wants, and of which stretch of a ledger.
struct Wish {
    Wanted wanted = Wanted::ordinary;
    std::optional<TimeRange> range = {};  // with full_by_person
    bool anew = false;                    // what a round did before it was cut short does not count
    bool repeats = false;                 // the pass before proved nothing, and this one follows at once

    friend bool operator==(const Wish&, const Wish&) = default;
};

// A pass for each wish, in their order. Loop only.
class WishQueue {
public:
    // With `one_for_all`, one pass does what all wishes that wait want: one over the whole list does what any other
    // does. Windows of a ledger do not stand for each other.
    enum class Join { one_for_all, equal_ones };
    explicit WishQueue(Join join) : join_(join) {}

    // How many passes go before the one that fulfils `wish`.
    std::size_t add(const Wish& wish);
    // The next one; wishes that come later are for the pass after it.
    std::optional<Wish> take();
    std::optional<Wish> next() const;
    bool empty() const { return wishes_.empty(); }

private:
    Join join_;
    std::vector<Wish> wishes_;
};

}  // namespace shelfd::sync
