// What a page of items shows of them: their key, their order, their times, what sounds like persons.
#pragma once

#include "mirror/json/object.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::sync {

// Keeps a copy of the items. An array that is no JSON is an empty one.
class ItemSample {
public:
    explicit ItemSample(std::string_view results);
    ItemSample(const ItemSample&) = delete;
    ItemSample& operator=(const ItemSample&) = delete;

    std::size_t size() const { return items_.size(); }
    // Names of the members of the first item, in its order.
    std::vector<std::string> members() const;
    // The member that every item has with a value of its own, by the names that services use; "" = none.
    std::string key() const { return key_; }
    // Of the first item, as text; "" = none.
    std::string first_key() const;
    // Of every item, as sent; empty where there is no key.
    std::vector<std::string> keys() const;
    bool has_integer_keys() const;
    // Integer keys that fall from item to item.
    bool falls() const;
    // The text of a member, of the first item that has it as a string; "" = none.
    std::string text(const std::string& member) const;
    // Members that tell when an item was changed, by name and value.
    std::vector<std::string> modification_times() const;
    // Members whose names sound like persons, "created_by.email" for nested ones; `path` tells of what the items are.
    std::vector<std::string> personal(std::string_view path) const;

private:
    struct Named {
        std::string name;
        mirror::Member value;
    };
    using Item = std::vector<Named>;

    static Item item_of(std::string_view object);
    const mirror::Member* find(const Item& item, const std::string& name) const;
    bool is_key(const std::string& name) const;

    std::string text_;
    std::vector<Item> items_;
    std::string key_;
};

}  // namespace shelfd::sync
