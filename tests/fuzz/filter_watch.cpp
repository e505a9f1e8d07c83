// What rows of a pass for changes say of their own dates. The first byte chooses the moment that was asked for.
#include "fuzz/input.hpp"
#include "mirror/json/object.hpp"
#include "sync/service/filter_check.hpp"

#include <algorithm>
#include <string>

using namespace shelfd;
using fuzz::promise;

namespace {

constexpr Duration tolerance = std::chrono::hours(48);
const std::string field = "m";

// 2026-03-10T12:00:00Z, and so many half days around it.
Instant since_of(unsigned byte)
{
    return Instant::from_seconds(1'773'144'000) + std::chrono::hours(12) * (static_cast<int>(byte) - 128);
}

// Each row by itself says what all of them say together.
void check_rows(const std::vector<mirror::Member>& items, std::string_view rows, Instant since)
{
    std::optional<std::string> first;
    std::uint64_t late = 0;
    bool all_later = true;
    for (const auto& item : items) {
        const auto alone = "[" + std::string(item.value) + "]";
        first = first ? first : sync::first_unsolicited(alone, field, since);
        const auto is_late = sync::changed_since(alone, field, since);
        promise(is_late <= 1, "a row is one");
        const bool is_later = sync::are_all_later(alone, field, since);
        // Where both read a date, it lies on one side: a day, which counts to its end, can be a little on both.
        promise(!is_later || sync::changed_since(alone, field, since - tolerance) == 1, "what is later has changed");
        promise(is_later || is_late == 0 || sync::changed_since(alone, field, since + 2 * tolerance) == is_late,
                "what counts as changed and is not later has no date");
        late += is_late;
        all_later = all_later && is_later;
    }
    promise(sync::first_unsolicited(rows, field, since) == first, "the first row that nobody asked for is the first");
    promise(sync::changed_since(rows, field, since) == late, "rows that changed are counted one by one");
    promise(sync::are_all_later(rows, field, since) == all_later, "all rows are later if each is");
}

void check_order(std::string_view rows, Instant since)
{
    const auto later = since + std::chrono::hours(36);
    promise(sync::changed_since(rows, field, since) >= sync::changed_since(rows, field, later),
            "fewer rows changed since a later moment");
    promise(!sync::are_all_later(rows, field, later) || sync::are_all_later(rows, field, since),
            "what is later than one moment is later than those before");
    promise(!sync::first_unsolicited(rows, field, since) || sync::first_unsolicited(rows, field, later),
            "a row too old for one moment is so for later ones");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) {
        return 0;
    }
    const auto since = since_of(data[0]);
    const auto rows = fuzz::text_of(data + 1, size - 1);
    const auto first = sync::first_unsolicited(rows, field, since);
    promise(!first || rows.find(*first) != std::string_view::npos, "a date is quoted as it was sent");
    check_order(rows, since);
    std::vector<mirror::Member> items;
    if (mirror::parse_elements(rows, items) != nullptr) {
        promise(!first && sync::changed_since(rows, field, since) == 0, "what are no rows has no dates");
        return 0;
    }
    promise(sync::changed_since(rows, field, since) <= items.size(), "no more rows changed than there are");
    check_rows(items, rows, since);
    return 0;
}
