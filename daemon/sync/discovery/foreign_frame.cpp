#include "sync/discovery/foreign_frame.hpp"

#include "sync/discovery/json_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace shelfd::sync {
namespace {

// An item may well hold an array of that name; a frame has no key, and few members beside its rows.
constexpr std::array<std::string_view, 8> frames = {"data",    "items",   "value", "rows",
                                                    "records", "entries", "list",  "content"};
constexpr std::size_t max_members = 8;

bool has_rows(const mirror::Member& member)
{
    std::vector<mirror::Member> elements;
    return member.type == mirror::JsonType::array && mirror::parse_elements(member.value, elements) == nullptr &&
           std::all_of(elements.begin(), elements.end(),
                       [](const auto& one) { return one.type == mirror::JsonType::object; });
}

std::string rows_member(const JsonView& object, bool may_be_nested)
{
    if (object.find("id") != nullptr || object.members().size() > max_members) {
        return "";
    }
    for (const auto& name : frames) {
        const auto* member = object.find(name);
        if (member != nullptr && has_rows(*member)) {
            return std::string(name);
        }
        const auto inner = member == nullptr || !may_be_nested ? "" : rows_member(object.object(name), false);
        if (!inner.empty()) {
            return fmt::format("{}.{}", name, inner);
        }
    }
    return "";
}

}  // namespace

std::string foreign_frame(std::string_view results)
{
    std::vector<mirror::Member> items;
    const bool is_one = mirror::parse_elements(results, items) == nullptr && items.size() == 1;
    const auto member = is_one ? rows_member(JsonView(items.front().value), true) : "";
    return member.empty()
               ? ""
               : fmt::format("the answer is an object whose rows are in `{}`, which is not read: a list is an "
                             "array, or an object with \"results\" and \"next\"; with answers = \"object\" all "
                             "of it is one row",
                             member);
}

}  // namespace shelfd::sync
