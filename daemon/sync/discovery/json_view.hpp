// Looks into a JSON text without building a tree.
#pragma once

#include "mirror/json/object.hpp"
#include "mirror/json/text.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::sync {

// The members of an object, as views into its text. Empty for anything else.
class JsonView {
public:
    JsonView() = default;
    explicit JsonView(std::string_view object)
    {
        if (mirror::parse_members(object, members_) != nullptr) {
            members_.clear();
        }
    }

    const std::vector<mirror::Member>& members() const { return members_; }
    bool empty() const { return members_.empty(); }

    const mirror::Member* find(std::string_view key) const
    {
        for (const auto& member : members_) {
            if (member.key == key) {
                return &member;
            }
        }
        return nullptr;
    }
    // The object below `key`; empty if there is none.
    JsonView object(std::string_view key) const
    {
        const auto* member = find(key);
        return member != nullptr && member->type == mirror::JsonType::object ? JsonView(member->value) : JsonView();
    }
    // The string below `key`; "" if there is none.
    std::string text(std::string_view key) const
    {
        const auto* member = find(key);
        return member == nullptr ? "" : text_of(*member);
    }
    bool is_true(std::string_view key) const
    {
        const auto* member = find(key);
        return member != nullptr && member->value == "true";
    }
    // The elements of the array below `key`.
    std::vector<mirror::Member> elements(std::string_view key) const
    {
        std::vector<mirror::Member> found;
        const auto* member = find(key);
        if (member == nullptr || member->type != mirror::JsonType::array ||
            mirror::parse_elements(member->value, found) != nullptr) {
            found.clear();
        }
        return found;
    }

    // A string's content; "" for any other value.
    static std::string text_of(const mirror::Member& member)
    {
        std::string text;
        if (member.type == mirror::JsonType::string) {
            mirror::unescape(member.inside(), text);
        }
        return text;
    }
    static std::string key_of(const mirror::Member& member)
    {
        std::string key;
        mirror::unescape(member.key, key);
        return key;
    }

private:
    std::vector<mirror::Member> members_;
};

}  // namespace shelfd::sync
