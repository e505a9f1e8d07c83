#include "mirror/json/placing.hpp"

#include "mirror/json/object.hpp"
#include "mirror/json/text.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

namespace {

// The member's value as sent, up to 60 characters; "" if there is none.
std::string member_text(std::string_view item, const std::string& name)
{
    const std::string wanted[] = {name};
    std::vector<Member> found;
    const bool readable = find_members(item, wanted, found) == nullptr;
    return readable && !found.empty() ? std::string(found.front().value.substr(0, 60)) : "";
}

}  // namespace

std::optional<std::int64_t> place_of(std::string_view item, const Slice& slice)
{
    if (slice.field.empty()) {
        return slice.first;
    }
    const std::string wanted[] = {slice.field};
    std::vector<Member> found;
    if (find_members(item, wanted, found) != nullptr || found.front().type != JsonType::string) {
        return std::nullopt;
    }
    std::string text;
    (void)unescape(found.front().inside(), text);
    return slice.place_of(text);
}

std::optional<std::string> first_member(std::string_view items, const std::string& name)
{
    std::vector<Member> elements;
    if (parse_elements(items, elements) != nullptr || elements.empty()) {
        return std::nullopt;
    }
    const auto text = member_text(elements.front().value, name);
    return text.starts_with('"') ? text.substr(1, text.size() - 2) : text;
}

Result<void> check_places(const Page& page, const Slice& slice)
{
    for (const auto& item : page.items) {
        if (!item.place) {
            const auto text = member_text(item.text, slice.field);
            return Error(ErrorKind::config,
                         fmt::format("row {} has no time: {}; correct field of `window`", item.key.to_json(),
                                     text.empty() ? fmt::format("it has no member {}", slice.field)
                                                  : fmt::format("its {} is {}", slice.field, text)));
        }
        const bool fits = slice.holds(*item.place) || (slice.open && *item.place >= slice.past);
        if (!fits) {
            return Error(ErrorKind::config,
                         fmt::format("the window {} was requested, but row {} came, whose {} is {}: the service "
                                     "ignores the filter or applies it differently; correct `window`",
                                     slice.name, item.key.to_json(), slice.field, member_text(item.text, slice.field)));
        }
    }
    return {};
}

Result<std::string> with_member(std::string_view items, const std::string& member, const std::string& value)
{
    const auto begin = items.find_first_not_of(" \t\r\n");
    std::vector<Member> elements;
    const char* fault = begin == std::string_view::npos ? "nothing" : parse_elements(items.substr(begin), elements);
    const std::string wanted[] = {member};
    std::vector<Member> found;
    std::string out = "[";
    for (const auto& element : elements) {
        fault = fault != nullptr ? fault : find_members(element.value, wanted, found);
        if (fault != nullptr) {
            break;
        }
        out += out.size() > 1 ? "," : "";
        const auto& own = found.front().value;
        if (own == value) {
            out += element.value;
            continue;
        }
        if (!own.empty()) {
            return Error(
                ErrorKind::config,
                fmt::format(
                    "a row already has {} = {}, but came from the list of {}; choose another name for `as` of `parent`",
                    member, own.substr(0, 60), value));
        }
        const auto rest = element.value.substr(element.value.find('{') + 1);
        const bool empty = rest.find_first_not_of(" \t\r\n") == rest.find('}');
        out += fmt::format("{{{}:{}{}{}", quoted_json(member), value, empty ? "" : ",", rest);
    }
    if (fault != nullptr) {
        return Error(ErrorKind::protocol, fmt::format("the answer is not readable: {}", fault));
    }
    return out + "]";
}

}  // namespace shelfd::mirror
