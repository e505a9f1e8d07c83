// Notices that a walk over a list does not advance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shelfd::sync {

// By queries that repeat, and by pages without new keys. Pure.
class WalkAdvance {
public:
    struct Limits {
        std::uint32_t max_idle_pages = 5;     // pages in a row without a single new key
        std::uint32_t max_empty_pages = 100;  // without a single row: a cursor may pass over much that is filtered out
    };

    void begin_anew();
    // False when this walk has asked for it before.
    bool ask_for(const std::string& query);
    void page_arrived(std::uint64_t items, std::uint64_t new_keys);
    // How many pages in a row brought no new key, where these are too many; else 0.
    std::uint32_t pages_in_vain(const Limits& limits) const;

private:
    // As texts, the queries of 5,000 pages took 0.5 MiB between larger blocks. That two of as many differ and have the
    // same hash happens once in 10^12 walks.
    std::vector<std::uint64_t> query_hashes_;  // sorted
    std::uint32_t idle_pages_ = 0;
    std::uint32_t empty_pages_ = 0;
};

}  // namespace shelfd::sync
