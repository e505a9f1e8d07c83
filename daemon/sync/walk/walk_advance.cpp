#include "sync/walk/walk_advance.hpp"

#include <algorithm>
#include <functional>

namespace shelfd::sync {

void WalkAdvance::begin_anew()
{
    *this = {};
}

bool WalkAdvance::ask_for(const std::string& query)
{
    const auto hash = std::hash<std::string>()(query);
    const auto place = std::lower_bound(query_hashes_.begin(), query_hashes_.end(), hash);
    const bool is_new = place == query_hashes_.end() || *place != hash;
    if (is_new) {
        query_hashes_.insert(place, hash);
    }
    return is_new;
}

void WalkAdvance::page_arrived(std::uint64_t items, std::uint64_t new_keys)
{
    idle_pages_ = new_keys > 0 ? 0 : items > 0 ? idle_pages_ + 1 : idle_pages_;
    empty_pages_ = items > 0 ? 0 : empty_pages_ + 1;
}

std::uint32_t WalkAdvance::pages_in_vain(const Limits& limits) const
{
    const bool too_many = idle_pages_ >= limits.max_idle_pages || empty_pages_ >= limits.max_empty_pages;
    return too_many ? std::max(idle_pages_, empty_pages_) : 0;
}

}  // namespace shelfd::sync
