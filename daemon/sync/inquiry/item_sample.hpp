// What a page of items shows: their key, order, dates, and members with personal data.
#pragma once

#include "base/words/text_contents.hpp"
#include "mirror/json/object.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shelfd::sync {

// Keeps a copy of the items. Text that is not a JSON array counts as an empty one. `path` of the list: its last word
// says what the items are, for keys such as thing_id.
class ItemSample {
public:
    explicit ItemSample(std::string_view results, std::string_view path = "");
    ItemSample(const ItemSample&) = delete;
    ItemSample& operator=(const ItemSample&) = delete;

    std::size_t size() const { return items_.size(); }
    // Names of the members of the first item, in their order.
    std::vector<std::string> members() const;
    // The member that every item has with a unique value, chosen by common names of keys; "" = none.
    std::string key() const { return key_; }
    // Members that every item has, as a text or a whole number with a unique value.
    std::vector<std::string> unique_members() const;
    // The first item's key as text; "" = none.
    std::string first_key() const;
    // The keys of all items as sent; empty if there is no key.
    std::vector<std::string> keys() const;
    bool has_integer_keys() const;
    // True if integer keys descend from item to item.
    bool falls() const;
    // The text of `member` in the first item that has it as a string; "" = none.
    std::string text(const std::string& member) const;
    // Members that hold the time of the last change, by name and value.
    std::vector<std::string> modification_times() const;
    // Members that hold the time of an event, such as a sale, the most likely first.
    std::vector<std::string> event_times() const;
    // The least and the greatest text of `member`, among its strings; "" if there are none.
    std::pair<std::string, std::string> range(const std::string& member) const;
    // Members with numbers or dates as text that do not compare as such in a column of text.
    std::vector<std::pair<std::string, TextContents>> text_contents() const;
    // Members whose names suggest personal data, nested ones as "created_by.email"; `path` shows what the items are.
    std::vector<std::string> personal(std::string_view path) const;

private:
    struct Named {
        std::string name;
        mirror::Member value;
    };
    using Item = std::vector<Named>;

    bool is_time(const std::string& member) const;
    static Item item_of(std::string_view object);
    const mirror::Member* find(const Item& item, const std::string& name) const;
    bool is_key(const std::string& name) const;
    std::string find_key(std::string_view path) const;

    std::string text_;
    std::vector<Item> items_;
    std::string key_;
};

}  // namespace shelfd::sync
