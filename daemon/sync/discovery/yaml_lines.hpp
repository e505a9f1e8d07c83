// The keys of a text in YAML, in their order.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::sync {

// "key: value"; an element of a list counts as its first key.
struct YamlLine {
    std::size_t indent = 0;
    std::string key;             // "" = a value alone: the root, or an element of a list
    std::string value;           // without quotes, and without a comment behind it; "" for a value in flow style
    std::string_view flow = {};  // "{…}" or "[…]", perhaps over several lines
    std::size_t number = 0;      // of the line, from 1
};

// Reads keys as far as they stand in blocks, one in a line. Texts of several lines (| and >) are skipped.
class YamlLines {
public:
    explicit YamlLines(std::string_view text) : text_(text) {}

    // Empty at the end.
    std::optional<YamlLine> next();

private:
    std::optional<YamlLine> read_line(std::string_view line, std::size_t begin);
    void take_value(YamlLine& line, std::string_view value, std::size_t at, std::optional<std::size_t> outer);

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t number_ = 0;
    std::optional<std::size_t> text_below_;  // lines that are indented further belong to a text
};

// Calls `take` for each key in a value in flow style, as if it stood in blocks: the outermost keys at `indent`, those
// within them one deeper. Returns false if it cannot be read to its end, or is deeper than 40; keys before that place
// were taken.
bool read_flow(std::string_view flow, std::size_t indent, const std::function<void(const YamlLine&)>& take);

}  // namespace shelfd::sync
