// What people and the schedule want of one table.
#pragma once

#include "sync/rounds/window_rounds.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {

enum class Wanted {
    ordinary,        // an ordinary pass, which keeps the table fresh
    full,            // the whole list, by its schedule or to check it again
    full_by_person,  // likewise, requested by a person: accepts any kind of answer
    backfill,        // work while nothing is due: older windows of a ledger, lists of new parents
};

// What is wanted, and for which time range of a ledger.
struct Wish {
    Wanted wanted = Wanted::ordinary;
    std::optional<TimeRange> range = {};     // only with full_by_person
    bool anew = false;                       // lists walked before, by an interrupted round, count as due
    bool repeats = false;                    // the pass before proved nothing, and this one follows at once
    std::vector<std::string> asked_by = {};  // users, each once; empty: the schedule

    // Whether one pass does for both.
    bool is_same_pass(const Wish& other) const
    {
        return wanted == other.wanted && range == other.range && anew == other.anew && repeats == other.repeats;
    }
    friend bool operator==(const Wish&, const Wish&) = default;
};

// A pass for each wish, in order. Loop only.
class WishQueue {
public:
    // With `one_for_all` one pass fulfils all waiting wishes: one over the whole list does what any other does. Windows
    // of a ledger do not replace each other.
    enum class Join { one_for_all, equal_ones };
    explicit WishQueue(Join join) : join_(join) {}

    // Returns the number of passes before the one that fulfils `wish`.
    std::size_t add(const Wish& wish);
    // Removes and returns the next wish; later wishes need another pass.
    std::optional<Wish> take();
    std::optional<Wish> next() const;
    bool empty() const { return wishes_.empty(); }

private:
    Join join_;
    std::vector<Wish> wishes_;
};

}  // namespace shelfd::sync
