#include "mirror/staging/waiting_rows.hpp"

#include <algorithm>

namespace shelfd::mirror {

void WaitingRows::clear()
{
    keys_.clear();
    runs_.clear();
}

std::vector<WaitingRows::Run> WaitingRows::runs() const
{
    std::vector<Run> runs;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        const auto end = i + 1 < runs_.size() ? runs_[i + 1] : static_cast<std::uint32_t>(keys_.size());
        if (end > runs_[i]) {
            runs.push_back({runs_[i], end});
        }
    }
    return runs;
}

bool WaitingRows::meets(const Page& page) const
{
    if (page.sorted.empty()) {
        return false;
    }
    const auto& least = page.items[page.sorted.front()].key;
    const auto& most = page.items[page.sorted.back()].key;
    const auto meets_run = [&](const Run& run) {
        const auto* key = &keys_[run.first];
        const auto* const end = keys_.data() + run.end;
        // In a list with its newest rows first, all keys of a run are above the page: comparing each key with each run
        // took 21 % of the CPU of a pass.
        if (most < *key || *(end - 1) < least) {
            return false;
        }
        for (const auto place : page.sorted) {
            const auto& wanted = page.items[place].key;
            key = std::lower_bound(key, end, wanted);
            if (key == end) {
                return false;
            }
            if (*key == wanted) {
                return true;
            }
        }
        return false;
    };
    const auto all = runs();
    return std::any_of(all.begin(), all.end(), meets_run);
}

// Lists come in ascending or descending order of the key, so usually only the runs must be reordered.
std::vector<std::uint32_t> WaitingRows::in_order() const
{
    auto all = runs();
    std::sort(all.begin(), all.end(), [this](const Run& a, const Run& b) { return keys_[a.first] < keys_[b.first]; });
    std::vector<std::uint32_t> order;
    order.reserve(keys_.size());
    for (const auto& run : all) {
        for (auto row = run.first; row < run.end; ++row) {
            order.push_back(row);
        }
    }
    const auto before = [this](std::uint32_t a, std::uint32_t b) { return keys_[a] < keys_[b]; };
    if (!std::is_sorted(order.begin(), order.end(), before)) {
        std::sort(order.begin(), order.end(), before);
    }
    return order;
}

}  // namespace shelfd::mirror
