// The tables that write no lines to the change feed of a mirror, as `_meta` records them for the daemon and shelfctl.
#pragma once

#include <string>
#include <string_view>

namespace shelfd {

// The key in `_meta`. No value there: every table writes lines.
inline constexpr std::string_view unwritten_key = "unwritten";

// The value: names of tables, each followed by a newline.
class UnwrittenTables {
public:
    explicit UnwrittenTables(std::string_view text) : lines_("\n" + std::string(text)) {}

    bool contains(std::string_view table) const { return place_of(table) != std::string::npos; }
    // The table must not be there yet.
    void add(std::string_view table) { lines_.append(table).append("\n"); }
    // The table must be there.
    void remove(std::string_view table) { lines_.erase(place_of(table), table.size() + 1); }
    std::string to_text() const { return lines_.substr(1); }

private:
    std::size_t place_of(std::string_view table) const { return lines_.find("\n" + std::string(table) + "\n"); }

    std::string lines_;  // with a newline before the first name too
};

}  // namespace shelfd
