#include "mirror/columns/item_reader.hpp"

#include "mirror/columns/encode.hpp"
#include "mirror/columns/key_sets.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/json/object.hpp"
#include "mirror/json/text.hpp"
#include "mirror/values/names.hpp"

#include <fmt/format.h>

#include <map>

namespace shelfd::mirror {

namespace {

// The members of `_exact`, and an index by key.
struct Exact {
    std::vector<Member> members;
    std::multimap<std::string, std::size_t> places;  // members with the same key are in the order sent

    // Returns false if `text` is not a JSON object.
    bool read(std::string_view text)
    {
        if (text.empty()) {
            return true;
        }
        if (parse_members(text, members) != nullptr) {
            return false;
        }
        for (std::size_t i = 0; i < members.size(); ++i) {
            std::string key;
            unescape(members[i].key, key);
            places.emplace(std::move(key), i);
        }
        return true;
    }

    ItemMember member(std::size_t place) const
    {
        return {"\"" + std::string(members[place].key) + "\"", std::string(members[place].value)};
    }
};

}  // namespace

ItemReader::ItemReader(storage::Database& database, std::string resource, const Columns& columns)
    : database_(database), resource_(std::move(resource))
{
    for (const auto& column : columns.all()) {
        if (column.stored) {
            columns_.emplace(column.key, std::pair(stored_++, column.kind));
        }
    }
}

Result<const std::vector<std::string>*> ItemReader::keys_of(std::int64_t shape)
{
    const auto known = shapes_.find(shape);
    if (known != shapes_.end()) {
        return &known->second;
    }
    SHELFD_TRY_ASSIGN(
        found, read_value(database_, fmt::format("SELECT keys FROM _shapes WHERE resource = ? AND shape = {}", shape),
                          resource_));
    auto keys = found ? read_keys(*found) : std::nullopt;
    if (!keys) {
        return Error(ErrorKind::corrupt, fmt::format("{} has no shape {}", resource_, shape));
    }
    return &shapes_.emplace(shape, std::move(*keys)).first->second;
}

Result<std::vector<ItemMember>> ItemReader::members(const storage::Statement& row, int first)
{
    Exact exact;
    if (!exact.read(row.text(first + stored_ + 1))) {
        return Error(ErrorKind::corrupt, fmt::format("_exact of a row of {} is not a JSON object", resource_));
    }
    std::vector<ItemMember> members;
    if (row.is_null(first + stored_)) {
        for (std::size_t place = 0; place < exact.members.size(); ++place) {
            members.push_back(exact.member(place));
        }
        return members;
    }
    SHELFD_TRY_ASSIGN(keys, keys_of(row.integer(first + stored_)));
    for (const auto& key : *keys) {
        const auto [begin, end] = exact.places.equal_range(key);
        if (begin != end) {
            for (auto at = begin; at != end; ++at) {
                members.push_back(exact.member(at->second));
            }
            continue;
        }
        const auto column = columns_.find(key);
        const bool stored = column != columns_.end();
        members.push_back(
            {quoted_json(key), stored ? decode(column->second.second, row, first + column->second.first) : "null"});
    }
    return members;
}

std::string to_json(const std::vector<ItemMember>& members)
{
    std::string out = "{";
    for (const auto& member : members) {
        out.append(out.size() > 1 ? "," : "").append(member.key).append(":").append(member.value);
    }
    return out += "}";
}

RowFinder::RowFinder(ItemReader reader, storage::Statement row, std::vector<Kind> kinds)
    : reader_(std::move(reader)), row_(std::move(row)), kinds_(std::move(kinds))
{
}

Result<RowFinder> RowFinder::open(storage::Database& database, const std::string& table, const std::string& resource,
                                  const Columns& columns)
{
    std::string where;
    std::vector<Kind> kinds;
    for (std::size_t part = 0; part < columns.key_size(); ++part) {
        where += fmt::format("{}{} = ?", part == 0 ? "" : " AND ", identifier(columns[part].name));
        kinds.push_back(columns[part].kind);
    }
    SHELFD_TRY_ASSIGN(
        row, database.prepare(fmt::format("SELECT {} FROM {} WHERE {}", columns.names(), identifier(table), where)));
    return RowFinder(ItemReader(database, resource, columns), std::move(row), std::move(kinds));
}

Result<std::optional<std::vector<ItemMember>>> RowFinder::find(const ItemKey& key)
{
    // A typed column would convert the text "7" to the number, or the number to text.
    for (std::size_t part = 0; part < kinds_.size(); ++part) {
        const Kind other = key[part].is_text ? Kind::integer : Kind::text;
        if (kinds_[part] == other) {
            return std::optional<std::vector<ItemMember>>();
        }
    }
    key.bind(row_, 1);
    SHELFD_TRY_ASSIGN(found, row_.step());
    std::optional<std::vector<ItemMember>> item;
    if (found) {
        auto members = reader_.members(row_, 0);
        row_.reset();
        if (!members) {
            return std::move(members).error();
        }
        item = std::move(*members);
    }
    row_.reset();
    return item;
}

}  // namespace shelfd::mirror
