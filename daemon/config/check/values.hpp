// Parses the small formats in configuration strings: sizes, shares, rates, names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::config {

// Parses "64MiB", a whole number with B, KiB, MiB or GiB, as bytes.
std::optional<std::uint64_t> parse_size(std::string_view text);
std::string format_size(std::uint64_t bytes);

// Parses "10%" or "2.5%" as a fraction of 1.
std::optional<double> parse_share(std::string_view text);
std::string format_share(double share);

struct Rate {
    std::optional<std::uint32_t> per_minute;  // empty = no limit
};
// Parses "100/min" or "none".
std::optional<Rate> parse_rate(std::string_view text);
std::string format_rate(std::optional<std::uint32_t> per_minute);

// [a-z][a-z0-9_]{0,40}
bool is_name(std::string_view text);
// A header name (RFC 9110: a token).
bool is_header_name(std::string_view text);
// No control characters, so that it fits a log line, a header or a query.
bool is_printable(std::string_view text);

// The parts of a text that single spaces separate.
std::vector<std::string_view> words_of(std::string_view text);

}  // namespace shelfd::config
