// Digits and whole numbers in text, independent of the locale.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace shelfd {

constexpr bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Returns an empty optional unless all of `text` is one decimal number that fits `Number`; no spaces, no "+".
template <std::integral Number = std::uint64_t>
std::optional<Number> number_in(std::string_view text)
{
    Number number = 0;
    const auto* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

// Likewise, but no negative number and no sign.
template <std::signed_integral Number>
std::optional<Number> count_in(std::string_view text)
{
    return text.starts_with('-') ? std::nullopt : number_in<Number>(text);
}

}  // namespace shelfd
