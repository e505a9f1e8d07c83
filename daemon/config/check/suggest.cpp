#include "config/check/suggest.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace shelfd::config {

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    // Three rows of the table are enough: a swap refers to the row before the last.
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        last[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t differs = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + differs});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> words)
{
    std::string_view best;
    auto least = std::numeric_limits<std::size_t>::max();
    for (const auto candidate : words) {
        if (const auto distance = edit_distance(word, candidate); distance < least) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

std::string_view nearest_alike(std::string_view word, std::span<const std::string_view> words)
{
    const auto best = nearest(word, words);
    const auto letters = std::max(word.size(), best.size());
    return 3 * edit_distance(word, best) <= letters + 1 ? best : std::string_view();
}

}  // namespace shelfd::config
