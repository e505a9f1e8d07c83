#include "sim/cursor.hpp"

#include "sim/base64.hpp"
#include "sim/message.hpp"

#include <algorithm>
#include <charconv>

namespace shelfd::sim {

namespace {

constexpr std::size_t max_offset = 1000;

// str() of an aware datetime, or of a number.
std::string position_of(const Row& row, Order order)
{
    if (order.field == OrderField::id) {
        return std::to_string(row.id);
    }
    auto text = (order.field == OrderField::modified_date ? row.modified : row.created).to_text();
    text[10] = ' ';
    text.pop_back();
    if (text.ends_with(".000000")) {
        text.resize(text.size() - 7);
    }
    return text + "+00:00";
}

std::int64_t rank_of(const Row& row, Order order)
{
    switch (order.field) {
    case OrderField::created_date: return row.created.micros();
    case OrderField::modified_date: return row.modified.micros();
    case OrderField::id: break;
    }
    return row.id;
}

std::optional<std::int64_t> rank_at(std::string position, Order order)
{
    if (order.field != OrderField::id) {
        if (position.size() > 10 && position[10] == ' ') {
            position[10] = 'T';
        }
        const auto at = Instant::from_rfc3339(position);
        return at ? std::optional(at->micros()) : std::nullopt;
    }
    std::int64_t id = 0;
    const auto* end = position.data() + position.size();
    const auto read = std::from_chars(position.data(), end, id);
    return read.ec == std::errc() && read.ptr == end ? std::optional(id) : std::nullopt;
}

std::optional<std::size_t> number_in(const std::string& text)
{
    std::size_t number = 0;
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

// The page in the direction of reading, and the walk onwards from either of its ends.
class Reading {
public:
    Reading(const ListData::View& rows, Order order, const Cursor& cursor, std::size_t size)
        : rows_(rows), order_(order), cursor_(cursor), size_(size)
    {
    }

    // The rows behind the cursor's position, of which `offset` are passed over.
    bool find_page();
    CursorPage page() const;

private:
    Cursor onwards(bool to_next) const;
    bool goes_on(bool to_next) const { return to_next != cursor_.reverse ? has_following_ : has_place_before(); }
    bool has_place_before() const { return cursor_.position || cursor_.offset > 0; }
    std::optional<std::string> neighbour(bool to_next) const
    {
        return to_next != cursor_.reverse ? following_ : cursor_.position;
    }

    const ListData::View& rows_;
    Order order_;
    const Cursor& cursor_;
    std::size_t size_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool has_following_ = false;
    std::optional<std::string> following_;
};

bool Reading::find_page()
{
    // Behind the position, in the direction of reading.
    std::size_t behind = cursor_.reverse ? rows_.size() : 0;
    if (cursor_.position) {
        const auto rank = rank_at(*cursor_.position, order_);
        if (!rank) {
            return false;
        }
        const auto lies_before = [&](const Row* row) {
            const auto own = rank_of(*row, order_);
            const bool before = order_.descending ? own > *rank : own < *rank;
            return before || (!cursor_.reverse && own == *rank);
        };
        behind =
            static_cast<std::size_t>(std::partition_point(rows_.begin(), rows_.end(), lies_before) - rows_.begin());
    }
    if (cursor_.reverse) {
        end_ = behind - std::min(behind, cursor_.offset);
        begin_ = end_ - std::min(end_, size_);
        has_following_ = begin_ > 0;
        following_ = has_following_ ? std::optional(position_of(*rows_[begin_ - 1], order_)) : std::nullopt;
    } else {
        begin_ = std::min(behind + cursor_.offset, rows_.size());
        end_ = std::min(begin_ + size_, rows_.size());
        has_following_ = end_ < rows_.size();
        following_ = has_following_ ? std::optional(position_of(*rows_[end_], order_)) : std::nullopt;
    }
    return true;
}

Cursor Reading::onwards(bool to_next) const
{
    const bool turns = to_next == cursor_.reverse;
    const auto size = end_ - begin_;
    const auto place = [&](std::size_t number) {  // from the end that is left
        return position_of(*rows_[to_next ? end_ - 1 - number : begin_ + number], order_);
    };
    Cursor to{.offset = 0, .reverse = !to_next, .position = neighbour(to_next)};
    if (size == 0) {
        return to;
    }
    auto compare = turns && cursor_.offset != 0 ? std::optional(place(0)) : neighbour(to_next);
    for (std::size_t number = 0; number < size; ++number) {
        auto own = place(number);
        if (own != compare) {
            to.position = std::move(own);
            return to;
        }
        ++to.offset;
    }
    // All of the page has one value.
    if (!goes_on(!to_next)) {
        return {.offset = size_, .reverse = !to_next, .position = std::nullopt};
    }
    to.offset = turns ? 0 : cursor_.offset + size_;
    to.position = neighbour(!to_next);
    return to;
}

CursorPage Reading::page() const
{
    CursorPage page{.begin = begin_, .end = end_};
    if (goes_on(true)) {
        page.next = onwards(true);
    }
    if (goes_on(false)) {
        page.previous = onwards(false);
    }
    return page;
}

}  // namespace

std::string Cursor::encode() const
{
    Query tokens;
    if (offset != 0) {
        tokens.emplace_back("o", std::to_string(offset));
    }
    if (reverse) {
        tokens.emplace_back("r", "1");
    }
    if (position) {
        tokens.emplace_back("p", *position);
    }
    return encode_base64(encode_query(tokens));
}

std::optional<Cursor> Cursor::decode(const std::string& text)
{
    const auto decoded = decode_base64(text);
    if (!decoded) {
        return std::nullopt;
    }
    const auto tokens = parse_query(*decoded);
    const auto offset = number_in(find(tokens, "o").value_or("0"));
    const auto reverse = number_in(find(tokens, "r").value_or("0"));
    if (!offset || !reverse) {
        return std::nullopt;
    }
    return Cursor{.offset = std::min(*offset, max_offset), .reverse = *reverse != 0, .position = find(tokens, "p")};
}

std::optional<CursorPage> cursor_page(const ListData::View& rows, Order order, const std::optional<Cursor>& cursor,
                                      std::size_t size)
{
    const auto at = cursor.value_or(Cursor());
    Reading reading(rows, order, at, size);
    return reading.find_page() ? std::optional(reading.page()) : std::nullopt;
}

}  // namespace shelfd::sim
