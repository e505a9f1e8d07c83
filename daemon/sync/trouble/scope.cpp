#include "sync/trouble/scope.hpp"

#include <fmt/core.h>

namespace shelfd::sync {

bool lacks_scope(std::string_view granted, std::string_view needed)
{
    constexpr std::string_view separators = " +,";
    if (needed.empty()) {
        return false;
    }
    bool says_something = false;
    while (!granted.empty()) {
        const auto name = granted.substr(0, granted.find_first_of(separators));
        if (name == needed) {
            return false;
        }
        says_something = says_something || !name.empty();
        granted.remove_prefix(name.size() < granted.size() ? name.size() + 1 : granted.size());
    }
    return says_something;
}

std::string describe_missing_scope(std::string_view granted, std::string_view needed)
{
    return fmt::format("the token set lacks the scope {}, so no request was sent; it has: {}", needed, granted);
}

}  // namespace shelfd::sync
