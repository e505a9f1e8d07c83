#include "mirror/records/taken_rows.hpp"

#include "mirror/records/slices.hpp"
#include "storage/query.hpp"

#include <algorithm>

namespace shelfd::mirror {
namespace {

// The correction of some dates is common, also of all those of a day on which little was sold; but not in the first
// walk of a window.
constexpr std::uint64_t fewest = 5;
constexpr std::uint64_t fewest_at_first = 2;

// `places` are sorted.
std::uint64_t count_within(const std::vector<std::int64_t>& places, const SliceFacts& slice)
{
    const auto begin = std::lower_bound(places.begin(), places.end(), slice.first);
    const auto end = std::lower_bound(begin, places.end(), slice.past);
    return static_cast<std::uint64_t>(end - begin);
}

std::vector<std::int64_t> sorted(std::vector<std::int64_t> places)
{
    std::sort(places.begin(), places.end());
    return places;
}

bool is_same(const SliceFacts& slice, const Slice& window)
{
    return slice.first == window.first && slice.past == window.past;
}

}  // namespace

bool takes_many(const std::vector<std::int64_t>& taken, std::uint64_t met, const Slice& window,
                const std::vector<SliceFacts>& slices)
{
    const bool was_proven = std::any_of(slices.begin(), slices.end(), [&](const SliceFacts& slice) {
        return is_same(slice, window) && slice.proven_as_of;
    });
    const auto least = was_proven ? fewest : fewest_at_first;
    if (taken.size() < least) {
        return false;
    }
    if (taken.size() * 2 > met) {
        return true;
    }
    // A short window whose keys a longer one has, too.
    const auto places = sorted(taken);
    return std::any_of(slices.begin(), slices.end(), [&](const SliceFacts& slice) {
        return !is_same(slice, window) && slice.rows >= least && count_within(places, slice) >= slice.rows;
    });
}

Result<void> end_proofs(storage::Database& database, const std::string& resource, const Slice& window,
                        const std::vector<std::int64_t>& taken)
{
    const auto places = sorted(taken);
    SHELFD_TRY_ASSIGN(slices, load_slices(database, resource));
    for (const auto& slice : slices) {
        if (!slice.proven_as_of || (!is_same(slice, window) && count_within(places, slice) == 0)) {
            continue;
        }
        SHELFD_TRY(storage::run(database,
                                "UPDATE _slices SET proven_as_of = NULL WHERE resource = ? AND first = ? AND past = ?",
                                resource, slice.first, slice.past));
    }
    return {};
}

}  // namespace shelfd::mirror
