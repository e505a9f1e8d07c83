#include "sync/service/end_habit.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace shelfd::sync {
namespace {

// A list that obeyed nothing. Its longest answer may be as long as the service lets it be.
EndVerdict judge_cut(const EndHabit& habit, const OpenAnswer& answer, const std::function<bool()>& lacks)
{
    if (answer.items == habit.whole_rows) {
        return EndVerdict::may_lack;
    }
    if (answer.items > habit.whole_rows || answer.items == answer.page_size) {
        return EndVerdict::ask;
    }
    if (!lacks()) {
        return EndVerdict::whole;
    }
    return answer.is_one_of_many ? EndVerdict::may_lack : EndVerdict::ask;
}

// A list that returned the same rows in the opposite order, or too few to be cut.
EndVerdict judge_single(const EndHabit& habit, const OpenAnswer& answer, const std::function<bool()>& lacks)
{
    if (lacks()) {
        // A list that ignored every way before is not asked in each pass.
        const bool is_known = !answer.can_be_reversed && answer.items < habit.whole_rows;
        return is_known ? EndVerdict::may_lack : EndVerdict::ask;
    }
    if (!may_be_cut(answer.items, answer.page_size)) {
        return EndVerdict::whole;
    }
    const bool is_known_length = answer.items <= habit.whole_rows && answer.items != answer.page_size;
    const bool is_new_length = answer.items > habit.whole_rows && is_usual_length(answer.items, answer.page_size);
    return is_known_length || (answer.is_on_top && !is_new_length) ? EndVerdict::whole : EndVerdict::ask;
}

EndVerdict judge_paged(const EndHabit& habit, const OpenAnswer& answer, const std::function<bool()>& lacks)
{
    if (is_uneven(habit) || lacks()) {
        return EndVerdict::ask;
    }
    const bool is_one_row = answer.items == 1 && answer.page_size != 1;
    const bool is_shorter = answer.items < habit.whole_rows && answer.items != answer.page_size;
    const bool is_as_before =
        answer.items == habit.whole_rows && answer.is_on_top && !is_usual_length(answer.items, answer.page_size);
    return is_one_row || is_shorter || is_as_before ? EndVerdict::whole : EndVerdict::ask;
}

}  // namespace

bool is_paged(const EndHabit& habit)
{
    switch (habit.further) {
    case Further::page:
    case Further::page_from_0:
    case Further::offset:
    case Further::page_size: return true;
    case Further::unknown:
    case Further::none:
    case Further::cut: return false;
    }
    std::abort();
}

bool is_uneven(const EndHabit& habit)
{
    return is_paged(habit) && habit.whole_rows == 0;
}

bool is_usual_length(std::uint64_t rows, std::uint64_t page_size)
{
    const bool is_round = rows >= 10 && (rows % 10 == 0 || rows % 25 == 0);
    return rows == page_size || is_round || (rows >= 8 && std::has_single_bit(rows));
}

bool may_be_cut(std::uint64_t rows, std::uint64_t page_size)
{
    constexpr std::uint64_t fewest = 5;
    return rows >= fewest || rows == page_size;
}

EndVerdict judge_end(const EndHabit& habit, const OpenAnswer& answer, const std::function<bool()>& lacks)
{
    if (is_paged(habit)) {
        return judge_paged(habit, answer, lacks);
    }
    switch (habit.further) {
    case Further::cut: return judge_cut(habit, answer, lacks);
    case Further::none: return judge_single(habit, answer, lacks);
    default: return EndVerdict::ask;
    }
}

EndHabit learned_from(const SearchedEnd& end, EndHabit habit)
{
    const bool is_same_way = end.found == habit.further;
    const bool stays_uneven = is_same_way && is_uneven(habit) && !end.looked_anew;
    if (!is_same_way && !end.is_counted) {
        habit.whole_rows = 0;
    }
    habit.further = end.found;
    if (end.brought) {
        habit.whole_rows = end.was_uneven || stays_uneven ? 0 : end.longest - 1;
    } else if (end.found == Further::cut) {
        habit.whole_rows = end.items;
    } else if (!stays_uneven) {
        // Another list showed the length of a full page, perhaps: it stays known.
        const bool may_be_full =
            is_paged(habit) && end.is_one_of_many && habit.whole_rows > 0 && end.items == habit.whole_rows + 1;
        habit.whole_rows = std::max(habit.whole_rows, may_be_full ? 0 : end.items);
    }
    return habit;
}

}  // namespace shelfd::sync
