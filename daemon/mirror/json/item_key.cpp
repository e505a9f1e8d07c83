#include "mirror/json/item_key.hpp"

#include "mirror/json/text.hpp"

#include <charconv>

namespace shelfd::mirror {

namespace {

void append_part(std::string& out, const KeyPart& part)
{
    if (part.is_text) {
        append_quoted(out, part.text);
    } else {
        out += std::to_string(part.integer);
    }
}

void add_part(ItemKey& key, std::size_t index, KeyPart part)
{
    if (index == 0) {
        key.first = std::move(part);
    } else {
        key.rest.push_back(std::move(part));
    }
}

}  // namespace

std::string ItemKey::to_json() const
{
    std::string out = rest.empty() ? "" : "[";
    append_part(out, first);
    for (const auto& part : rest) {
        append_part(out += ",", part);
    }
    return rest.empty() ? out : out + "]";
}

void ItemKey::bind(storage::Statement& statement, int parameter) const
{
    for (std::size_t i = 0; i < size(); ++i) {
        const KeyPart& part = (*this)[i];
        if (part.is_text) {
            statement.bind(parameter + static_cast<int>(i), std::string_view(part.text));
        } else {
            statement.bind(parameter + static_cast<int>(i), part.integer);
        }
    }
}

void ItemKey::put(storage::RowBatch& rows, std::size_t column) const
{
    for (std::size_t i = 0; i < size(); ++i) {
        const KeyPart& part = (*this)[i];
        if (part.is_text) {
            rows.set(column + i, std::string_view(part.text));
        } else {
            rows.set(column + i, part.integer);
        }
    }
}

std::optional<KeyPart> key_part(const Member& member)
{
    KeyPart part;
    if (member.type == JsonType::number && member.whole) {
        const char* end = member.value.data() + member.value.size();
        if (std::from_chars(member.value.data(), end, part.integer).ec != std::errc()) {
            part.is_text = true;
            part.integer = 0;
            part.text = member.value;
        }
        return part;
    }
    if (member.type != JsonType::string) {
        return std::nullopt;
    }
    part.is_text = true;
    if (unescape(member.inside(), part.text) == Fidelity::replaced) {
        return std::nullopt;
    }
    return part;
}

std::optional<ItemKey> read_key(std::string_view json)
{
    // As the member of an object, one parser handles all three forms.
    const std::string object = "{\"\":" + std::string(json) + "}";
    std::vector<Member> members;
    if (parse_members(object, members) != nullptr || members.size() != 1) {
        return std::nullopt;
    }
    ItemKey key;
    if (members[0].type != JsonType::array) {
        auto part = key_part(members[0]);
        if (!part) {
            return std::nullopt;
        }
        key.first = std::move(*part);
        return key;
    }
    std::vector<Member> elements;
    if (parse_elements(members[0].value, elements) != nullptr || elements.size() < 2) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < elements.size(); ++i) {
        auto part = key_part(elements[i]);
        if (!part) {
            return std::nullopt;
        }
        add_part(key, i, std::move(*part));
    }
    return key;
}

ItemKey key_of(const storage::Statement& row, int column, std::size_t parts)
{
    ItemKey key;
    for (std::size_t i = 0; i < parts; ++i) {
        const int at = column + static_cast<int>(i);
        KeyPart part;
        part.is_text = row.storage_class(at) != storage::StorageClass::integer;
        if (part.is_text) {
            part.text = row.text(at);
        } else {
            part.integer = row.integer(at);
        }
        add_part(key, i, std::move(part));
    }
    return key;
}

}  // namespace shelfd::mirror
