// Detects that a walk over a list does not advance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shelfd::sync {

// Detects repeated queries and pages without new keys. Pure.
class WalkAdvance {
public:
    struct Limits {
        std::uint32_t max_idle_pages = 5;     // pages in a row without a new key
        std::uint32_t max_empty_pages = 100;  // pages in a row without any row: a cursor may skip many filtered rows
    };

    void begin_anew();
    // False if this walk has requested it before.
    bool ask_for(const std::string& query);
    void page_arrived(std::uint64_t items, std::uint64_t new_keys);
    // The number of pages in a row without a new key, if it exceeds the limits; otherwise 0.
    std::uint32_t pages_in_vain(const Limits& limits) const;

private:
    // Hashes: the texts of 5,000 queries took 0.5 MiB between larger blocks (measured). Two of 5,000 different queries
    // share a hash once in 10^12 walks.
    std::vector<std::uint64_t> query_hashes_;  // sorted
    std::uint32_t idle_pages_ = 0;
    std::uint32_t empty_pages_ = 0;
};

}  // namespace shelfd::sync
