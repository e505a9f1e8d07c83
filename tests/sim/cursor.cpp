#include "sim/cursor.hpp"

#include "sim/base64.hpp"
#include "sim/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace shelfd::sim {

std::string Cursor::encode() const
{
    std::string text = reverse_ ? "r=1" : "";
    if (position_) {
        text += fmt::format("{}p={}.{}", reverse_ ? "&" : "", position_->first, position_->second);
    }
    return encode_base64(text);
}

std::optional<Cursor> Cursor::decode(const std::string& text)
{
    const auto decoded = decode_base64(text);
    if (!decoded) {
        return std::nullopt;
    }
    Cursor cursor;
    for (const auto& [key, value] : parse_query(*decoded)) {
        if (key == "r") {
            cursor.reverse_ = value == "1";
            continue;
        }
        std::pair<std::int64_t, std::int64_t> position;
        const auto* end = value.data() + value.size();
        const auto created = std::from_chars(value.data(), end, position.first);
        if (key != "p" || created.ptr == end || *created.ptr != '.' ||
            std::from_chars(created.ptr + 1, end, position.second).ptr != end) {
            return std::nullopt;
        }
        cursor.position_ = position;
    }
    return cursor;
}

std::pair<std::size_t, std::size_t> Cursor::slice(const ListData::View& rows, std::size_t size) const
{
    // Rows newer than the position, the position's own row among them when it is read forwards.
    const auto is_ahead = [&](const Row* row) {
        const auto place = std::pair(row->created.micros(), row->id);
        return reverse_ ? place > *position_ : place >= *position_;
    };
    std::size_t at = 0;
    if (position_) {
        at = static_cast<std::size_t>(std::partition_point(rows.begin(), rows.end(), is_ahead) - rows.begin());
    }
    if (reverse_) {
        return {at - std::min(at, size), at};
    }
    return {at, std::min(at + size, rows.size())};
}

}  // namespace shelfd::sim
