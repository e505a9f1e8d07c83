#include "sim/catalogue.hpp"

#include <algorithm>
#include <array>

namespace shelfd::sim {

namespace {

constexpr std::array<ListSpec, 12> lists{{
    {"accounts/users", Envelope::page_number, 25},
    {"inventory/outlets", Envelope::page_number, 12},
    {"inventory/outlets/*/counts", Envelope::page_number, 50},
    {"inventory/outlets/*/moves", Envelope::cursor, 50},
    {"inventory/outlets/*/stock", Envelope::array, 20},
    {"library/ingredients", Envelope::page_number, std::nullopt},
    {"library/recipes", Envelope::page_number, std::nullopt},
    {"library/units", Envelope::array, 30},
    {"media/files", Envelope::page_number, 0},
    {"procurement/orders", Envelope::cursor, std::nullopt},
    {"procurement/suppliers", Envelope::limit_offset, std::nullopt},
    {"sales/lines", Envelope::page_number, std::nullopt},
}};

// The part of `path` that the pattern's "*" stands for; "" when the pattern is the path itself; nothing without a
// match.
std::optional<std::string_view> match(std::string_view pattern, std::string_view path)
{
    const auto star = pattern.find('*');
    if (star == std::string_view::npos) {
        return pattern == path ? std::optional<std::string_view>("") : std::nullopt;
    }
    const auto before = pattern.substr(0, star);
    const auto after = pattern.substr(star + 1);
    if (!path.starts_with(before) || !path.ends_with(after) || path.size() <= before.size() + after.size()) {
        return std::nullopt;
    }
    const auto middle = path.substr(star, path.size() - before.size() - after.size());
    return middle.find('/') == std::string_view::npos ? std::optional(middle) : std::nullopt;
}

}  // namespace

std::span<const ListSpec> all_lists()
{
    return lists;
}

const ListSpec* find_list(std::string_view path)
{
    const auto* found = std::find_if(lists.begin(), lists.end(),
                                     [&](const ListSpec& spec) { return match(spec.path, path).has_value(); });
    return found == lists.end() ? nullptr : found;
}

std::string_view parent_of(std::string_view path, const ListSpec& spec)
{
    return match(spec.path, path).value_or("");
}

std::optional<Envelope> envelope_from(std::string_view word)
{
    if (word == "page_number") {
        return Envelope::page_number;
    }
    if (word == "limit_offset") {
        return Envelope::limit_offset;
    }
    if (word == "cursor") {
        return Envelope::cursor;
    }
    return word == "array" ? std::optional(Envelope::array) : std::nullopt;
}

}  // namespace shelfd::sim
