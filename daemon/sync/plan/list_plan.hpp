// Which lists by parent a round walks, and in which order.
#pragma once

#include "base/instant.hpp"
#include "mirror/records/slices.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace shelfd::sync {

// One list, to be walked.
struct ListChoice {
    std::string parent;                        // its key, as JSON text
    bool whole = true;                         // else what changed since `changes_from`
    std::string key_set = {};                  // of the last whole walk, as PageFacts::key_set
    std::optional<Instant> changes_from = {};  // the list's own cursor
    std::optional<Instant> as_of = {};         // of the last walk, where that was a whole one
    std::optional<Instant> whole_at = {};      // when the whole of it was last walked, or refused, by our clock
    bool was_whole = false;                    // the whole of it was walked once
    bool repeats = false;                      // the last walk proved nothing, and this one is made because of it
    bool faulty = false;                       // it could not be walked when that was last tried

    friend bool operator==(const ListChoice&, const ListChoice&) = default;
};

struct ListWish {
    bool whole = true;  // else changes, of the lists where something is known that they can be asked since
    // Of a round that was cut short: what was done since then is done. nothing: every list is due.
    std::optional<Instant> since = {};
};

// Pure values in, pure values out. `parents`: their keys; `known`: what the mirror says of their lists. The order:
// those that were never asked, then the ones that waited longest; last, in the same order, those that could not be
// walked when that was last tried, so that none of them stands in the way of others.
std::vector<ListChoice> due_lists(const std::vector<std::string>& parents, const std::vector<mirror::SliceFacts>& known,
                                  const ListWish& wish, Instant now);

// Between two rounds: those that were never asked, and those that `again` names. Each is walked whole.
std::vector<ListChoice> lists_between(const std::vector<std::string>& parents,
                                      const std::vector<mirror::SliceFacts>& known, const std::set<std::string>& again,
                                      Instant now);

// Those of `failed` go behind the sound ones, and count as faulty.
void put_behind(std::vector<ListChoice>& lists, const std::set<std::string>& failed);

}  // namespace shelfd::sync
