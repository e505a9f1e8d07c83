#include "mirror/json/comparison.hpp"

#include "mirror/json/instants.hpp"
#include "mirror/json/object.hpp"
#include "mirror/json/text.hpp"

#include <algorithm>
#include <map>

namespace shelfd::mirror {

namespace {

// Appends a text that is the same for equal values: no blanks, sorted members, one escape for each character.
void append_canonical(std::string& out, const Member& value)
{
    switch (value.type) {
    case JsonType::null:
    case JsonType::boolean:
    case JsonType::number: out += value.value; break;
    case JsonType::string: {
        std::string text;
        unescape(value.inside(), text);
        InstantText instant;
        if (normalise_instant(text, instant) == InstantFit::exact) {
            text.assign(instant.data(), instant.size());
        }
        append_quoted(out, text);
        break;
    }
    case JsonType::array: {
        std::vector<Member> elements;
        parse_elements(value.value, elements);
        out += '[';
        for (const auto& element : elements) {
            append_canonical(out, element);
            out += ',';
        }
        out += ']';
        break;
    }
    case JsonType::object: {
        std::vector<Member> members;
        parse_members(value.value, members);
        std::multimap<std::string, std::string> sorted;
        for (const auto& member : members) {
            std::string key;
            std::string text;
            unescape(member.key, key);
            append_canonical(text, member);
            sorted.emplace(std::move(key), std::move(text));
        }
        out += '{';
        for (const auto& [key, text] : sorted) {
            append_quoted(out, key);
            out += ':' + text + ',';
        }
        out += '}';
        break;
    }
    }
}

std::string canonical(const Member& value)
{
    std::string out;
    append_canonical(out, value);
    return out;
}

std::string key_of_member(const Member& member)
{
    std::string key;
    unescape(member.key, key);
    return key;
}

}  // namespace

Result<std::vector<Difference>> compare_items(std::string_view ours, std::string_view theirs)
{
    std::vector<Member> mine;
    std::vector<Member> other;
    for (const char* fault : {parse_members(ours, mine), parse_members(theirs, other)}) {
        if (fault != nullptr) {
            return Error(ErrorKind::protocol, std::string("the item is not a JSON object: ") + fault);
        }
    }
    std::vector<Difference> differences;
    std::map<std::string, std::size_t> met;  // an item may have a key more than once
    for (const auto& member : mine) {
        const auto key = key_of_member(member);
        auto before = met[key]++;
        const auto found = std::find_if(other.begin(), other.end(), [&](const auto& candidate) {
            return key_of_member(candidate) == key && before-- == 0;
        });
        if (found == other.end()) {
            differences.push_back({quoted_json(key), std::string(member.value), ""});
        } else if (found->value != member.value && canonical(*found) != canonical(member)) {
            differences.push_back({quoted_json(key), std::string(member.value), std::string(found->value)});
        }
    }
    return differences;
}

}  // namespace shelfd::mirror
