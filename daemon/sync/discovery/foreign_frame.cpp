#include "sync/discovery/foreign_frame.hpp"

#include "sync/discovery/json_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace shelfd::sync {
namespace {

// An item may well hold an array of that name; a frame has no key, and few members beside its rows.
constexpr std::array<std::string_view, 8> frames = {"data",    "items",   "value", "rows",
                                                    "records", "entries", "list",  "content"};
constexpr std::size_t max_members = 8;
// What a frame says of its pages.
constexpr std::array<std::string_view, 4> page_members = {"count", "total_count", "next", "previous"};

bool has_rows(const mirror::Member& member)
{
    std::vector<mirror::Member> elements;
    return member.type == mirror::JsonType::array && mirror::parse_elements(member.value, elements) == nullptr &&
           std::all_of(elements.begin(), elements.end(),
                       [](const auto& one) { return one.type == mirror::JsonType::object; });
}

// The only array of objects in an object that also speaks of pages, whatever it is called.
std::string renamed_rows(const JsonView& object)
{
    const bool is_page = std::any_of(page_members.begin(), page_members.end(),
                                     [&object](const auto& name) { return object.find(name) != nullptr; });
    const auto& members = object.members();
    const auto first = std::find_if(members.begin(), members.end(), has_rows);
    const bool is_only =
        first != members.end() && std::find_if(std::next(first), members.end(), has_rows) == members.end();
    return is_page && is_only ? JsonView::key_of(*first) : "";
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
    return renamed_rows(object);
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
