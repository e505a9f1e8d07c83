#include "mirror/exclusion.hpp"

#include "mirror/json_text.hpp"
#include "mirror/json_walk.hpp"

#include <fmt/core.h>

namespace shelfd::mirror {
namespace {

std::string name_of(const Member& member)
{
    std::string name(member.key);
    if (member.key_escaped) {
        (void)unescape(member.key, name);
    }
    return name;
}

}  // namespace

Exclusion::Exclusion(const std::vector<std::string>& paths)
{
    for (const auto& text : paths) {
        auto& path = paths_.emplace_back();
        std::size_t begin = 0;
        for (auto dot = text.find('.'); dot != std::string::npos; dot = text.find('.', begin)) {
            path.push_back(text.substr(begin, dot - begin));
            begin = dot + 1;
        }
        path.push_back(text.substr(begin));
    }
}

Result<std::string> Exclusion::apply(std::string_view value) const
{
    std::vector<Cursor> cursors;
    for (const auto& path : paths_) {
        cursors.push_back({&path, 0});
    }
    std::string out;
    out.reserve(value.size());
    const auto begin = value.find_first_not_of(" \t\r\n");
    if (const char* fault = copy(begin == std::string_view::npos ? value : value.substr(begin), cursors, out)) {
        return Error(ErrorKind::protocol, fmt::format("the answer is not readable: {}", fault));
    }
    return out;
}

const char* Exclusion::copy(std::string_view value, const std::vector<Cursor>& cursors, std::string& out)
{
    if (!cursors.empty() && value.starts_with('{')) {
        return copy_object(value, cursors, out);
    }
    if (!cursors.empty() && value.starts_with('[')) {
        return copy_array(value, cursors, out);
    }
    out += value;
    return nullptr;
}

const char* Exclusion::copy_object(std::string_view object, const std::vector<Cursor>& cursors, std::string& out)
{
    std::vector<Member> members;
    if (const char* fault = take_members(object, members)) {
        return fault;
    }
    out += '{';
    const auto opened = out.size();
    for (const auto& member : members) {
        const auto name = name_of(member);
        std::vector<Cursor> inner;
        bool dropped = false;
        for (const auto& cursor : cursors) {
            if ((*cursor.path)[cursor.at] != name) {
                continue;
            }
            dropped = dropped || cursor.at + 1 == cursor.path->size();
            inner.push_back({cursor.path, cursor.at + 1});
        }
        if (dropped) {
            continue;
        }
        if (out.size() > opened) {
            out += ',';
        }
        out += fmt::format("\"{}\":", member.key);
        if (const char* fault = copy(member.value, inner, out)) {
            return fault;
        }
    }
    out += '}';
    return nullptr;
}

const char* Exclusion::copy_array(std::string_view array, const std::vector<Cursor>& cursors, std::string& out)
{
    std::vector<Member> elements;
    if (const char* fault = take_elements(array, elements)) {
        return fault;
    }
    out += '[';
    const auto opened = out.size();
    for (const auto& element : elements) {
        if (out.size() > opened) {
            out += ',';
        }
        if (const char* fault = copy(element.value, cursors, out)) {
            return fault;
        }
    }
    out += ']';
    return nullptr;
}

}  // namespace shelfd::mirror
