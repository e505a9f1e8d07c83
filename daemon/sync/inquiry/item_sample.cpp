#include "sync/inquiry/item_sample.hpp"

#include "base/text.hpp"
#include "mirror/json/instants.hpp"
#include "mirror/json/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace shelfd::sync {
namespace {

constexpr std::array<std::string_view, 9> key_names = {"id", "_id", "pk", "uuid", "guid", "uid", "key", "code", "slug"};
constexpr std::array<std::string_view, 4> change_words = {"modif", "updat", "chang", "edit"};
constexpr std::array<std::string_view, 19> person_words = {
    "email",  "e_mail",  "phone",  "mobile", "first_name", "last_name", "surname", "full_name", "username",  "birth",
    "gender", "address", "street", "postal", "zip_code",   "iban",      "ssn",     "passport",  "ip_address"};
// Below these names, a plain `name` is that of a person.
constexpr std::array<std::string_view, 9> person_places = {"user",       "employee",    "person", "contact", "customer",
                                                           "created_by", "modified_by", "owner",  "staff"};

template <typename Words>
bool has_word(std::string_view name, const Words& words)
{
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

bool sounds_personal(std::string_view name, std::string_view place)
{
    return has_word(lower(name), person_words) || (name == "name" && has_word(lower(place), person_places));
}

// In small letters, without what separates words: "thingId" and "thing_id" are one.
std::string plain(std::string_view name)
{
    auto text = lower(name);
    std::erase_if(text, [](char c) { return c == '_' || c == '-'; });
    return text;
}

// "/api/v1/categories/" -> categories, categorie, category: one of them may begin the name of a key.
std::vector<std::string> names_of_row(std::string_view path)
{
    path.remove_suffix(path.ends_with('/') ? 1 : 0);
    const auto word = plain(path.substr(path.rfind('/') + 1));
    std::vector<std::string> names = {word};
    if (word.ends_with("ies")) {
        names.push_back(word.substr(0, word.size() - 3) + "y");
    }
    for (const std::string_view end : {"s", "es"}) {
        if (word.ends_with(end)) {
            names.push_back(word.substr(0, word.size() - end.size()));
        }
    }
    std::erase(names, "");
    return names;
}

std::optional<std::int64_t> integer_of(const mirror::Member& member)
{
    std::int64_t value = 0;
    const auto* end = member.value.data() + member.value.size();
    const auto read = std::from_chars(member.value.data(), end, value);
    return member.type == mirror::JsonType::number && read.ec == std::errc() && read.ptr == end ? std::optional(value)
                                                                                                : std::nullopt;
}

std::string string_of(const mirror::Member& member)
{
    std::string text;
    if (member.type == mirror::JsonType::string) {
        mirror::unescape(member.inside(), text);
    }
    return text;
}

}  // namespace

ItemSample::ItemSample(std::string_view results, std::string_view path) : text_(results)
{
    std::vector<mirror::Member> elements;
    if (mirror::parse_elements(text_, elements) != nullptr) {
        return;
    }
    for (const auto& element : elements) {
        items_.push_back(element.type == mirror::JsonType::object ? item_of(element.value) : Item());
    }
    key_ = find_key(path);
}

// By common names, first as they are usually written; then by that of what the list holds.
std::string ItemSample::find_key(std::string_view path) const
{
    const auto unique = unique_members();
    for (const auto name : key_names) {
        const auto exact = std::find(unique.begin(), unique.end(), name);
        const auto any =
            std::find_if(unique.begin(), unique.end(), [name](const auto& one) { return lower(one) == name; });
        if (exact != unique.end() || any != unique.end()) {
            return exact != unique.end() ? *exact : *any;
        }
    }
    for (const auto& row : names_of_row(path)) {
        for (const std::string_view end : {"id", "uuid", "guid", "uid", "pk"}) {
            const auto wanted = row + std::string(end);
            const auto found =
                std::find_if(unique.begin(), unique.end(), [&](const auto& one) { return plain(one) == wanted; });
            if (found != unique.end()) {
                return *found;
            }
        }
    }
    return "";
}

std::vector<std::string> ItemSample::unique_members() const
{
    auto names = members();
    std::erase_if(names, [this](const std::string& name) { return !is_key(name); });
    return names;
}

ItemSample::Item ItemSample::item_of(std::string_view object)
{
    Item item;
    std::vector<mirror::Member> members;
    if (mirror::parse_members(object, members) == nullptr) {
        for (const auto& member : members) {
            std::string name;
            mirror::unescape(member.key, name);
            item.push_back({std::move(name), member});
        }
    }
    return item;
}

const mirror::Member* ItemSample::find(const Item& item, const std::string& name) const
{
    const auto found = std::find_if(item.begin(), item.end(), [&](const Named& one) { return one.name == name; });
    return found == item.end() ? nullptr : &found->value;
}

bool ItemSample::is_key(const std::string& name) const
{
    std::set<std::string_view> values;
    for (const auto& item : items_) {
        const auto* member = find(item, name);
        const bool fits = member != nullptr && (member->type == mirror::JsonType::string ||
                                                (member->type == mirror::JsonType::number && member->whole));
        if (!fits || !values.insert(member->value).second) {
            return false;
        }
    }
    return !items_.empty();
}

std::vector<std::string> ItemSample::members() const
{
    std::vector<std::string> names;
    if (!items_.empty()) {
        for (const auto& one : items_.front()) {
            names.push_back(one.name);
        }
    }
    return names;
}

std::string ItemSample::first_key() const
{
    const auto* member = key_.empty() ? nullptr : find(items_.front(), key_);
    if (member == nullptr) {
        return "";
    }
    return member->type == mirror::JsonType::string ? string_of(*member) : std::string(member->value);
}

std::vector<std::string> ItemSample::keys() const
{
    std::vector<std::string> keys;
    for (const auto& item : items_) {
        if (const auto* member = key_.empty() ? nullptr : find(item, key_)) {
            keys.emplace_back(member->value);
        }
    }
    return keys;
}

bool ItemSample::has_integer_keys() const
{
    return !key_.empty() && std::all_of(items_.begin(), items_.end(), [&](const Item& item) {
        const auto* member = find(item, key_);
        return member != nullptr && integer_of(*member).has_value();
    });
}

bool ItemSample::falls() const
{
    if (!has_integer_keys()) {
        return false;
    }
    for (std::size_t i = 1; i < items_.size(); ++i) {
        if (*integer_of(*find(items_[i], key_)) >= *integer_of(*find(items_[i - 1], key_))) {
            return false;
        }
    }
    return true;
}

std::string ItemSample::text(const std::string& member) const
{
    for (const auto& item : items_) {
        const auto* found = find(item, member);
        if (auto value = found == nullptr ? std::string() : string_of(*found); !value.empty()) {
            return value;
        }
    }
    return "";
}

bool ItemSample::is_time(const std::string& member) const
{
    const auto value = text(member);
    mirror::InstantText instant;
    return mirror::is_date(value) || mirror::normalise_instant(value, instant) != mirror::InstantFit::none;
}

std::vector<std::string> ItemSample::modification_times() const
{
    std::vector<std::string> fields;
    for (const auto& name : members()) {
        if (has_word(lower(name), change_words) && is_time(name)) {
            fields.push_back(name);
        }
    }
    return fields;
}

std::vector<std::string> ItemSample::event_times() const
{
    // Those of a row's own life come last, or are no events at all.
    constexpr std::array<std::string_view, 2> creation = {"creat", "added"};
    constexpr std::array<std::string_view, 6> others = {"archiv", "delet", "expir", "birth", "valid", "due"};
    const auto rank = [&](const std::string& name) {
        const auto small = lower(name);
        return small == "date" ? 0 : has_word(small, creation) ? 2 : 1;
    };
    std::vector<std::string> fields;
    for (const auto& name : members()) {
        const auto small = lower(name);
        if (!has_word(small, change_words) && !has_word(small, others) && is_time(name)) {
            fields.push_back(name);
        }
    }
    std::stable_sort(fields.begin(), fields.end(),
                     [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
    return fields;
}

std::pair<std::string, std::string> ItemSample::range(const std::string& member) const
{
    std::pair<std::string, std::string> found;
    for (const auto& item : items_) {
        const auto* value = find(item, member);
        const auto text = value == nullptr ? std::string() : string_of(*value);
        if (!text.empty()) {
            found.first = found.first.empty() ? text : std::min(found.first, text);
            found.second = std::max(found.second, text);
        }
    }
    return found;
}

std::vector<std::pair<std::string, TextContents>> ItemSample::text_contents() const
{
    std::vector<std::pair<std::string, TextContents>> found;
    for (const auto& name : members()) {
        TextSurvey survey;
        bool becomes_text = true;
        for (const auto& item : items_) {
            const auto* member = find(item, name);
            if (member != nullptr && member->type != mirror::JsonType::null) {
                becomes_text = becomes_text && member->type == mirror::JsonType::string;
                survey.add(string_of(*member));
            }
        }
        const auto contents = survey.contents();
        // The mirror stores instants in one form, in a column of their own kind.
        if (becomes_text && contents != TextContents::other && contents != TextContents::mixed_offsets) {
            found.emplace_back(name, contents);
        }
    }
    return found;
}

std::vector<std::string> ItemSample::personal(std::string_view path) const
{
    std::vector<std::string> found;
    const auto note = [&found](const std::string& name) {
        if (std::find(found.begin(), found.end(), name) == found.end()) {
            found.push_back(name);
        }
    };
    for (const auto& item : items_) {
        for (const auto& [name, value] : item) {
            if (sounds_personal(name, path)) {
                note(name);
                continue;
            }
            std::vector<mirror::Member> elements = {value};
            if (value.type == mirror::JsonType::array) {
                elements.clear();
                mirror::parse_elements(value.value, elements);
            }
            for (const auto& element : elements) {
                const auto nested = element.type == mirror::JsonType::object ? item_of(element.value) : Item();
                for (const auto& one : nested) {
                    if (sounds_personal(one.name, name)) {
                        note(name + "." + one.name);
                    }
                }
            }
        }
    }
    return found;
}

}  // namespace shelfd::sync
