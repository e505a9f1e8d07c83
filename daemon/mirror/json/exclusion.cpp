#include "mirror/json/exclusion.hpp"

#include "mirror/json/object.hpp"
#include "mirror/json/text.hpp"

#include <fmt/core.h>

#include <algorithm>

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
        paths_.push_back(read(text));
    }
}

Exclusion::Path Exclusion::read(std::string_view text)
{
    Path path;
    for (;;) {
        const bool quoted = text.starts_with('"') && text.find('"', 1) != std::string_view::npos;
        const auto end = std::min(quoted ? text.find('"', 1) + 1 : text.find('.'), text.size());
        path.push_back({std::string(quoted ? text.substr(1, end - 2) : text.substr(0, end)), quoted});
        if (end == text.size()) {
            return path;
        }
        text.remove_prefix(end + (text[end] == '.' ? 1 : 0));
    }
}

// True if the path ends with a member of this name. If it continues inside, adds it to `inner`.
bool Exclusion::meets(const Cursor& cursor, std::string_view name, std::vector<Cursor>& inner)
{
    const auto& path = *cursor.path;
    std::string joined;
    for (auto at = cursor.at; at < path.size(); ++at) {
        joined += (at > cursor.at ? "." : "") + path[at].text;
        if (joined == name) {
            if (at + 1 == path.size()) {
                return true;
            }
            inner.push_back({cursor.path, at + 1});
        }
        if (path[at].quoted || (at + 1 < path.size() && path[at + 1].quoted)) {
            break;
        }
    }
    return false;
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
    if (const char* fault = parse_members(object, members)) {
        return fault;
    }
    out += '{';
    const auto opened = out.size();
    for (const auto& member : members) {
        const auto name = name_of(member);
        std::vector<Cursor> inner;
        bool dropped = false;
        for (const auto& cursor : cursors) {
            dropped = meets(cursor, name, inner) || dropped;
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
    if (const char* fault = parse_elements(array, elements)) {
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
