// Chooses the slot for a record: what each slot contains, and the cost of losing it.
#include "oauth/journal/journal.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace shelfd::oauth {
namespace {

// Within each class the newest record counts.
int class_of(RecordKind kind)
{
    return kind == RecordKind::token ? 0 : kind == RecordKind::raw ? 1 : 2;
}

}  // namespace

Journal::Slot Journal::slot_of(Content content, const Header& header)
{
    Slot slot;
    slot.content = content;
    slot.kind = header.kind;
    slot.width = static_cast<std::uint8_t>(width_of(header));
    slot.sequence = header.sequence;
    slot.generation = header.generation;
    return slot;
}

Journal::Slot Journal::second_half_of(Slot record)
{
    record.content = Content::second_half;
    return record;
}

// A wide TOKEN whose second half was overwritten by a later record is not damage.
std::size_t Journal::forget_remains()
{
    std::size_t count = 0;
    for (std::size_t i = 0; i + 1 < slot_count; ++i) {
        const auto& first = slots_[i];
        const auto& next = slots_[i + 1];
        if (first.content == Content::unreadable && first.kind == RecordKind::token && first.width == 2 &&
            next.content == Content::record && next.sequence > first.sequence) {
            slots_[i] = {};
            ++count;
        }
    }
    return count;
}

bool Journal::begins_wide_token(std::size_t slot) const
{
    const auto& mine = slots_[slot];
    return mine.content == Content::record && mine.kind == RecordKind::token && mine.width == 2;
}

// Protects the present state of the set: the newest TOKEN, the one that it keeps, and the newest of the other classes.
bool Journal::is_protected(std::size_t slot) const
{
    const auto& mine = slots_[slot];
    if (mine.content == Content::second_half) {
        return is_protected(slot - 1);
    }
    if (mine.content != Content::record) {
        return false;
    }
    const auto is_token = mine.kind == RecordKind::token;
    const auto is_kept = is_token && kept_generation_ != 0 && mine.generation == kept_generation_;
    for (std::size_t i = 0; i < slot_count; ++i) {
        const auto& other = slots_[i];
        const auto competes = other.content == Content::record && class_of(other.kind) == class_of(mine.kind) &&
                              (!is_kept || other.generation == kept_generation_);
        if (i != slot && competes && is_better(i, slot)) {
            return false;
        }
    }
    return true;
}

// Prefers the later of two records; of two copies of one record, made by mending, the one that is surely on the disk,
// then the one marked as written to this file.
bool Journal::is_better(std::size_t slot, std::size_t than) const
{
    const auto rank = [this](std::size_t i) {
        return std::tuple(slots_[i].sequence, !failed_[i], slots_[i].is_at_home, slot_count - i);
    };
    return rank(slot) > rank(than);
}

bool Journal::begins_whole_pair(std::size_t slot) const
{
    return slot + 1 < slot_count && slots_[slot].content == Content::record &&
           slots_[slot + 1].content == Content::second_half;
}

// Cost of overwriting a slot: lowest if blank, then by age, oldest first, then unreadable bytes (evidence). A pair
// loses its second half first, because a second half alone would look like damage.
std::uint64_t Journal::price(std::size_t slot) const
{
    constexpr auto dearest = std::numeric_limits<std::uint64_t>::max();
    if (is_protected(slot)) {
        return dearest;
    }
    if (failed_[slot]) {
        return dearest - 1;
    }
    switch (slots_[slot].content) {
    case Content::blank: return 0;
    case Content::record: return 2 * slots_[slot].sequence + (begins_whole_pair(slot) ? 1 : 0);
    case Content::second_half: return 2 * slots_[slot].sequence;
    case Content::unreadable: return dearest - 1;
    }
    return dearest;
}

std::uint64_t Journal::price_of_two(std::size_t slot) const
{
    // Would overwrite the first half of another pair, and leave its second half.
    const auto cuts = begins_whole_pair(slot + 1);
    return cuts ? std::numeric_limits<std::uint64_t>::max() : std::max(price(slot), price(slot + 1));
}

// At most seven of the sixteen slots are protected, so there is always room, also for two neighbours.
std::size_t Journal::cheapest(std::size_t width) const
{
    const auto total = [&](std::size_t slot) { return width == 1 ? price(slot) : price_of_two(slot); };
    std::size_t best = 0;
    for (std::size_t i = 1; i + width <= slot_count; ++i) {
        if (total(i) < total(best)) {
            best = i;
        }
    }
    return best;
}

void Journal::occupy(std::size_t slot, const Header& header)
{
    slots_[slot] = slot_of(Content::record, header);
    slots_[slot].is_at_home = header.kind == RecordKind::token;
    if (slots_[slot].width == 2) {
        slots_[slot + 1] = second_half_of(slots_[slot]);
    }
}

}  // namespace shelfd::oauth
