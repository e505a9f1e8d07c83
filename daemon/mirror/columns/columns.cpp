#include "mirror/columns/columns.hpp"

#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

namespace {

// SQL ignores case in names, for ASCII letters only.
std::string small_letters(std::string_view text)
{
    std::string out(text);
    for (char& c : out) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

}  // namespace

Columns::Columns(const std::vector<std::string>& key) : key_size_(key.size())
{
    for (const auto& name : key) {
        store(place_of(name), Kind::undecided);
    }
}

Result<Columns> Columns::load(storage::Database& database, const std::string& resource,
                              const std::vector<std::string>& key)
{
    Columns columns;
    columns.key_size_ = key.size();
    const auto add = [&](const storage::Statement& row) -> Result<void> {
        const auto kind = kind_of(row.text(2));
        if (!kind) {
            return Error(ErrorKind::corrupt, fmt::format("_columns of {} names the kind {}", resource, row.text(2)));
        }
        Column column{std::string(row.text(0)), std::string(row.text(1)), *kind, true, true, false};
        columns.taken_.insert(small_letters(column.name));
        columns.places_.emplace(column.key, columns.columns_.size());
        columns.columns_.push_back(std::move(column));
        ++columns.stored_;
        return {};
    };
    SHELFD_TRY(storage::each_row(database, R"sql(
        SELECT key, "column", kind FROM _columns WHERE resource = ? ORDER BY position
    )sql",
                                 add, resource));
    if (columns.columns_.empty()) {
        return Columns(key);
    }
    return columns;
}

std::size_t Columns::place_of(const std::string& key)
{
    const auto found = places_.find(key);
    if (found != places_.end()) {
        return found->second;
    }
    Column column;
    column.key = key;
    places_.emplace(key, columns_.size());
    columns_.push_back(std::move(column));
    return columns_.size() - 1;
}

bool Columns::store(std::size_t place, Kind kind)
{
    Column& column = columns_[place];
    if (!column.stored) {
        if (stored_ >= max_columns) {
            return false;
        }
        column.name = free_name(column.key);
        column.stored = true;
        ++stored_;
    }
    column.changed = column.changed || (column.published && column.kind != kind);
    column.kind = kind;
    return true;
}

// "" is a valid key, but not usable as a name.
std::string Columns::free_name(const std::string& key)
{
    const std::string wanted = key.empty() ? "empty" : key;
    std::string name = wanted;
    for (int n = 2; !taken_.insert(small_letters(name)).second; ++n) {
        name = fmt::format("{}_{}", wanted, n);
    }
    return name;
}

std::string column_definition(const Column& column)
{
    std::string out = identifier(column.name);
    if (!declared_type(column.kind).empty()) {
        out.append(" ").append(declared_type(column.kind));
    }
    return out;
}

std::string Columns::create_table_sql(const std::string& table, const std::string& detail_of) const
{
    std::string out;
    std::string key;
    for (std::size_t place = 0; place < columns_.size(); ++place) {
        const Column& column = columns_[place];
        if (!column.stored) {
            continue;
        }
        out += (out.empty() ? "" : ", ") + column_definition(column);
        if (place < key_size_) {
            key += (key.empty() ? "" : ", ") + identifier(column.name);
        }
        if (key_size_ == 1 && place == 0) {
            out += " PRIMARY KEY";
        }
    }
    out += ", _shape INTEGER, _exact TEXT";
    out += detail_of.empty() ? "" : ", _fetched_at DATETIME";
    out += key_size_ == 1 ? "" : ", PRIMARY KEY (" + key + ")";
    if (!detail_of.empty()) {
        out += fmt::format(", FOREIGN KEY ({0}) REFERENCES {1} ({0})", key, identifier(detail_of));
    }
    // With a rowid: mirror/rows/dated_changes.cpp and shelfctl read rows in its order.
    return fmt::format("CREATE TABLE {} ({})", identifier(table), out);
}

std::string Columns::names() const
{
    std::string out;
    for (const auto& column : columns_) {
        if (column.stored) {
            out += identifier(column.name) + ", ";
        }
    }
    return out + "_shape, _exact";
}

}  // namespace shelfd::mirror
