// A position in the change feed of a mirror, as in `shelfctl changes --since`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd {

// After the line `seq` of the feed `feed` (0: before the first line), and after the load number `load`, from 1, of
// those between that line and the next one: loads bring rows without lines in the feed.
struct Position {
    std::string feed;
    std::int64_t seq = 0;
    std::int64_t load = 0;

    std::string to_text() const;  // "65f1c0a2b3c4d:1234", "65f1c0a2b3c4d:1234.2"
    bool is_before(std::int64_t other_seq, std::int64_t other_load) const
    {
        return seq < other_seq || (seq == other_seq && load < other_load);
    }
    static std::optional<Position> parse(std::string_view text);

    friend bool operator==(const Position&, const Position&) = default;
};

// Whether this can be the name of a consumer of a feed: a-z, 0-9, _ and -, not at the beginning, at most 41 characters.
bool is_consumer_name(std::string_view text);

}  // namespace shelfd
