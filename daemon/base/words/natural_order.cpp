#include "base/words/natural_order.hpp"

#include "base/words/digits.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace shelfd {
namespace {

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// The digits at the beginning of `text`, without zeros in front, which it loses.
std::string_view take_number(std::string_view& text)
{
    const auto length = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
    auto number = text.substr(0, length);
    text.remove_prefix(length);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    return number;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b)
{
    while (!a.empty() && !b.empty()) {
        if (is_digit(a.front()) && is_digit(b.front())) {
            const auto first = take_number(a);
            const auto second = take_number(b);
            if (first.size() != second.size() || first != second) {
                return std::pair(first.size(), first) < std::pair(second.size(), second);
            }
            continue;
        }
        if (lower(a.front()) != lower(b.front())) {
            return lower(a.front()) < lower(b.front());
        }
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    return a.size() < b.size();
}

}  // namespace shelfd
