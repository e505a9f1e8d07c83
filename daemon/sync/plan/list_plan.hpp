// Decides which lists by parent a round walks, and in which order.
#pragma once

#include "base/instant.hpp"
#include "mirror/records/slices.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace shelfd::sync {

// One list to be walked.
struct ListChoice {
    std::string parent;                        // the parent's key, as JSON text
    bool whole = true;                         // false: only what changed since `changes_from`
    std::string key_set = {};                  // of the last whole walk, as PageFacts::key_set
    std::optional<Instant> changes_from = {};  // the list's own start for changes
    std::optional<Instant> as_of = {};         // of the last walk, if that was a whole one
    std::optional<Instant> whole_at = {};      // when the last whole walk was made, or refused, by our clock
    bool was_whole = false;                    // a whole walk was made once
    bool repeats = false;                      // this walk repeats the last one, which proved nothing
    bool faulty = false;                       // the last try to walk it failed

    friend bool operator==(const ListChoice&, const ListChoice&) = default;
};

struct ListWish {
    bool whole = true;  // false: only changes, for lists that were walked whole
    // For a round that was interrupted: lists walked since then are not due. Empty: every list is due.
    std::optional<Instant> since = {};
};

// Pure. `parents`: their keys; `known`: what the mirror knows of their lists. Order: lists never requested, then those
// that waited longest, then, in the same order, those that could not be walked last time, so that they delay no others.
std::vector<ListChoice> due_lists(const std::vector<std::string>& parents, const std::vector<mirror::SliceFacts>& known,
                                  const ListWish& wish, Instant now);

// The lists to walk between two rounds: those never requested, and those in `again`. Each is walked whole.
std::vector<ListChoice> lists_between(const std::vector<std::string>& parents,
                                      const std::vector<mirror::SliceFacts>& known, const std::set<std::string>& again,
                                      Instant now);

// Marks the lists in `failed` as faulty and moves all faulty lists behind the others.
void put_behind(std::vector<ListChoice>& lists, const std::set<std::string>& failed);

}  // namespace shelfd::sync
