#include "mirror/publish/verify_table.hpp"

#include "mirror/columns/columns.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/json/content_hash.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/staging/tables.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace shelfd::mirror {
namespace {

// The count reads each leaf page of the named b-tree, but no rows.
Result<std::uint64_t> count_pages_of(storage::Database& database, const std::string& table)
{
    SHELFD_TRY_ASSIGN(rows,
                      one_number(database, fmt::format("SELECT count(*) FROM {} NOT INDEXED", identifier(table))));
    SHELFD_TRY_ASSIGN(
        indexes,
        storage::read_texts(database,
                            "SELECT name FROM pragma_index_list(?1) WHERE NOT partial AND origin <> 'pk' OR "
                            "name LIKE 'sqlite_autoindex%' AND EXISTS (SELECT 1 FROM sqlite_master m WHERE m.name = "
                            "?1 AND m.sql NOT LIKE '%WITHOUT ROWID%')",
                            table));
    for (const auto& index : indexes) {
        // A plain count(*) would use the smallest index, even with INDEXED BY.
        SHELFD_TRY_ASSIGN(entries, one_number(database, fmt::format("SELECT total(1) FROM {} INDEXED BY {}",
                                                                    identifier(table), identifier(index))));
        if (entries != rows) {
            return Error(ErrorKind::corrupt,
                         fmt::format("{} has {} rows, but an index of it has {}", table, rows, entries));
        }
    }
    return rows;
}

// A sum of 2^27 such numbers fits 64 bits.
std::int64_t digest_of_text(std::string_view text)
{
    constexpr std::uint64_t bits = (std::uint64_t{1} << 36U) - 1;
    return static_cast<std::int64_t>(content_hash(text, 6).first & bits);
}

// "count sum", with a sum for each part of the key: equal for two tables with the same keys. Reads the rows themselves,
// not an index.
Result<std::string> digest_of_keys(storage::Database& database, const std::string& table,
                                   const std::vector<std::string>& key, bool integer_keys)
{
    SHELFD_TRY(database.define_text_function("_digest", digest_of_text));
    std::string sums;
    for (const auto& part : key) {
        sums += fmt::format(" || ' ' || coalesce(sum({}({})), 0)", integer_keys ? "1048575 & " : "_digest", part);
    }
    SHELFD_TRY_ASSIGN(digests, storage::read_texts(database, fmt::format("SELECT count(*){} FROM {} NOT INDEXED", sums,
                                                                         identifier(table))));
    return std::move(digests.front());
}

Result<std::vector<std::string>> key_columns(storage::Database& database, const ResourceFacts& facts)
{
    SHELFD_TRY_ASSIGN(columns, Columns::load(database, facts.name, facts.key));
    std::vector<std::string> names;
    for (std::size_t part = 0; part < facts.key.size(); ++part) {
        names.push_back(identifier((columns)[part].name));
    }
    return names;
}

// The rows must be those whose states passes rely on.
Result<void> compare_with_states(storage::Database& database, const ResourceFacts& facts)
{
    SHELFD_TRY_ASSIGN(key, key_columns(database, facts));
    std::vector<std::string> state_key;
    for (std::size_t part = 1; part <= key.size(); ++part) {
        state_key.push_back(fmt::format("k{}", part));
    }
    const bool integers = facts.integer_key.value_or(false);
    SHELFD_TRY_ASSIGN(rows, digest_of_keys(database, facts.name, key, integers));
    SHELFD_TRY_ASSIGN(states, digest_of_keys(database, state_name(facts.name), state_key, integers));
    const auto expected = std::to_string(facts.rows) + " ";
    if (rows == states && rows.starts_with(expected)) {
        return {};
    }
    const auto count_in = [](const std::string& digest) { return digest.substr(0, digest.find(' ')); };
    return Error(ErrorKind::corrupt, fmt::format("its table {} has {} rows instead of {}, with different keys",
                                                 facts.name, count_in(rows), facts.rows));
}

// Verifies a table of a resource, if it exists.
Result<void> verify_table(storage::Database& database, const std::string& table)
{
    SHELFD_TRY_ASSIGN(there, has_table(database, table));
    if (there) {
        SHELFD_TRY(count_pages_of(database, table));
    }
    return {};
}

Result<void> verify_rows_of(storage::Database& database, const ResourceFacts& facts)
{
    if (facts.rows > 0) {
        return compare_with_states(database, facts);
    }
    SHELFD_TRY_ASSIGN(rows, count_pages_of(database, facts.name));
    return rows == 0
               ? Result<void>()
               : Error(ErrorKind::corrupt, fmt::format("its table {} has {} rows instead of none", facts.name, rows));
}

}  // namespace

Result<void> verify_resource(storage::Database& database, const ResourceFacts& facts)
{
    SHELFD_TRY(verify_rows_of(database, facts));
    if (facts.integer_key != true && facts.rows > 0) {
        // Its index, too.
        SHELFD_TRY(verify_table(database, facts.name));
    }
    const auto details = detail_name(facts.name);
    for (const auto& table : {details, state_name(details), queue_name(facts.name), deleted_name(facts.name)}) {
        SHELFD_TRY(verify_table(database, table));
    }
    return {};
}

Result<void> verify_all_tables(storage::Database& database)
{
    SHELFD_TRY_ASSIGN(tables, storage::read_texts(database, "SELECT name FROM sqlite_master WHERE type = 'table' AND "
                                                            "name NOT LIKE 'sqlite_stat%'"));
    SHELFD_TRY_ASSIGN(resources, storage::read_texts(database, "SELECT resource FROM _resources"));
    for (const auto& table : tables) {
        SHELFD_TRY(count_pages_of(database, table));
    }
    for (const auto& name : resources) {
        SHELFD_TRY_ASSIGN(facts, load_facts(database, name));
        if (facts && facts->rows > 0) {
            SHELFD_TRY(compare_with_states(database, *facts));
        }
    }
    return {};
}

}  // namespace shelfd::mirror
